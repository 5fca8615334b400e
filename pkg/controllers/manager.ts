import type { Controller } from './controller.js';

type Log = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/** True when `--controllers` names the controller, or names all and does not take it out. */
export function isWanted(name: string, wanted: readonly string[]): boolean {
  let star = false;
  for (const w of wanted) {
    if (w === name) return true;
    if (w === `-${name}`) return false;
    if (w === '*') star = true;
  }
  return star;
}

/** Names in `--controllers` that are no controller's. */
export function unknownControllers(wanted: readonly string[], known: readonly string[]): readonly string[] {
  return wanted.filter((w) => w !== '*' && !known.includes(w.replace(/^-/, '')));
}

/** Runs the controllers while this peer leads. */
export class ControllerManager {
  readonly #make: () => readonly Controller[];
  readonly #log: Log;
  #running: readonly Controller[] = [];
  #leading = false;

  /** `make` gives fresh controllers for each term of leadership: none carries state over from an earlier one. */
  constructor(make: () => readonly Controller[], wanted: readonly string[], log: Log) {
    this.#make = () => make().filter((c) => isWanted(c.name, wanted));
    this.#log = log;
  }

  get running(): readonly Controller[] {
    return this.#running;
  }

  /** Called when leadership comes or goes; the same answer again does nothing. */
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
        this.#log('a controller could not start', { controller: c.name, error: String(error) });
      });
    }
  }

  stop(): void {
    for (const c of this.#running) c.stop();
    this.#running = [];
    this.#leading = false;
  }
}
