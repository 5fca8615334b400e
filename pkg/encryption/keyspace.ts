import { errors } from '../api/index.js';
import type { Revision } from '../base/index.js';
import type {
  AppliedEvent,
  Change,
  HistoryError,
  Keyspace,
  KeyspaceStatus,
  KeyValue,
  Op,
  RangeRequest,
  RangeResult,
  ReadIndexResult,
  Txn,
  TxnResult,
  Watch,
  WatchRequest,
  WatchSink,
} from '../storage/index.js';
import { ENCRYPTED_BYTES } from './provider.js';
import type { Slots } from './resources.js';

const NOTHING = new Uint8Array(0);

/**
 * A keyspace that encrypts the values of objects before they are proposed, and decrypts them when they are read.
 * Everything below it (log, store, snapshots, other peers) has only the stored form. A value that cannot be decrypted
 * is delivered empty, with the reason in its protection, so that such an object neither stops the stream of changes nor
 * disappears.
 */
export class EncryptedKeyspace implements Keyspace {
  readonly #inner: Keyspace;
  readonly #slots: Slots;
  readonly #configured: boolean;
  /** Deliveries to watches that wait for a KMS plug-in. */
  readonly #delivering = new Set<Promise<void>>();

  /** `configured`: there is a configuration, which may change, so every value has a protection. */
  constructor(inner: Keyspace, slots: Slots, configured: boolean) {
    this.#inner = inner;
    this.#slots = slots;
    this.#configured = configured;
  }

  async txn(txn: Txn): Promise<TxnResult> {
    const result = await this.#inner.txn({ compares: txn.compares, ops: txn.ops.map((op) => this.#sealed(op)) });
    // A transaction resolves after its events were delivered.
    if (this.#delivering.size > 0) await Promise.all(this.#delivering);
    return result;
  }

  #sealed(op: Op): Op {
    if (op.kind === 'delete' || !this.#configured) return op;
    const transformer = this.#slots.of(op.key)?.transformer;
    if (transformer === undefined || transformer.plain) return op;
    try {
      return { ...op, value: transformer.seal(op.value, op.key) };
    } catch (error) {
      throw errors.internal((error as Error).message);
    }
  }

  readIndex(): Promise<ReadIndexResult> {
    return this.#inner.readIndex();
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    const found = await this.#inner.range(request);
    if (found.kind !== 'ok') return found;
    const items: KeyValue[] = [];
    for (const item of found.items) {
      const opened = this.#opened(item);
      items.push(opened instanceof Promise ? await opened : opened);
    }
    return { ...found, items };
  }

  watch(request: WatchRequest, sink: WatchSink): Watch {
    const ordered = new OrderedSink(this.#delivering);
    const watch = this.#inner.watch(request, {
      events: (batch) => ordered.deliver(this.#openedBatch(batch), (opened) => sink.events(opened)),
      progress: (revision) => ordered.deliver(revision, (at) => sink.progress?.(at)),
      end: (why) => ordered.deliver(why, (reason) => sink.end(reason)),
    });
    return {
      cancel: () => {
        ordered.cancel();
        watch.cancel();
      },
    };
  }

  compact(revision: Revision): Promise<TxnResult> {
    return this.#inner.compact(revision);
  }

  status(): KeyspaceStatus {
    return this.#inner.status();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #openedBatch(batch: readonly AppliedEvent[]): readonly AppliedEvent[] | Promise<readonly AppliedEvent[]> {
    if (!this.#configured && batch.every(isPlain)) return batch;
    const waiting: Promise<void>[] = [];
    const events = batch.map(({ revision, changes }) => {
      const opened: Change[] = [];
      for (const [i, change] of changes.entries()) {
        opened.push(change);
        const done = this.#openedChange(change);
        if (done instanceof Promise) waiting.push(done.then((c) => void opened.splice(i, 1, c)));
        else opened[i] = done;
      }
      return { revision, changes: opened };
    });
    return waiting.length === 0 ? events : Promise.all(waiting).then(() => events);
  }

  #openedChange(change: Change): Change | Promise<Change> {
    const previous = change.previous === undefined ? undefined : this.#opened(change.previous);
    const current = change.kind === 'put' ? this.#opened(change.current) : undefined;
    const join = (now: KeyValue | undefined, before: KeyValue | undefined): Change => {
      const rest = before === undefined ? {} : { previous: before };
      return now === undefined
        ? { kind: 'delete', key: (change as { readonly key: string }).key, ...rest }
        : { kind: 'put', current: now, ...rest };
    };
    if (current instanceof Promise || previous instanceof Promise)
      return Promise.all([current, previous]).then(([now, before]) => join(now, before));
    return join(current, previous);
  }

  #opened(item: KeyValue): KeyValue | Promise<KeyValue> {
    if (!this.#configured && isPlainValue(item)) return item;
    const slot = this.#slots.of(item.key);
    if (slot === undefined) return item;
    const { value } = item;
    if (slot.transformer.plain && value[0] !== ENCRYPTED_BYTES[0])
      return { ...item, protection: slot.protection(slot.transformer.label) };
    const data = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    try {
      const opened = slot.transformer.open(data, item.key);
      if (!(opened instanceof Promise))
        return { ...item, value: opened.plain, protection: slot.protection(opened.label) };
      return opened.then(
        ({ plain, label }) => ({ ...item, value: plain, protection: slot.protection(label) }),
        (error: Error) => unreadable(item, error),
      );
    } catch (error) {
      return unreadable(item, error as Error);
    }
  }
}

/** Without a configuration, values are unencrypted unless a configuration was removed. */
function isPlain({ changes }: AppliedEvent): boolean {
  return changes.every((c) => (c.kind === 'delete' || isPlainValue(c.current)) && isPlainValue(c.previous));
}

const isPlainValue = (item: KeyValue | undefined): boolean => item?.value[0] !== ENCRYPTED_BYTES[0];

function unreadable(item: KeyValue, error: Error): KeyValue {
  return { ...item, value: NOTHING, protection: { stale: true, problem: error.message } };
}

type End = HistoryError | { readonly kind: 'stopped'; readonly message: string };

/** Delivers to a sink in order, although some batches become ready later. */
class OrderedSink {
  readonly #delivering: Set<Promise<void>>;
  #last: Promise<void> | undefined;
  #cancelled = false;

  constructor(delivering: Set<Promise<void>>) {
    this.#delivering = delivering;
  }

  cancel(): void {
    this.#cancelled = true;
  }

  deliver<T extends readonly AppliedEvent[] | Revision | End>(ready: T | Promise<T>, to: (value: T) => void): void {
    if (this.#cancelled) return;
    if (this.#last === undefined && !(ready instanceof Promise)) {
      to(ready);
      return;
    }
    const before = this.#last;
    const turn = (async () => {
      await before;
      const value = await ready;
      if (!this.#cancelled) to(value);
    })().finally(() => {
      this.#delivering.delete(turn);
      if (this.#last === turn) this.#last = undefined;
    });
    this.#last = turn;
    this.#delivering.add(turn);
  }
}
