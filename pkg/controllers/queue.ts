import type { World } from '../base/index.js';
import { Durations, type QueueCounts } from '../telemetry/index.js';

export interface QueueOptions {
  readonly world: World;
  /** How many keys are worked on at the same time. */
  readonly workers: number;
  /** Does the work of a key; throwing means "again, later". */
  readonly sync: (key: string) => Promise<void>;
  /** Told of each failure. */
  readonly failed: (key: string, error: unknown) => void;
}

const BACKOFF_FIRST_MILLISECONDS = 50;
const BACKOFF_MAX_MILLISECONDS = 60_000;

/**
 * Work by key, level-triggered: a key that is added while it waits is there once; a key that is added while it is worked on is
 * worked on again afterwards. A key that fails comes back with exponential backoff. Keys only gather until `start`.
 *
 * Bound: at most one entry a key, and keys are names of objects that exist or have just gone.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  /** Since when, on the monotonic clock. */
  readonly #waiting = new Map<string, number>();
  readonly #working = new Set<string>();
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
    return { depth, outstanding, adds: this.#adds, retries: this.#retries, waited: this.#waited, worked: this.#worked };
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

  /** Of several times the first counts. */
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

  /** Work begins. After `stop` this does nothing. */
  start(): void {
    this.#started = true;
    this.#pump();
  }

  /** Nothing new is begun; what is under way ends by itself. */
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
      this.#working.add(key);
      this.#waited.observe(this.#now() - since);
      void this.#work(key);
    }
  }

  async #work(key: string): Promise<void> {
    const began = this.#now();
    try {
      await this.#options.sync(key);
      this.#failures.delete(key);
    } catch (error) {
      const failures = (this.#failures.get(key) ?? 0) + 1;
      this.#failures.set(key, failures);
      this.#retries++;
      if (!this.#stopped) this.#options.failed(key, error);
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
