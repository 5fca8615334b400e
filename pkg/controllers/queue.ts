import { ApiError } from '../api/index.js';
import type { World } from '../base/index.js';
import { Durations, type QueueCounts } from '../telemetry/index.js';

export interface QueueOptions {
  readonly world: World;
  /** The number of keys processed concurrently. */
  readonly workers: number;
  /** Processes a key. When it throws, the key is retried with backoff. */
  readonly sync: (key: string) => Promise<void>;
  /** Called for each failure that is worth a line in the log: see `CONFLICTS_MAX`. */
  readonly failed: (key: string, error: unknown) => void;
}

const BACKOFF_FIRST_MILLISECONDS = 50;
const BACKOFF_MAX_MILLISECONDS = 60_000;

/**
 * Conflicts of a key in a row that are not reported. A conflict is normal: another writer was faster, and the retry begins with what
 * it wrote. A key that conflicts every time is not.
 */
const CONFLICTS_MAX = 5;

/**
 * A level-triggered queue of keys. A waiting key is queued once; a key that is added while it is processed is processed again
 * afterwards. A key that fails is retried with exponential backoff. Processing begins with `start`.
 *
 * The queue holds at most one entry for each key, and keys name objects that exist or were just deleted.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  /** The time when the key was added, on the monotonic clock. */
  readonly #waiting = new Map<string, number>();
  /** The time when the processing of the key began, on the monotonic clock. */
  readonly #working = new Map<string, number>();
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #timers = new Map<string, { readonly due: number; readonly cancel: () => void }>();
  readonly #waited = new Durations();
  readonly #worked = new Durations();
  #adds = 0;
  #retries = 0;
  #started = false;
  #stopped = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get counts(): QueueCounts {
    const depth = this.#waiting.size + this.#again.size;
    const outstanding = this.#waiting.size + this.#working.size + this.#timers.size;
    return {
      depth,
      outstanding,
      adds: this.#adds,
      retries: this.#retries,
      unfinished: this.#unfinished(),
      waited: this.#waited,
      worked: this.#worked,
    };
  }

  #unfinished(): QueueCounts['unfinished'] {
    const now = this.#now();
    const seconds = [...this.#working.values()].map((began) => now - began);
    return { total: seconds.reduce((sum, s) => sum + s, 0), longest: Math.max(0, ...seconds) };
  }

  add(key: string): void {
    if (this.#stopped) return;
    if (this.#working.has(key)) {
      if (!this.#again.has(key)) this.#adds++;
      this.#again.add(key);
    } else if (!this.#waiting.has(key)) {
      this.#adds++;
      this.#waiting.set(key, this.#now());
    }
    this.#pump();
  }

  /** Adds a key after a delay; the earliest of several times counts. */
  addAfter(key: string, milliseconds: number): void {
    if (this.#stopped) return;
    const due = this.#now() + milliseconds / 1000;
    const earlier = this.#timers.get(key);
    if (earlier !== undefined && earlier.due <= due) return;
    earlier?.cancel();
    const cancel = this.#options.world.timers.after(milliseconds, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { due, cancel });
  }

  /** Starts processing. Has no effect after `stop`. */
  start(): void {
    this.#started = true;
    this.#pump();
  }

  /** Starts no further work; work in progress completes. */
  stop(): void {
    this.#stopped = true;
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.clear();
    this.#again.clear();
  }

  #pump(): void {
    if (!this.#started) return;
    for (const [key, since] of this.#waiting) {
      if (this.#working.size >= this.#options.workers) return;
      this.#waiting.delete(key);
      const began = this.#now();
      this.#working.set(key, began);
      this.#waited.observe(began - since);
      void this.#work(key, began);
    }
  }

  async #work(key: string, began: number): Promise<void> {
    try {
      await this.#options.sync(key);
      this.#failures.delete(key);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#retries++;
      const normal = error instanceof ApiError && error.status.code === 409 && failures <= CONFLICTS_MAX;
      if (!this.#stopped && !normal) this.#options.failed(key, error);
      this.addAfter(key, Math.min(BACKOFF_FIRST_MILLISECONDS * 2 ** (failures - 1), BACKOFF_MAX_MILLISECONDS));
    }
    this.#worked.observe(this.#now() - began);
    this.#working.delete(key);
    if (this.#again.delete(key) && !this.#stopped) this.#waiting.set(key, this.#now());
    this.#pump();
  }

  /** Seconds. */
  #now(): number {
    return this.#options.world.clock.monotonic() / 1000;
  }
}
