import { describe, expect, it } from 'vitest';
import { DocumentMemory, encoded, KeptDocument } from './kept.js';

const MEGABYTE = 1024 * 1024;
const pause = (): Promise<void> => Promise.resolve();

describe('documents', () => {
  function documentOf(memory: DocumentMemory, megabytes: number): { document: KeptDocument; made: () => number } {
    let made = 0;
    const make = () => {
      made++;
      return encoded([Buffer.alloc(megabytes * MEGABYTE, 'x')], pause);
    };
    return { document: new KeptDocument(memory, make), made: () => made };
  }

  it('are made once for all requests that wait, and kept', async () => {
    const { document, made } = documentOf(new DocumentMemory(() => 0), 1);
    expect(document.knownHash).toBeUndefined();
    const [a, b] = await Promise.all([document.get(), document.get()]);
    expect(await document.get()).toBe(a);
    expect([a === b, made(), document.knownHash]).toEqual([true, 1, a.hash]);
  });

  it('keep the time of their content when they are made again', async () => {
    let [now, text] = [1, 'a'];
    const memory = new DocumentMemory(() => now);
    const document = new KeptDocument(memory, () => encoded([Buffer.from(text)], pause));
    const modified = async (): Promise<number> => {
      document.drop();
      return (await document.get()).modified;
    };
    expect(await modified()).toBe(1);
    now = 2;
    expect(await modified()).toBe(1);
    text = 'b';
    expect(await modified()).toBe(2);
  });

  it('are dropped when those used since need their memory, but their hashes stay', async () => {
    const memory = new DocumentMemory(() => 0);
    const all = Array.from({ length: 6 }, () => documentOf(memory, 10));
    for (const { document } of all) await document.get();
    expect(memory.bytes).toBe(40 * MEGABYTE);
    expect((await all[0]!.document.hash()).length).toBe(128);
    expect(all[0]!.made()).toBe(1);
    await all[2]!.document.get();
    await all[0]!.document.get();
    expect(all.map(({ made }) => made())).toEqual([2, 1, 1, 1, 1, 1]);
    await all[2]!.document.get();
    expect(all[2]!.made()).toBe(1);
    all[2]!.document.drop();
    expect(memory.bytes).toBe(30 * MEGABYTE);
  });

  it('that are larger than the half of the bound are not kept', async () => {
    const memory = new DocumentMemory(() => 0);
    const { document, made } = documentOf(memory, 25);
    await document.get();
    await document.get();
    expect([memory.bytes, made()]).toEqual([0, 2]);
  });

  it('are joined in steps', async () => {
    let pauses = 0;
    const pieces = Array.from({ length: 40 }, (_, i) => Buffer.alloc(100_000, String(i)));
    const { bytes, hash } = await encoded(pieces, async () => void pauses++);
    const whole = await encoded([Buffer.concat(pieces)], pause);
    expect([bytes.equals(whole.bytes), hash, pauses > 3]).toEqual([true, whole.hash, true]);
  });
});
