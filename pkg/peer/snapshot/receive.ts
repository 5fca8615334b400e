import type { WireSnapshotAck, WireSnapshotBegin, WireSnapshotMeta, WireSnapshotPart } from '../../../proto/index.js';
import { type SnapshotMeta, type SnapshotRequest, toPeerId, toTerm, type Write } from '../../../raft/index.js';
import { InvariantError, type World } from '../../base/index.js';
import { crc32, type Engine, type EngineHome, installSnapshot, StoreError } from '../../storage/index.js';
import { type PeerMetrics, type PeerRules, SNAPSHOT_LIMITS, SPACE_LIMITS } from '../common/index.js';
import { isOutOfSpace, removeMarker, type SmallFiles, writeMarker } from '../durability/index.js';
import { metaFromWire } from '../network/index.js';
import { stallTimer } from './stall.js';

export interface ReceiverPorts {
  readonly world: World;
  readonly metrics: PeerMetrics;
  readonly home: EngineHome;
  readonly clusterId: string;
  readonly self: number;
  readonly rules: Pick<PeerRules, 'replacesSnapshots' | 'checksSnapshotIndex'>;
  /** Absent for a peer in memory. */
  readonly files: SmallFiles | undefined;
  /**
   * Steps the message into the core. Returns true if the core accepts the snapshot and will emit a write that installs
   * it.
   */
  offer(message: SnapshotRequest): boolean;
  /** Resolves when no entry is being applied to the old state. */
  quiesced(): Promise<void>;
  /**
   * Why there is no space for a snapshot. Called for each part, because a snapshot must not use up the space that the
   * current state needs.
   */
  noRoom(): string | undefined;
  /** An accepted snapshot, which can no longer be refused, starts or stops waiting for space to be installed. */
  waitsForRoom(waits: boolean): void;
  /** Continues with the engine of the new state. If that fails, the engine is closed. */
  replace(engine: Engine, snapshot: SnapshotMeta): Promise<void>;
}

/** A snapshot whose data is complete, waiting for the core to accept it. */
interface Offered {
  readonly meta: SnapshotMeta;
  giveUp(error: Error): void;
  /** Makes the data the current state; resolves with its engine. */
  adopt(): Promise<Engine>;
}

/** A stream that is being received. */
interface Incoming {
  readonly begin: WireSnapshotBegin;
  readonly abort: AbortController;
  /** Resolves when the stream has ended and its files are removed. */
  readonly ended: Promise<void>;
  /** The core has accepted it, so it can no longer be aborted. */
  accepted: boolean;
  /** Why this peer does not want it any more. The end of the stream is not a reason once the data is complete. */
  unwanted: Error | undefined;
}

/**
 * The receiver of snapshots. It fills a second engine while the peer continues with the first, offers the snapshot to
 * the core when the data is complete, and installs it when the core accepts it. One stream is received at a time; the
 * stream of a newer leader replaces that of an older one.
 */
export class SnapshotReceiver {
  readonly #ports: ReceiverPorts;
  #closed = false;
  #incoming: Incoming | undefined;
  #offered: Offered | undefined;
  /** Streams whose first part has not arrived. */
  readonly #greeting = new Set<AbortController>();

  constructor(ports: ReceiverPorts) {
    this.#ports = ports;
  }

  /**
   * Receives a stream to its end. Rejects if it is not for this peer, breaks or is damaged; the state is then
   * unchanged.
   */
  async receive(parts: AsyncIterable<WireSnapshotPart>, cancelled: AbortSignal): Promise<WireSnapshotAck> {
    if (this.#closed) throw new Error(CLOSED);
    const { metrics, world } = this.#ports;
    metrics.snapshotApplyInProgress++;
    const abort = new AbortController();
    const cancel = (): void => abort.abort(cancelled.reason);
    cancelled.addEventListener('abort', cancel);
    const stall = stallTimer(world, () => abort.abort(new Error('the snapshot makes no progress')));
    let done = (): void => {};
    try {
      const iterator = abortable(parts[Symbol.asyncIterator](), abort.signal);
      const begin = await this.#begin(iterator, abort);
      const ended = new Promise<void>((resolve) => {
        done = resolve;
      });
      const incoming: Incoming = { begin, abort, ended, accepted: false, unwanted: undefined };
      await this.#takePlace(incoming);
      const rest = { [Symbol.asyncIterator]: () => iterator };
      const installed = await this.#take(incoming, rest, stall.progressed);
      if (installed) metrics.snapshotsReceived++;
      return { installed, refused: '' };
    } catch (error) {
      metrics.snapshotReceiveFailures++;
      throw error;
    } finally {
      stall.stop();
      cancelled.removeEventListener('abort', cancel);
      metrics.snapshotApplyInProgress--;
      if (this.#incoming?.abort === abort) this.#incoming = undefined;
      done();
    }
  }

  /** Reads the header of the stream. */
  async #begin(iterator: AsyncIterator<WireSnapshotPart>, abort: AbortController): Promise<WireSnapshotBegin> {
    this.#greeting.add(abort);
    try {
      const first = await iterator.next();
      const begin = first.done === true ? null : first.value.begin;
      if (begin === null) throw new RangeError('a snapshot must begin with what it is');
      const { clusterId, self } = this.#ports;
      if (begin.clusterId !== clusterId || begin.to !== self) throw new Error('the snapshot is meant for another peer');
      return begin;
    } finally {
      this.#greeting.delete(abort);
    }
  }

  /**
   * Makes `incoming` the active stream. It replaces a stream of an older term, whose sender does not lead any more and
   * may never end it, and an earlier stream of the same leader, which opens a new one only after losing the old one.
   */
  async #takePlace(incoming: Incoming): Promise<void> {
    for (let current = this.#incoming; current !== undefined; current = this.#incoming) {
      const { from, term } = current.begin;
      const replaces = incoming.begin.term > term || (incoming.begin.term === term && incoming.begin.from === from);
      if (current.accepted || !replaces || !this.#ports.rules.replacesSnapshots)
        throw new Error('another snapshot is being received');
      giveUp(current, new Error('a newer snapshot has taken its place'));
      await current.ended;
      incoming.abort.signal.throwIfAborted();
    }
    if (this.#closed) throw new Error(CLOSED);
    this.#incoming = incoming;
  }

  async #take(incoming: Incoming, parts: AsyncIterable<WireSnapshotPart>, progressed: () => void): Promise<boolean> {
    const { home, rules } = this.#ports;
    const { begin, abort } = incoming;
    const before = this.#ports.noRoom();
    if (before !== undefined) throw new Error(before);
    const envelope = { from: toPeerId(begin.from), to: toPeerId(begin.to), term: toTerm(begin.term) };
    const stream = new CheckedStream(parts, () => {
      progressed();
      const meanwhile = this.#ports.noRoom();
      if (meanwhile !== undefined) throw new Error(`given up on its way: ${meanwhile}`);
    });
    let installed = false;
    const gated: EngineHome = {
      name: home.name,
      open: () => home.open(),
      sweep: () => home.sweep(),
      fresh: async () => {
        const fresh = await home.fresh();
        // Called when all data is received and synced.
        const adopt = async (): Promise<void> => {
          if (incoming.unwanted !== undefined) throw incoming.unwanted;
          const meta = metaFromWire(stream.meta);
          const message: SnapshotRequest = { kind: 'snapshot', ...envelope, snapshot: meta };
          installed = await this.#offer(incoming, meta, message, fresh.engine, () => fresh.adopt());
          if (!installed) throw new NotWanted();
        };
        return { engine: fresh.engine, adopt, discard: () => fresh.discard() };
      },
    };
    try {
      await installSnapshot({
        home: gated,
        chunks: stream.chunks(),
        signal: abort.signal,
        syncEvery: SNAPSHOT_LIMITS.syncEveryBytes,
        check: ({ applied }) => {
          const { index } = metaFromWire(stream.meta);
          if (applied !== index && rules.checksSnapshotIndex)
            throw new Error(`a snapshot of ${index} holds the state of ${applied}`);
        },
      });
    } catch (error) {
      if (!(error instanceof NotWanted)) throw error;
    }
    return installed;
  }

  /** Resolves when the snapshot is installed (true) or the core does not need it (false). */
  #offer(
    incoming: Incoming,
    meta: SnapshotMeta,
    message: SnapshotRequest,
    engine: Engine,
    adopt: () => Promise<void>,
  ): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#offered = {
        meta,
        giveUp: reject,
        adopt: async () => {
          try {
            await this.#roomOrRetry(adopt);
          } catch (error) {
            reject(error);
            throw error;
          }
          resolve(true);
          return engine;
        },
      };
      incoming.accepted = this.#ports.offer(message);
      if (incoming.accepted) return;
      this.#offered = undefined;
      resolve(false);
    });
  }

  /** Aborts streams, and a snapshot that was offered but is not being installed yet. */
  close(): void {
    this.#closed = true;
    for (const abort of this.#greeting) abort.abort(new Error(CLOSED));
    if (this.#incoming !== undefined) giveUp(this.#incoming, new Error(CLOSED));
    this.#offered?.giveUp(new Error(CLOSED));
    this.#offered = undefined;
  }

  /** Resolves when no stream is being received, and aborted ones are removed. */
  async settled(): Promise<void> {
    await this.#incoming?.ended;
  }

  /** Executes the write of the core that installs the offered snapshot. See `InstallMarker` for the order. */
  async install(write: Write, persist: () => Promise<void>): Promise<void> {
    const { snapshot, hardState } = write;
    const offered = this.#offered;
    this.#offered = undefined;
    if (snapshot === undefined || offered === undefined || offered.meta.index !== snapshot.index) {
      throw new InvariantError('the core installs a snapshot that this peer does not have');
    }
    const { files } = this.#ports;
    try {
      await this.#ports.quiesced();
      if (files !== undefined) await this.#roomOrRetry(() => writeMarker(files, { snapshot, hardState }));
    } catch (error) {
      offered.giveUp(error as Error);
      throw error;
    }
    const engine = await offered.adopt();
    try {
      await persist();
      if (files !== undefined) removeMarker(files);
    } catch (error) {
      await engine.close();
      throw error;
    }
    await this.#ports.replace(engine, snapshot);
  }

  /** The core has accepted the snapshot, so it must be installed. Each step can be retried until there is space. */
  async #roomOrRetry(step: () => void | Promise<void>): Promise<void> {
    for (let waits = false; ; waits = true) {
      try {
        await step();
        if (waits) this.#ports.waitsForRoom(false);
        return;
      } catch (error) {
        const full = isOutOfSpace(error) || (error instanceof StoreError && error.kind === 'noSpace');
        if (!full || this.#closed) throw error;
      }
      if (!waits) this.#ports.waitsForRoom(true);
      await new Promise<void>((resolve) => this.#ports.world.timers.after(SPACE_LIMITS.retryMs, resolve));
    }
  }
}

const CLOSED = 'this peer is closed';

function giveUp(incoming: Incoming, why: Error): void {
  incoming.unwanted = why;
  incoming.abort.abort(why);
}

/** Returns the same parts, but aborts waiting for a part when `signal` aborts. */
function abortable<T>(parts: AsyncIterator<T>, signal: AbortSignal): AsyncIterator<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
    if (signal.aborted) reject(signal.reason);
  });
  // The next call of `next` reports the error, if any.
  aborted.catch(() => {});
  return {
    next: () => Promise.race([aborted, parts.next()]),
    return: async () => {
      // Not awaited: it may wait for a part that never arrives.
      parts.return?.().catch(() => {});
      return { done: true, value: undefined };
    },
  };
}

class NotWanted extends Error {
  override readonly name = 'NotWanted';
}

class CheckedStream {
  readonly #parts: AsyncIterable<WireSnapshotPart>;
  readonly #progressed: () => void;
  /** The index and term of the snapshot, available when `chunks` has been read to its end. */
  meta: WireSnapshotMeta | null = null;

  constructor(parts: AsyncIterable<WireSnapshotPart>, progressed: () => void) {
    this.#parts = parts;
    this.#progressed = progressed;
  }

  /** Yields the bytes of the parts, each checked against the running checksum, up to the announced end. */
  async *chunks(): AsyncGenerator<Buffer> {
    let checksum = 0;
    let bytes = 0;
    for await (const part of this.#parts) {
      this.#progressed();
      if (part.end !== null) {
        if (part.end.bytes !== bytes)
          throw new Error(`the snapshot has ${bytes} bytes, ${part.end.bytes} were announced`);
        this.meta = part.end.meta;
        return;
      }
      checksum = crc32(part.data, checksum);
      if (checksum !== part.checksum) throw new Error('the snapshot was damaged on its way');
      bytes += part.data.length;
      yield Buffer.from(part.data.buffer, part.data.byteOffset, part.data.byteLength);
    }
    throw new Error('the snapshot ended before its end');
  }
}
