import type { Controller } from './controller.js';

type Log = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** Whether `--controllers` enables a controller: by name, or by `*` without `-name`. */
export function isWanted(name: string, wanted: readonly string[]): boolean {
  let star = false;
  for (const w of wanted) {
    if (w === name) return true;
    if (w === `-${name}`) return false;
    if (w === '*') star = true;
  }
  return star;
}

/** Names in `--controllers` that no controller has. */
export function unknownControllers(wanted: readonly string[], known: readonly string[]): readonly string[] {
  return wanted.filter((w) => w !== '*' && !known.includes(w.replace(/^-/, '')));
}

/** Runs the controllers while this peer leads. */
export class ControllerManager {
  readonly #make: () => readonly Controller[];
  readonly #log: Log;
  #running: readonly Controller[] = [];
  #leading = false;

  /** `make` returns new controllers for each term of leadership; no state is carried over. */
  constructor(make: () => readonly Controller[], wanted: readonly string[], log: Log) {
    this.#make = () => make().filter((c) => isWanted(c.name, wanted));
    this.#log = log;
  }

  get running(): readonly Controller[] {
    return this.#running;
  }

  /** Called on a change of leadership. A repeated value has no effect. */
  lead(leading: boolean): void {
    if (leading === this.#leading) return;
    this.#leading = leading;
    if (!leading) {
      this.stop();
      return;
    }
    this.#running = this.#make();
    for (const c of this.#running) {
      c.start().catch((error: unknown) => {
        this.#log('could not start a controller', { controller: c.name, error: String(error) });
      });
    }
  }

  stop(): void {
    for (const c of this.#running) c.stop();
    this.#running = [];
    this.#leading = false;
  }
}
