import { expect, it } from 'vitest';
import type { Frames } from '../registry/index.js';
import { chunkOf } from './chunk.js';

it('writes a payload as one HTTP/1.1 chunk, which all watches share', () => {
  for (const text of ['{}', 'é'.repeat(10), 'x'.repeat(5000)]) {
    const frames: Frames = { payload: Buffer.from(text), events: 1, framed: undefined };
    const chunk = chunkOf(frames);
    expect(chunk.toString()).toBe(`${frames.payload.length.toString(16)}\r\n${text}\r\n`);
    expect(chunkOf(frames)).toBe(chunk);
    expect(frames.payload.toString()).toBe(text);
    expect(frames.payload.buffer, 'the bytes are in memory once').toBe(chunk.buffer);
  }
});
