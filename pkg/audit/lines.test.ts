import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errors } from '../api/index.js';
import { AuditRecord } from './event.js';
import { CHUNK_BYTES, LineBuffer } from './lines.js';

const textOf = (lines: ReturnType<LineBuffer['take']>): string => lines.map(({ bytes }) => bytes.toString()).join('');

function add(buffer: LineBuffer, text: string): void {
  buffer.json(text);
  buffer.end();
}

describe('lines', () => {
  it('are written in their order, whatever their size and characters, also into buffers that are used again', () => {
    const line = fc.oneof(
      fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\n', ' ')),
      fc.integer({ min: 0, max: 200_000 }).map((length) => 'é'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(fc.array(line, { maxLength: 4 }), { maxLength: 4 }), (rounds) => {
        const buffer = new LineBuffer();
        for (const lines of rounds) {
          for (const one of lines) add(buffer, one);
          const taken = buffer.take();
          expect(textOf(taken) === lines.map((one) => `${one}\n`).join('')).toBe(true);
          expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(lines.length);
          for (const some of taken) buffer.release(some);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('that are not released are not overwritten', () => {
    const buffer = new LineBuffer();
    add(buffer, 'first');
    const first = buffer.take();
    add(buffer, 'second');
    const second = buffer.take();
    expect([textOf(first), textOf(second)]).toEqual(['first\n', 'second\n']);
    for (const lines of [...first, ...second]) buffer.release(lines);
    add(buffer, 'third');
    expect(buffer.take()[0]!.bytes.buffer).toBe(second[0]!.bytes.buffer);
  });

  it('of events are their JSON, wherever a buffer ends', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '/', '"', '\\', '\n', '<', 'é', '\u2028', '😀') });
    const facts = fc.record({
      uri: texts,
      name: texts,
      agent: texts,
      reason: texts,
      message: texts,
      body: fc.integer({ min: 0, max: 3 }),
      received: fc.double({ min: 0, max: 4e12, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(facts, { maxLength: 8 }), fc.integer({ min: 0, max: 3000 }), (all, before) => {
        const buffer = new LineBuffer();
        const expected = ['x'.repeat(CHUNK_BYTES - before)];
        add(buffer, expected[0]!);
        for (const { uri, name, agent, reason, message, body, received } of all) {
          const record = new AuditRecord(
            { level: 'Request', omits: new Set(), omitManagedFields: false },
            {
              id: 'id',
              uri,
              verb: 'get',
              user: { name: agent, groups: [name] },
              sourceIps: ['::1'],
              userAgent: agent,
              object: { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'default', name },
              received,
            },
          );
          if (body > 0) record.requestObject = JSON.stringify({ message: message.repeat(body * 1000) });
          if (body > 1) record.status = errors.badRequest(message).status;
          if (body > 2) record.impersonated = { name: message, groups: [] };
          record.code = 200 + body;
          const event = record.event('ResponseComplete', 0.5, JSON.stringify({ reason }));
          event.write(buffer);
          buffer.end();
          expected.push(event.json);
          expect(() => JSON.parse(event.json)).not.toThrow();
        }
        expect(textOf(buffer.take()) === expected.map((one) => `${one}\n`).join('')).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('that are dropped leave nothing behind', () => {
    const buffer = new LineBuffer();
    add(buffer, 'first');
    buffer.json('x'.repeat(CHUNK_BYTES));
    buffer.drop();
    expect(buffer.length).toBe(0);
    add(buffer, 'second');
    buffer.json('y');
    buffer.drop();
    expect(textOf(buffer.take())).toBe('first\nsecond\n');
    expect(buffer.take()).toEqual([]);
  });
});
