import type { Controller } from './controller.js';
import { CONTROLLERS, controllerName, DISABLED_BY_DEFAULT, ELSEWHERE } from './names.js';

type Log = (message: string, fields: Readonly<Record<string, unknown>>) => void;

/**
 * Reports whether `--controllers` enables a controller, with the rules of kube-controller-manager: the first of `name`
 * and `-name` decides, otherwise `*` enables all that are not disabled by default. `-*` disables `*`.
 */
export function isWanted(name: string, wanted: readonly string[]): boolean {
  for (const w of wanted.map(controllerName)) {
    if (w === name) return true;
    if (w === `-${name}`) return false;
  }
  return wanted.includes('*') && !wanted.includes('-*') && !DISABLED_BY_DEFAULT.has(name);
}

/** Entries of `--controllers` that are neither a controller of this server nor one of kube-controller-manager. */
export function unknownControllers(wanted: readonly string[]): readonly string[] {
  return wanted.filter((w) => {
    const name = controllerName(w).replace(/^-/, '');
    return name !== '*' && !CONTROLLERS.has(name) && !ELSEWHERE.has(name);
  });
}

/** Controllers that `--controllers` names and that only kube-controller-manager has. */
export function controllersElsewhere(wanted: readonly string[]): readonly string[] {
  return wanted.map(controllerName).filter((name) => ELSEWHERE.has(name));
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
