import { describe, expect, it } from 'vitest';
import { testWorld } from '../storage/testworld.js';
import { LogBackend, type LogOptions, openLog } from './log.js';
import { AuditMetrics } from './metrics.js';
import { errorsOf, event, record } from './testing.js';

function parts() {
  const world = testWorld(0);
  return { world, metrics: new AuditMetrics(), failed: () => {} };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the log', () => {
  const options: LogOptions = {
    format: 'json',
    mode: 'blocking',
    bufferSize: 3,
    bufferBytes: 1000,
    lineMax: 100,
    truncate: { enabled: false, eventMax: 1, batchMax: 1 },
  };

  it('writes the lines of one turn together, in order', async () => {
    const writes: string[] = [];
    const output = { write: async (b: Buffer) => void writes.push(b.toString()), close: async () => {} };
    const log = new LogBackend(output, options, parts());
    expect(await Promise.all([log.process(event('a')), log.process(event('b'))])).toEqual([true, true]);
    expect(writes).toEqual(['a\nb\n']);
  });

  it('reports and counts a write that failed', async () => {
    const given = parts();
    const output = { write: () => Promise.reject(new Error('ENOSPC')), close: async () => {} };
    const log = new LogBackend(output, { ...options, mode: 'blocking-strict', format: 'legacy' }, given);
    expect(await Promise.all([log.process(event('a')), log.process(event('b'))])).toEqual([false, false]);
    expect(errorsOf(given.metrics)).toBe(2);
    expect(await new LogBackend(output, options, given).process(event('a'))).toBe(true);
  });

  it('drops and counts a line that is longer than a file', async () => {
    const output = { write: async () => {}, close: async () => {} };
    const long = event('x'.repeat(100));
    for (const [mode, batchSize] of [
      ['blocking', 1],
      ['blocking-strict', 1],
      ['batch', 1],
      ['batch', 2],
    ] as const) {
      const errors: string[] = [];
      const given = { ...parts(), failed: (error: Error) => void errors.push(error.message) };
      const log = openLog(output, { ...batch, mode, batchSize }, given);
      expect(await log.process(long)).toBe(mode === 'blocking-strict' ? false : undefined);
      expect(errors).toEqual(['write length 101 exceeds maximum file size 100']);
      expect(errorsOf(given.metrics)).toBe(1);
    }
  });

  /** An output whose writes wait until `release`. */
  function slowOutput() {
    const writes: string[] = [];
    const given = {
      writes,
      release: (): void => {},
      write: (b: Buffer) => {
        writes.push(b.toString());
        return new Promise<void>((resolve) => {
          given.release = resolve;
        });
      },
      close: async () => {},
    };
    return given;
  }
  const batch = {
    ...options,
    mode: 'batch',
    batchSize: 1,
    wait: 0,
    throttle: undefined,
    bufferCharacters: 1000,
  } as const;

  it('in mode batch never waits, buffers no more than its bound while it writes, and finally writes everything', async () => {
    const given = parts();
    const output = slowOutput();
    const log = openLog(output, batch, given);
    // The buffer is smaller, but nothing hinders the output.
    for (const text of ['a', 'b', 'c', 'd']) expect(log.process(event(text))).toBeUndefined();
    await turn();
    expect(output.writes).toEqual([]);
    await given.world.advance(50);
    await turn();
    for (const text of ['e', 'f', 'g', 'h', 'i']) log.process(event(text));
    expect(errorsOf(given.metrics)).toBe(2);
    const closed = log.close();
    output.release();
    await turn();
    output.release();
    await closed;
    expect(output.writes).toEqual(['a\nb\nc\nd\n', 'e\nf\ng\n']);
  });

  it('in mode batch has batches of the size, the wait and the rate of the flags, one after the other', async () => {
    const given = parts();
    const output = slowOutput();
    const throttle = { rate: 1, burst: 1 };
    const log = openLog(output, { ...batch, batchSize: 2, wait: 3000, throttle }, given);
    log.process(event('a'));
    await given.world.advance(2000);
    expect(output.writes).toEqual([]);
    await given.world.advance(1000);
    expect(output.writes).toEqual(['a\n']);
    // Two wait for the end of the write and the throttle, and three are in the buffer.
    for (const text of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) log.process(event(text));
    expect(errorsOf(given.metrics)).toBe(2);
    await given.world.advance(5000);
    expect(output.writes).toHaveLength(1);
    output.release();
    await turn();
    output.release();
    await turn();
    expect(output.writes).toEqual(['a\n', 'b\nc\n']);
    await given.world.advance(1000);
    expect(output.writes.at(-1)).toBe('d\ne\n');
    const closed = log.close();
    for (let i = 0; i < 3; i++) {
      output.release();
      await turn();
    }
    await closed;
    expect(output.writes.at(-1)).toBe('f\n');
  });

  it('in mode batch writes an event as it was when it was accepted, and counts lines that could not be written', async () => {
    const given = parts();
    const writes: string[] = [];
    const output = { write: async (b: Buffer) => void writes.push(b.toString()), close: async () => {} };
    const log = openLog(output, { ...batch, format: 'legacy', batchSize: 2, lineMax: 0 }, given);
    const changing = record();
    log.process(changing.event('RequestReceived', 0, ''));
    changing.code = 200;
    await given.world.advance(1);
    expect(writes[0]).toMatch(/response="<deferred>"\n$/);
    const full = { write: () => Promise.reject(new Error('ENOSPC')), close: async () => {} };
    const failing = openLog(full, { ...batch, batchSize: 2 }, given);
    for (const text of ['a', 'b', 'c']) failing.process(event(text));
    await failing.close();
    expect(errorsOf(given.metrics)).toBe(3);
  });
});
