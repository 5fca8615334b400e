import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, EngineHome, EngineScan } from './engine.js';

const b = (text: string): Buffer => Buffer.from(text, 'latin1');
const everything = { gte: b('\0'), lt: b('\xff') };

async function rows(scan: EngineScan): Promise<[string, string][]> {
  const out: [string, string][] = [];
  for (let page = await scan.next(); page !== undefined; page = await scan.next()) {
    expect(page.keys.length).toBeGreaterThan(0);
    for (const [i, key] of page.keys.entries()) out.push([key.toString('latin1'), page.values[i]!.toString('latin1')]);
  }
  await scan.close();
  return out;
}

async function put(engine: Engine, entries: Readonly<Record<string, string>>, sync = false): Promise<void> {
  const batch = engine.batch();
  for (const [key, value] of Object.entries(entries)) batch.put(b(key), b(value));
  await batch.write({ sync });
}

/** The contract of every engine. `make` returns a new home for each test. */
export function describeEngine(name: string, make: () => Promise<EngineHome>): void {
  describe(`engine contract: ${name}`, () => {
    const open: Engine[] = [];
    const start = async (home?: EngineHome): Promise<Engine> => {
      const engine = await (home ?? (await make())).open();
      open.push(engine);
      return engine;
    };
    afterEach(async () => {
      await Promise.all(open.splice(0).map((engine) => engine.close()));
    });

    it('returns what was put, and undefined for absent keys', async () => {
      const engine = await start();
      await put(engine, { a: '1', b: '', c: '\0\xff' });
      expect(await engine.get(b('a'))).toEqual(b('1'));
      expect(await engine.get(b('b'))).toEqual(b(''));
      expect(await engine.get(b('x'))).toBeUndefined();
      expect(await engine.getMany([b('c'), b('x'), b('a')])).toEqual([b('\0\xff'), undefined, b('1')]);
      expect(await engine.getMany([])).toEqual([]);
    });

    it('applies a batch in order and atomically, and copies its arguments', async () => {
      const engine = await start();
      await put(engine, { a: '1', d: '4' });
      const batch = engine.batch();
      const key = b('a');
      const value = b('2');
      batch.put(key, value);
      key.fill(0x7a);
      value.fill(0x7a);
      batch.put(b('b'), b('2'));
      batch.delete(b('b'));
      batch.delete(b('d'));
      batch.put(b('d'), b('5'));
      expect(batch.ops).toBe(5);
      expect(batch.bytes).toBeGreaterThanOrEqual(6);
      expect(await rows(engine.scan(everything))).toEqual([
        ['a', '1'],
        ['d', '4'],
      ]);
      await batch.write({ sync: true });
      expect(await rows(engine.scan(everything))).toEqual([
        ['a', '2'],
        ['d', '5'],
      ]);
    });

    it('reports a closed engine or scan as an error, not as the end of the rows', async () => {
      const engine = await start();
      const many = Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`k${i}`, 'x']));
      await put(engine, many);
      const closed = engine.scan(everything);
      await closed.next();
      await closed.close();
      await expect(async () => closed.next()).rejects.toMatchObject({ kind: 'closed' });
      const open = engine.scan(everything);
      const next = open.next();
      await engine.close();
      expect((await next)?.keys.length).toBeGreaterThan(0);
      await expect(async () => open.next()).rejects.toMatchObject({ kind: 'closed' });
    });

    it('writes an empty batch', async () => {
      const engine = await start();
      await engine.batch().write({ sync: true });
      expect(await rows(engine.scan(everything))).toEqual([]);
    });

    it('scans in byte order, both ways, within bounds and limit', async () => {
      const engine = await start();
      await put(engine, { '\x80': 'h', 'a\0': '2', a: '1', b: '3', '\x01': '0' });
      const all = await rows(engine.scan(everything));
      expect(all.map(([key]) => key)).toEqual(['\x01', 'a', 'a\0', 'b', '\x80']);
      expect(await rows(engine.scan({ ...everything, reverse: true }))).toEqual(all.toReversed());
      expect((await rows(engine.scan({ gte: b('a'), lt: b('b') }))).map(([, v]) => v)).toEqual(['1', '2']);
      expect((await rows(engine.scan({ gte: b('a'), lt: b('b'), reverse: true }))).map(([, v]) => v)).toEqual([
        '2',
        '1',
      ]);
      expect((await rows(engine.scan({ ...everything, limit: 2 }))).map(([, v]) => v)).toEqual(['0', '1']);
      expect((await rows(engine.scan({ ...everything, limit: 2, reverse: true }))).map(([, v]) => v)).toEqual([
        'h',
        '3',
      ]);
      expect(await rows(engine.scan({ gte: b('c'), lt: b('d') }))).toEqual([]);
      expect(await rows(engine.scan({ gte: b('d'), lt: b('c') }))).toEqual([]);
    });

    it('pins a scan to the state at its start', async () => {
      const engine = await start();
      const keys = Array.from({ length: 2000 }, (_, i) => `k${String(i).padStart(5, '0')}`);
      await put(engine, Object.fromEntries(keys.map((key) => [key, 'old'])));
      const scan = engine.scan(everything);
      const first = await scan.next();
      await put(engine, Object.fromEntries(keys.map((key) => [key, 'new'])));
      await engine.clear({ gte: b('k01000'), lt: b('l') });
      const rest = await rows(scan);
      expect(first!.keys.length + rest.length).toBe(2000);
      expect(new Set(rest.map(([, value]) => value))).toEqual(new Set(['old']));
      expect(await rows(engine.scan({ ...everything, limit: 1 }))).toEqual([['k00000', 'new']]);
    });

    it('returns large values in small pages', async () => {
      const engine = await start();
      const value = Buffer.alloc(300_000, 'v');
      const batch = engine.batch();
      for (let i = 0; i < 8; i++) batch.put(b(`k${i}`), value);
      await batch.write({ sync: false });
      const scan = engine.scan(everything);
      let seen = 0;
      for (let page = await scan.next(); page !== undefined; page = await scan.next()) {
        expect(page.keys.length).toBeLessThan(4);
        for (const v of page.values) expect(v.equals(value)).toBe(true);
        seen += page.keys.length;
      }
      await scan.close();
      expect(seen).toBe(8);
    });

    it('clears and compacts a range', async () => {
      const engine = await start();
      await put(engine, { a: '1', b: '2', c: '3', d: '4' });
      await engine.clear({ gte: b('b'), lt: b('d') });
      await engine.compactRange(everything);
      expect(await rows(engine.scan(everything))).toEqual([
        ['a', '1'],
        ['d', '4'],
      ]);
      expect(engine.sizeBytes()).toBeGreaterThan(0);
    });

    it('keeps what was written when it is closed and opened again', async () => {
      const home = await make();
      const engine = await start(home);
      await put(engine, { a: '1' }, true);
      await put(engine, { b: '2' });
      await engine.close();
      await engine.close();
      expect(await rows((await start(home)).scan(everything))).toEqual([
        ['a', '1'],
        ['b', '2'],
      ]);
    });

    it('reports an error if it is used after close, even with an open scan', async () => {
      const engine = await start();
      await put(engine, { a: '1' });
      const scan = engine.scan(everything);
      await scan.next();
      await engine.close();
      await scan.close();
      await expect(async () => engine.get(b('a'))).rejects.toMatchObject({ name: 'StoreError', kind: 'closed' });
      expect(() => engine.scan(everything)).toThrow(expect.objectContaining({ kind: 'closed' }));
    });

    it('replaces the current engine by a new one in one step', async () => {
      const home = await make();
      const old = await start(home);
      await put(old, { a: 'old' });

      const dropped = await home.fresh();
      await put(dropped.engine, { a: 'dropped' });
      await dropped.discard();

      const left = await home.fresh();
      await put(left.engine, { a: 'left' }, true);
      await left.engine.close();
      await old.close();
      // The installation did not reach `adopt`: the old state counts.
      const again = await start(home);
      expect(await rows(again.scan(everything))).toEqual([['a', 'old']]);

      const next = await home.fresh();
      expect(await rows(next.engine.scan(everything))).toEqual([]);
      await put(next.engine, { a: 'new' }, true);
      await next.adopt();
      // The old one stays readable until it is closed, whatever is swept meanwhile.
      await (await home.fresh()).discard();
      await home.sweep();
      expect(await rows(again.scan(everything))).toEqual([['a', 'old']]);
      await again.close();
      await home.sweep();
      expect(await next.engine.get(b('a'))).toEqual(b('new'));
      await next.engine.close();
      expect(await rows((await start(home)).scan(everything))).toEqual([['a', 'new']]);
    });
  });
}
