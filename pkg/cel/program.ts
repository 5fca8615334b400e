import type { Expr } from './ast.js';
import type { Checked } from './checker.js';
import { Compiler } from './compiler.js';
import type { Environment } from './environment.js';
import { CostExceeded, Frame, type Outcome, type Pace, type Step, type Variables } from './frame.js';
import { fail } from './values.js';

/** An expression compiled to closures. It has no state: any number of evaluations may share it. */
export class Program {
  readonly #step: Step;
  readonly #slots: number;

  constructor(expr: Expr, checked: Checked, env: Environment) {
    const compiler = new Compiler(checked, env);
    this.#step = compiler.compile(expr);
    this.#slots = compiler.slots;
  }

  /** Evaluates without interruption. Beyond `costLimit` units the value is an error. */
  run(variables: Variables, costLimit: number = Number.POSITIVE_INFINITY): Outcome {
    return new Execution(this.#step, new Frame(variables, this.#slots, costLimit)).run();
  }

  /** Begins an evaluation that yields to other work. */
  begin(variables: Variables, costLimit: number, pace: Pace): Execution {
    return new Execution(this.#step, new Frame(variables, this.#slots, costLimit, pace));
  }
}

export class Execution {
  readonly #step: Step;
  readonly #frame: Frame;
  #outcome: Outcome | undefined;

  constructor(step: Step, frame: Frame) {
    this.#step = step;
    this.#frame = frame;
  }

  /**
   * Evaluates. Throws Suspended if a decision is pending or the time slice is used up: the caller waits and runs it
   * again. After the end, it returns the same outcome.
   */
  run(): Outcome {
    if (this.#outcome !== undefined) return this.#outcome;
    const frame = this.#frame;
    frame.cost = 0;
    try {
      this.#outcome = { value: this.#step(frame), cost: frame.cost };
    } catch (error) {
      if (!(error instanceof CostExceeded)) throw error;
      this.#outcome = { value: COST_EXCEEDED, cost: frame.cost };
    }
    return this.#outcome;
  }
}

export const COST_EXCEEDED = fail('operation cancelled: actual cost limit exceeded');
