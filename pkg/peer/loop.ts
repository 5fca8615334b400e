import type { Configuration, Entry, MemoryLog, Message, RaftNode, SoftState, Write } from '../../raft/index.js';
import type { Journal } from './journal.js';
import type { Reads } from './reads.js';

/** What the loop drives. */
export interface LoopParts {
  readonly raft: RaftNode;
  /** The entries that the journal holds, at hand. */
  readonly tail: MemoryLog;
  readonly journal: Journal;
  readonly reads: Reads;
  send(messages: readonly Message[]): void;
  /** Lets go of all that was sent in this turn. */
  flush(): void;
  /** Takes committed entries to apply, in order; calls `raft.applied` and `poke` when they are. */
  apply(entries: readonly Entry[]): void;
  /** Puts the snapshot that a write stands on in the place of the state, before and after that write is durable. */
  install(write: Write, persist: () => Promise<void>): Promise<void>;
  roleChanged(state: SoftState): void;
  membersChanged(config: Configuration): void;
  /** Something broke that must not break. The peer stops. */
  fail(error: unknown): void;
}

/**
 * The Ready loop: takes out of the consensus core what there is to do and hands it to whoever does it. Nothing in here
 * waits; what takes time reports back and pokes the loop again. So a slow disk delays what depends on it
 * (acknowledgements) and nothing else (heartbeats).
 */
export class ReadyLoop {
  readonly #parts: LoopParts;
  #scheduled = false;
  #stopped = false;
  /**
   * Set while a snapshot is being installed: writes that follow wait for it. It stays when that fails, and none of them is ever
   * written: they stand on the snapshot, and the log would begin with a gap that no start gets over.
   */
  #installing: Promise<void> | undefined;

  constructor(parts: LoopParts) {
    this.#parts = parts;
  }

  /**
   * Something came in. The loop runs when all sockets, ports and syncs of this turn of the event loop have said what they
   * have to say: then they share one write and one message to each peer.
   */
  poke(): void {
    if (this.#scheduled || this.#stopped) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      try {
        this.#run();
      } catch (error) {
        this.#parts.fail(error);
      }
    });
  }

  #run(): void {
    const parts = this.#parts;
    const { raft, reads } = parts;
    reads.flush();
    for (let ready = raft.ready(); ready !== undefined && !this.#stopped; ready = raft.ready()) {
      if (ready.softState !== undefined) parts.roleChanged(ready.softState);
      if (ready.config !== undefined) parts.membersChanged(ready.config);
      if (ready.messages.length > 0) parts.send(ready.messages);
      if (ready.write !== undefined) this.#persist(ready.write);
      if (ready.committed.length > 0) parts.apply(ready.committed);
      for (const outcome of ready.reads) reads.settled(outcome);
    }
    parts.flush();
  }

  #persist(write: Write): void {
    if (write.snapshot !== undefined || this.#installing !== undefined) {
      const mine = (this.#installing ?? Promise.resolve()).then(() => this.#persistInstalled(write));
      this.#installing = mine;
      mine.then(
        () => {
          if (this.#installing === mine) this.#installing = undefined;
        },
        (error) => this.#parts.fail(error),
      );
      return;
    }
    this.#parts.journal
      .append(write)
      .then(() => this.#persisted(write))
      .catch((error: unknown) => this.#parts.fail(error));
  }

  async #persistInstalled(write: Write): Promise<void> {
    const persist = (): Promise<void> => this.#parts.journal.append(write);
    if (write.snapshot === undefined) await persist();
    else await this.#parts.install(write, persist);
    this.#persisted(write);
  }

  #persisted(write: Write): void {
    if (this.#stopped) return;
    const { tail, raft } = this.#parts;
    if (write.snapshot !== undefined) tail.reset(write.snapshot);
    tail.append(write.entries);
    raft.persisted(write.number);
    this.poke();
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Resolves when no snapshot is being installed any more. Call it when stopped. */
  async settled(): Promise<void> {
    await this.#installing?.catch(() => undefined);
  }
}
