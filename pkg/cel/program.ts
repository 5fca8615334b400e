import type { Steps } from '../base/index.js';
import type { Expr } from './ast.js';
import type { Checked } from './checker.js';
import { Compiler } from './compiler.js';
import type { Environment } from './environment.js';
import { CostExceeded, Frame, type Outcome, type Pace, type Step, type Variables } from './frame.js';
import { fail } from './values.js';
import { walk } from './walk.js';

/** An expression compiled to closures. It has no state: any number of evaluations may share it. */
export class Program {
  readonly #step: Step;
  readonly #slots: number;

  private constructor(step: Step, slots: number) {
    this.#step = step;
    this.#slots = slots;
  }

  /** Builds the program of a checked expression, in steps. Throws CompileFailure if a literal is invalid. */
  static *of(expr: Expr, checked: Checked, env: Environment): Steps<Program> {
    const compiler = new Compiler(checked, env);
    const step = yield* walk(expr, compiler);
    return new Program(step, compiler.slots);
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
      if (error instanceof CostExceeded) this.#outcome = { value: COST_EXCEEDED, cost: frame.cost };
      else if (isStackOverflow(error)) this.#outcome = { value: TOO_DEEP, cost: frame.cost };
      else throw error;
    }
    return this.#outcome;
  }
}

export const COST_EXCEEDED = fail('operation cancelled: actual cost limit exceeded');
const TOO_DEEP = fail('the expression nests too deeply to be evaluated');

/** Lists of long chains of operators in each other nest thousands of levels deep, and evaluate on the stack of the language. */
function isStackOverflow(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}
