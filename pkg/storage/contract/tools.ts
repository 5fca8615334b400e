import { expect } from 'vitest';
import type { Revision } from '../../base/index.js';
import {
  type AppliedEvent,
  type Keyspace,
  type KeyValue,
  prefixEnd,
  type WatchRequest,
  type WatchSink,
} from '../keyspace.js';

export const text = (kv: KeyValue | undefined): string | undefined => kv && Buffer.from(kv.value).toString('latin1');
export const all = { start: '/', end: prefixEnd('/') };
/** Milliseconds that something asynchronous is given to happen. */
const patience = 60_000;

/** `expect` is slower than this comparison. */
function must(condition: boolean, message: string): void {
  if (!condition) expect.unreachable(`watch: ${message}`);
}

/** Records what a watch delivers, and checks the rules of every watch. */
export class Recorder implements WatchSink {
  readonly seen: AppliedEvent[] = [];
  reached = 0;
  ended: Parameters<WatchSink['end']>[0] | undefined;

  events(batch: readonly AppliedEvent[]): void {
    must(this.ended === undefined && batch.length > 0, 'events after the end, or none');
    for (const event of batch) {
      const before = Math.max(this.reached, this.seen.at(-1)?.revision ?? 0);
      must(event.revision > before, `event ${event.revision} after ${before}`);
      must(event.changes.length > 0, `event ${event.revision} is empty`);
      for (const change of event.changes) {
        must(change.kind === 'delete' || change.current.modRevision === event.revision, 'a change of another revision');
      }
      this.seen.push(event);
    }
  }

  progress(to: Revision): void {
    must(this.ended === undefined, 'progress after the end');
    must(to >= Math.max(this.reached, this.seen.at(-1)?.revision ?? 0), `progress back to ${to}`);
    this.reached = to;
  }

  end(why: Parameters<WatchSink['end']>[0]): void {
    must(this.ended === undefined, 'a second end');
    this.ended = why;
  }

  /** `+key=value` for a put and `-key` for a delete, followed by `<old` if the previous value was delivered. */
  get lines(): string[] {
    return this.seen.flatMap(({ changes }) =>
      changes.map((change) => {
        const was = change.previous === undefined ? '' : `<${text(change.previous)}`;
        return change.kind === 'put' ? `+${change.current.key}=${text(change.current)}${was}` : `-${change.key}${was}`;
      }),
    );
  }

  async until(condition: (recorder: Recorder) => boolean): Promise<void> {
    for (const end = performance.now() + patience; !condition(this) && performance.now() < end; ) {
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(condition(this), `waited in vain; seen: ${this.lines.join(' ')}`).toBe(true);
  }
}

export const noBytes = new Uint8Array(0);

export function committed(result: { readonly kind: string; readonly revision?: Revision }): Revision {
  expect(result).toMatchObject({ kind: 'committed' });
  return result.revision!;
}

export async function put(k: Keyspace, key: string, value: string): Promise<Revision> {
  return committed(await k.txn({ compares: [], ops: [{ kind: 'put', key, value: Buffer.from(value, 'latin1') }] }));
}

export async function remove(k: Keyspace, key: string): Promise<Revision> {
  return committed(await k.txn({ compares: [], ops: [{ kind: 'delete', key }] }));
}

export async function one(k: Keyspace, key: string): Promise<KeyValue | undefined> {
  const result = await k.range({ start: key, end: `${key}\0` });
  if (result.kind !== 'ok') throw new Error(`a read at the newest revision was refused: ${result.kind}`);
  return result.items[0];
}

export async function keys(k: Keyspace, range: { start: string; end: string } = all): Promise<string[]> {
  const result = await k.range(range);
  if (result.kind !== 'ok') throw new Error(`a read at the newest revision was refused: ${result.kind}`);
  return result.items.map((item) => item.key);
}

export async function values(k: Keyspace, at?: Revision): Promise<string[]> {
  const result = await k.range(at === undefined ? all : { ...all, revision: at });
  if (result.kind !== 'ok') throw new Error(`a read at ${at} was refused: ${result.kind}`);
  return result.items.map((item) => `${item.key}=${text(item)}`);
}

export function watch(
  k: Keyspace,
  request: Omit<WatchRequest, 'previous'> & { readonly previous?: boolean },
): Recorder {
  const recorder = new Recorder();
  k.watch({ previous: false, ...request }, recorder);
  return recorder;
}
