import { invariant, type Revision, type World } from '../base/index.js';
import type { EngineHome } from './engine/engine.js';
import { memoryHome } from './engine/memory.js';
import type {
  Keyspace,
  KeyspaceStatus,
  RangeRequest,
  RangeResult,
  ReadIndexResult,
  Txn,
  TxnResult,
  Watch,
  WatchRequest,
  WatchSink,
} from './keyspace.js';
import {
  expiryKeysMax,
  expiryPeriodMilliseconds,
  expiryRoundsMax,
  keyBytesMax,
  txnBytesMax,
  txnOpsMax,
} from './limits.js';
import { type Entry, encodeEntry, entryBytes } from './mvcc/entry.js';
import { openStateMachine, type StateMachine } from './mvcc/machine.js';
import type { ApplyResult } from './mvcc/state.js';
import { WatchHub } from './watchhub.js';

export interface LocalKeyspaceOptions {
  readonly home: EngineHome;
  readonly world: World;
  /** Whether a transaction is on stable storage before it is acknowledged; true if absent. */
  readonly durable?: boolean;
  /** Bytes in use above which puts are refused; deletes never are. */
  readonly quotaBytes?: number;
}

/**
 * A keyspace of one process without a log: each transaction is an entry that is applied directly. For tests, tools and the server as a
 * library. It uses the same state machine as a replicated one.
 */
export async function openLocalKeyspace(options: LocalKeyspaceOptions): Promise<Keyspace> {
  const keyspace: LocalKeyspace = new LocalKeyspace(options);
  await keyspace.open();
  return keyspace;
}

/** A keyspace in the memory of this process. */
export function openMemoryKeyspace(world: World): Promise<Keyspace> {
  return openLocalKeyspace({ home: memoryHome(), world, durable: false });
}

class LocalKeyspace implements Keyspace {
  readonly #home: EngineHome;
  readonly #world: World;
  readonly #durable: boolean;
  readonly #quotaBytes: number;
  #machine!: StateMachine;
  #hub!: WatchHub;
  #stopExpiry: () => void = () => {};
  #expiring = false;
  #stopped: string | undefined;

  constructor({ home, world, durable, quotaBytes }: LocalKeyspaceOptions) {
    this.#home = home;
    this.#world = world;
    this.#durable = durable ?? true;
    this.#quotaBytes = quotaBytes ?? Number.POSITIVE_INFINITY;
  }

  async open(): Promise<void> {
    const engine = await this.#home.open();
    try {
      this.#machine = await openStateMachine({
        engine,
        name: this.#home.name,
        onApplied: (applied) => this.#hub.publish(applied),
        onFailure: (error) => this.#stop(error.message),
        yieldThread: () => new Promise<void>((resolve) => this.#world.timers.immediate(resolve)),
      });
    } catch (error) {
      await engine.close();
      throw error;
    }
    this.#hub = new WatchHub(this.#machine);
    this.#stopExpiry = this.#world.timers.every(expiryPeriodMilliseconds, () => void this.#expire());
  }

  async txn(txn: Txn): Promise<TxnResult> {
    if (this.#stopped !== undefined) return { kind: 'refused', reason: 'stopping', message: this.#stopped };
    const entry: Entry = { kind: 'txn', txn };
    const tooLarge = sizeProblem(txn, entry);
    if (tooLarge !== undefined) return { kind: 'refused', reason: 'tooLarge', message: tooLarge };
    if (this.#machine.sizeInUseBytes > this.#quotaBytes && txn.ops.some((op) => op.kind === 'put')) {
      return { kind: 'refused', reason: 'noSpace', message: `the store holds more than ${this.#quotaBytes} bytes` };
    }
    return this.#apply(entry);
  }

  async readIndex(): Promise<ReadIndexResult> {
    if (this.#stopped !== undefined) return { kind: 'refused', reason: 'stopping', message: this.#stopped };
    return { kind: 'ok', revision: this.#machine.applied };
  }

  range(request: RangeRequest): Promise<RangeResult> {
    return this.#machine.range(request);
  }

  watch(request: WatchRequest, sink: WatchSink): Watch {
    return this.#hub.watch(request, sink);
  }

  async compact(revision: Revision): Promise<TxnResult> {
    if (this.#stopped !== undefined) return { kind: 'refused', reason: 'stopping', message: this.#stopped };
    return this.#apply({ kind: 'compact', revision });
  }

  status(): KeyspaceStatus {
    const { applied, compacted, sizeBytes, sizeInUseBytes } = this.#machine;
    return { applied, compacted, isLeader: true, hasLeader: true, sizeBytes, sizeInUseBytes };
  }

  async close(): Promise<void> {
    this.#stopped ??= 'the keyspace is closed';
    this.#stopExpiry();
    // Pending events are still delivered to the watches.
    await this.#machine.close();
    this.#hub.stop(this.#stopped);
  }

  async #apply(entry: Entry): Promise<TxnResult> {
    let result: ApplyResult | undefined;
    try {
      const applied = this.#machine.apply([{ index: this.#machine.decided + 1, data: encodeEntry(entry) }]);
      const synced = this.#durable ? this.#machine.barrier() : undefined;
      // Both at once: if the write fails, both reject, and each rejection must be handled.
      const [results] = await Promise.all([applied, synced]);
      result = results[0];
    } catch (error) {
      if (this.#stopped === undefined) throw error;
      return { kind: 'unknown', message: (error as Error).message };
    }
    invariant(result?.kind === 'committed' || result?.kind === 'conflict', 'an entry made here was applied');
    return result;
  }

  /** Deletes expired keys, a bounded number at a time. */
  async #expire(): Promise<void> {
    if (this.#expiring) return;
    this.#expiring = true;
    try {
      for (let round = 0; round < expiryRoundsMax && this.#stopped === undefined; round++) {
        const txn = expiryTxn(this.#machine, this.#world.clock.now());
        if (txn === undefined || (await this.txn(txn)).kind !== 'committed') return;
      }
    } finally {
      this.#expiring = false;
    }
  }

  #stop(message: string): void {
    this.#stopped ??= message;
    this.#stopExpiry();
    this.#hub.stop(message);
  }
}

/**
 * The transaction that deletes expired keys, or undefined when there are none. It fails as a whole if one of them was written meanwhile; the
 * next one does not contain it.
 */
export function expiryTxn(machine: Pick<StateMachine, 'expired'>, now: number): Txn | undefined {
  const compares = machine.expired(now, expiryKeysMax);
  if (compares.length === 0) return undefined;
  return { compares, ops: compares.map(({ key }) => ({ kind: 'delete', key })) };
}

/** Why a transaction is too large to be proposed, or undefined. */
export function sizeProblem(txn: Txn, entry: Entry): string | undefined {
  const bytes = entryBytes(entry);
  if (bytes > txnBytesMax) return `the transaction has ${bytes} bytes, more than ${txnBytesMax}`;
  if (txn.ops.length > txnOpsMax) return `the transaction has ${txn.ops.length} operations, more than ${txnOpsMax}`;
  const long = txn.ops.find((op) => op.key.length > keyBytesMax);
  return long === undefined ? undefined : `a key has ${long.key.length} bytes, more than ${keyBytesMax}`;
}
