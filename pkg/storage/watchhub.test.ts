import { describe, expect, it } from 'vitest';
import { type Revision, revision } from '../base/index.js';
import { Recorder } from './contract.js';
import { memoryHome } from './engine/memory.js';
import { recentBatchesMax } from './limits.js';
import { encodeEntry } from './mvcc/entry.js';
import { installSnapshot } from './mvcc/install.js';
import { openStateMachine, type StateMachine } from './mvcc/machine.js';
import { WatchHub } from './watchhub.js';

const all = { start: '/', end: '0' };
const put = (key: string, value: string): Buffer =>
  encodeEntry({ kind: 'txn', txn: { compares: [], ops: [{ kind: 'put', key, value: Buffer.from(value) }] } });
const compactTo = (at: number): Buffer => encodeEntry({ kind: 'compact', revision: at as Revision });

async function start(home = memoryHome()): Promise<{ machine: StateMachine; hub: WatchHub }> {
  const box: { hub?: WatchHub } = {};
  const machine = await openStateMachine({
    engine: await home.open(),
    name: 'memory',
    onApplied: (applied) => box.hub?.publish(applied),
  });
  box.hub = new WatchHub(machine);
  return { machine, hub: box.hub };
}

const watch = (hub: WatchHub, after: number, previous = false): Recorder => {
  const recorder = new Recorder();
  hub.watch({ ...all, after: revision(after), previous }, recorder);
  return recorder;
};

describe('watch hub', () => {
  it('serves watches from old history to the live stream during writes', async () => {
    const { machine, hub } = await start();
    const total = recentBatchesMax * 3;
    const recorders: Recorder[] = [];
    for (let i = 1; i <= total; i++) {
      await machine.apply([{ index: i, data: put(`/k/${i % 5}`, String(i)) }]);
      if (i % 1000 === 0)
        recorders.push(watch(hub, 0), watch(hub, 0, true), watch(hub, i - 10), watch(hub, i - 10, true));
    }
    for (const recorder of recorders) {
      await recorder.until(({ reached }) => reached >= total);
      const first = recorder.seen[0]!.revision;
      expect(recorder.seen.map((event) => event.revision)).toEqual(
        Array.from({ length: total - first + 1 }, (_, i) => first + i),
      );
    }
    for (const line of recorders[1]!.lines.slice(5)) {
      const [, now, was] = /=(\d+)<(\d+)$/.exec(line)!;
      expect(Number(now) - Number(was)).toBe(5);
    }
    await machine.close();
  });

  it('delivers events to up-to-date watches before the transaction is answered, with previous values too', async () => {
    const { machine, hub } = await start();
    await machine.apply([{ index: 1, data: put('/a', '1') }]);
    const plain = watch(hub, 1);
    const previous = watch(hub, 1, true);
    await Promise.all([plain, previous].map((r) => r.until(() => true)));
    for (let i = 2; i < 50; i++) {
      await machine.apply([{ index: i, data: put('/a', String(i)) }]);
      expect(plain.lines.at(-1)).toBe(`+/a=${i}`);
      expect(previous.lines.at(-1)).toBe(`+/a=${i}<${i - 1}`);
    }
    await machine.close();
  });

  it('continues from another source after a snapshot, or ends if that source has compacted its position', async () => {
    const ahead = await start();
    for (let i = 1; i <= 40; i++) await ahead.machine.apply([{ index: i, data: put('/a', String(i)) }]);
    await ahead.machine.apply([{ index: 41, data: compactTo(20) }]);
    const home = memoryHome();
    const behind = await start(home);
    for (let i = 1; i <= 10; i++) await behind.machine.apply([{ index: i, data: put('/a', String(i)) }]);
    const lost = watch(behind.hub, 3);
    await lost.until(({ reached }) => reached === 10);
    // This watch waits for future events and so has missed nothing.
    const kept = watch(behind.hub, 25);
    await kept.until(() => true);
    const snapshot = await ahead.machine.openSnapshot();
    const { engine } = await installSnapshot({ home, chunks: snapshot.chunks() });
    const machine = await openStateMachine({ engine, name: 'memory', onApplied: (a) => behind.hub.publish(a) });
    behind.hub.replaceSource(machine);
    await behind.machine.unread();
    await behind.machine.close();
    await machine.apply([{ index: 42, data: put('/a', '42') }]);
    await lost.until(({ ended }) => ended !== undefined);
    expect(lost.ended).toEqual({ kind: 'compacted', oldest: 20 });
    await kept.until(({ reached }) => reached >= 42);
    expect(kept.lines).toEqual([...Array.from({ length: 15 }, (_, i) => `+/a=${i + 26}`), '+/a=42']);
    expect(behind.hub.size).toBe(1);
    behind.hub.stop('enough');
    expect(kept.ended).toEqual({ kind: 'stopped', message: 'enough' });
    await machine.close();
    await ahead.machine.close();
  });

  it('rejects a batch with a lower revision, and skips one without entries', async () => {
    const { machine, hub } = await start();
    await machine.apply([{ index: 5, data: put('/a', '1') }]);
    const nothing = { events: [], withPrevious: async () => [] };
    const recorder = watch(hub, 5);
    await recorder.until(({ reached }) => reached === 5);
    hub.publish({ revision: revision(5), ...nothing });
    expect(() => hub.publish({ revision: revision(4), ...nothing })).toThrow('up to 4 is told after one up to 5');
    await machine.apply([{ index: 6, data: put('/a', '2') }]);
    await recorder.until(({ reached }) => reached === 6);
    expect(recorder.lines).toEqual(['+/a=2']);
    await machine.close();
  });

  it('delivers previous values to a watch that begins inside a batch whose first events are compacted', async () => {
    const { machine, hub } = await start();
    await machine.apply([{ index: 1, data: put('/a', '1') }]);
    await machine.apply([
      { index: 2, data: put('/a', '2') },
      { index: 3, data: put('/a', '3') },
    ]);
    await machine.apply([{ index: 4, data: compactTo(2) }]);
    while (machine.counts.sweeping) await new Promise((resolve) => setImmediate(resolve));
    const late = watch(hub, 2, true);
    // A failure of one watch must not stop the machine, which publishes batches while the watch begins.
    for (let i = 5; i < 10; i++) await machine.apply([{ index: i, data: put('/a', String(i)) }]);
    await late.until(({ reached, ended }) => reached >= 9 || ended !== undefined);
    expect(late.ended).toBeUndefined();
    expect(late.lines).toEqual(['+/a=3<2', '+/a=5<3', ...[6, 7, 8, 9].map((i) => `+/a=${i}<${i - 1}`)]);
    await machine.close();
  });

  it('lets a sink cancel its own watch, and others, from within', async () => {
    const { machine, hub } = await start();
    const other = new Recorder();
    const seen: number[] = [];
    const otherWatch = hub.watch({ ...all, after: revision(0), previous: false }, other);
    const own = hub.watch(
      { ...all, after: revision(0), previous: false },
      {
        events: (batch) => {
          seen.push(...batch.map((event) => event.revision));
          own.cancel();
          otherWatch.cancel();
        },
        progress: () => seen.push(-1),
        end: () => seen.push(-2),
      },
    );
    await Promise.resolve();
    for (let i = 1; i <= 3; i++) await machine.apply([{ index: i, data: put('/a', String(i)) }]);
    expect(seen.filter((n) => n > 0)).toEqual([1]);
    expect(seen.at(-1)).toBe(1);
    expect(other.lines).toEqual(['+/a=1']);
    expect(hub.size).toBe(0);
    await machine.close();
  });
});
