import { Session } from 'node:inspector/promises';

/**
 * Counts the work of a function by the code that runs: how often each block of JavaScript is executed, summed. Unlike time the count
 * does not depend on the machine, on what else it does, or on how far V8 has optimized the code. The work of built-in functions, such
 * as `Array.prototype.includes`, is not in the count.
 */
export class ExecutedBlocks {
  readonly #session = new Session();

  private constructor() {
    this.#session.connect();
  }

  /** Calls `use` with a counter. Code runs slower meanwhile. */
  static async with<T>(use: (counter: ExecutedBlocks) => Promise<T>): Promise<T> {
    const counter = new ExecutedBlocks();
    try {
      await counter.#session.post('Profiler.enable');
      await counter.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
      return await use(counter);
    } finally {
      counter.#session.disconnect();
    }
  }

  /** The number of blocks that are executed from the call of `work` until it returns or resolves. */
  async during(work: () => void | Promise<void>): Promise<number> {
    await this.#take();
    await work();
    return this.#take();
  }

  /** The count since the last call. */
  async #take(): Promise<number> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    let blocks = 0;
    for (const script of result)
      for (const { ranges } of script.functions) for (const { count } of ranges) blocks += count;
    return blocks;
  }
}
