import type { Revision } from '../base/index.js';
import type { AppliedEvent, HistoryError, Keyspace, Watch } from '../storage/index.js';
import { cacheLimits } from './limits.js';
import { NotReadable } from './unreadable.js';
import type { GroupEvent } from './watchgroup.js';

export interface ReplayOptions {
  readonly keyspace: Keyspace;
  readonly start: string;
  readonly end: string;
  /** Frames the events of one revision that the watch selects. */
  readonly select: (event: AppliedEvent) => readonly GroupEvent[];
  /** Reports whether the log has all changes after this revision, so that history may end there. */
  readonly joins: (revision: Revision) => boolean;
  readonly wake: () => void;
}

/**
 * History for one cursor, read from the keyspace until the event log can take over. Reading ahead is bounded: at the bound the watch of the
 * keyspace is cancelled, and resumed at the same position when the cursor has taken the pending events.
 */
export class Replay {
  readonly pending: GroupEvent[] = [];
  /** Set when all events up to this revision are delivered or pending and the log has the later ones. */
  reached: Revision | undefined;
  /** Set when the start of the history was compacted: the oldest revision that can be read. */
  lost: Revision | undefined;
  readonly #options: ReplayOptions;
  #watch: Watch | undefined;
  #at: Revision;
  #bytes = 0;

  constructor(options: ReplayOptions, after: Revision) {
    this.#options = options;
    this.#at = after;
    this.#begin();
  }

  /** Resumes reading after a stop at the bound. The caller has taken all pending events. */
  resume(_delivered: Revision): void {
    this.#bytes = 0;
    if (this.#watch === undefined && this.reached === undefined && this.lost === undefined) this.#begin();
  }

  stop(): void {
    this.#watch?.cancel();
    this.#watch = undefined;
  }

  #begin(): void {
    const { keyspace, start, end } = this.#options;
    this.#watch = keyspace.watch(
      { start, end, after: this.#at, previous: true },
      {
        events: (batch) => this.#events(batch),
        progress: (revision) => this.#progress(revision),
        end: (why) => this.#end(why),
      },
    );
  }

  #events(batch: readonly AppliedEvent[]): void {
    if (this.#watch === undefined) return;
    for (const event of batch) {
      const selected = this.#selected(event);
      if (selected === undefined) break;
      for (const e of selected) {
        this.pending.push(e);
        this.#bytes += e.object.length;
      }
      this.#at = event.revision;
      if (this.#options.joins(this.#at)) {
        this.reached = this.#at;
        this.stop();
        break;
      }
      if (this.#bytes > cacheLimits.replayBytesMax) {
        this.stop();
        break;
      }
    }
    this.#options.wake();
  }

  /** History with an object that cannot be read is lost for the client, which then lists again. */
  #selected(event: AppliedEvent): readonly GroupEvent[] | undefined {
    try {
      return this.#options.select(event);
    } catch (error) {
      if (!(error instanceof NotReadable)) throw error;
      this.lost = event.revision;
      this.stop();
      return undefined;
    }
  }

  #progress(revision: Revision): void {
    if (this.#watch === undefined) return;
    this.#at = revision;
    if (!this.#options.joins(revision)) return;
    this.reached = revision;
    this.stop();
    this.#options.wake();
  }

  #end(why: HistoryError | { readonly kind: 'stopped'; readonly message: string }): void {
    this.#watch = undefined;
    this.lost = why.kind === 'compacted' ? why.oldest : this.#at;
    this.#options.wake();
  }
}
