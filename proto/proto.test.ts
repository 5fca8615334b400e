import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundleCodec } from './index.js';

const here = dirname(fileURLToPath(import.meta.url));

describe('wire contracts', () => {
  it('generated code matches the contracts', async () => {
    const script = './generate.mjs';
    const { contracts, generate } = (await import(script)) as {
      contracts(): string[];
      generate(name: string): string;
    };
    expect(contracts().length).toBeGreaterThan(0);
    for (const name of contracts()) {
      expect(readFileSync(join(here, 'gen', `${name}.ts`), 'utf8')).toBe(generate(name));
    }
  });

  it('a bundle is unchanged by encoding and decoding, with indexes above 2^32 and bytes as views', () => {
    const bytes = bundleCodec.encode({
      proposals: [{ id: 7, term: 2 ** 40 + 1, data: Buffer.alloc(0) }],
      raft: [{ kind: 2, term: 2 ** 50, entries: [{ term: 1, index: 2 ** 33, kind: 0, data: Buffer.from('hello') }] }],
      ping: { sent: 1234.5 },
    });
    const back = bundleCodec.decode(bytes);
    expect(back.proposals[0]).toMatchObject({ id: 7, term: 2 ** 40 + 1 });
    expect(back.raft[0]).toMatchObject({ kind: 2, term: 2 ** 50, commit: 0, preVote: false, snapshot: null });
    const entry = back.raft[0]!.entries[0]!;
    expect(Buffer.from(entry.data).toString()).toBe('hello');
    expect(entry.data.buffer).toBe(bytes.buffer);
    expect(back.ping?.sent).toBe(1234.5);
    expect(back.hello).toBeNull();
  });

  it('refuses bytes that are not a bundle', () => {
    expect(() => bundleCodec.decode(Buffer.from([0x1a, 0xff, 0xff, 0x03]))).toThrow();
  });
});
