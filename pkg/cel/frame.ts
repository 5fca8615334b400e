import { finish, type Steps } from '../base/index.js';
import { Suspended } from './suspended.js';
import type { Value } from './values.js';

/** Values of variables by name. Undefined is a variable that the caller did not set. */
export type Variables = (name: string) => Value | undefined;

export interface Outcome {
  readonly value: Value;
  /** Cost units used. */
  readonly cost: number;
}

/** Lets other work run during a long evaluation. */
export interface Pace {
  /** Whether the time slice is used up. */
  spent(): boolean;
  /** Resolves when the evaluation may continue. */
  yield(): Promise<void>;
}

/** Thrown when an expression used up its cost limit. Only `Execution.run` catches it. */
export class CostExceeded extends Error {}

/** The state of a loop that was interrupted, at the beginning of an iteration. */
export interface LoopState {
  readonly over: Value;
  readonly next: number;
  readonly accumulator: Value;
  readonly cost: number;
}

/** The cost between two checks whether the time slice is used up: about 0.1 ms. */
const PIECE = 1000;
/** Loops that cost more keep their result if a later loop is interrupted; cheaper ones run again. */
const KEPT_COST = 5000;

/**
 * The state of one evaluation. An interrupted evaluation starts again later: expressions have no side effects, so
 * everything before a loop is computed again, and each interrupted loop continues at its saved iteration.
 */
export class Frame {
  readonly variables: Variables;
  readonly slots: Value[];
  cost = 0;
  /** A loop that reaches this cost checks whether the time slice is used up. */
  checkAt: number;
  readonly #limit: number;
  readonly #pace: Pace | undefined;
  #interrupted: Map<number, LoopState> | undefined;
  #finished: Map<number, Outcome> | undefined;
  /** Long calls that were begun, by their function and each of their arguments. */
  #calls: CallTree | undefined;

  constructor(variables: Variables, slots: number, limit: number, pace?: Pace) {
    this.variables = variables;
    this.slots = new Array<Value>(slots).fill(null);
    this.#limit = limit;
    this.#pace = pace;
    this.checkAt = pace === undefined ? Number.POSITIVE_INFINITY : PIECE;
  }

  spend(cost: number): void {
    this.cost += cost;
    if (this.cost > this.#limit) throw new CostExceeded();
  }

  /** Throws Suspended if the time slice is used up. */
  pause(): void {
    const pace = this.#pace!;
    if (pace.spent()) throw new Suspended(pace.yield());
    this.checkAt = this.cost + PIECE;
  }

  interrupt(loop: number, state: LoopState): void {
    this.#interrupted ??= new Map();
    this.#interrupted.set(loop, state);
  }

  /** Returns the state in which the loop was interrupted, once. */
  resume(loop: number): LoopState | undefined {
    const state = this.#interrupted?.get(loop);
    if (state === undefined) return undefined;
    this.#interrupted!.delete(loop);
    this.cost = state.cost;
    this.checkAt = state.cost + PIECE;
    return state;
  }

  /** Makes a call in steps. If the evaluation is interrupted in it, it continues there; its result is kept. */
  complete(name: string, args: readonly Value[], begin: (args: readonly Value[]) => Steps<Value>): Value {
    if (this.#pace === undefined) return finish(begin(args));
    this.#calls ??= newTree();
    let at = this.#calls;
    for (const key of [name, ...args]) {
      const next = at.below.get(key) ?? newTree();
      at.below.set(key, next);
      at = next;
    }
    at.call ??= { steps: begin(args), value: undefined };
    const { call } = at;
    while (call.value === undefined) {
      const step = call.steps.next();
      if (step.done === true) call.value = step.value;
      else if (this.#pace.spent()) throw new Suspended(this.#pace.yield());
    }
    return call.value;
  }

  /** Saves the result of a loop that began at `since` cost units. */
  finish(loop: number, value: Value, since: number): void {
    if (this.#pace === undefined || this.cost - since < KEPT_COST) return;
    this.#finished ??= new Map();
    this.#finished.set(loop, { value, cost: this.cost });
  }

  finished(loop: number): Outcome | undefined {
    return this.#finished?.get(loop);
  }

  /** Drops the results of loops inside another one when that begins its next iteration. */
  forget(from: number, to: number): void {
    if (this.#finished === undefined) return;
    for (const loop of this.#finished.keys()) if (loop >= from && loop < to) this.#finished.delete(loop);
  }
}

interface CallTree {
  readonly below: Map<Value, CallTree>;
  call: { readonly steps: Steps<Value>; value: Value | undefined } | undefined;
}

const newTree = (): CallTree => ({ below: new Map(), call: undefined });

export type Step = (f: Frame) => Value;
