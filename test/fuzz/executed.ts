import { Session } from 'node:inspector/promises';

/**
 * Counts the work of a function by the code that runs: how often each block of JavaScript is executed, summed. Unlike time the count
 * does not depend on the machine, on what else it does, or on how far V8 has optimized the code. The work of built-in functions, such
 * as `Array.prototype.includes`, is not in the count.
 */
export class ExecutedBlocks {
  static #counter: Promise<ExecutedBlocks> | undefined;
  readonly #session = new Session();

  /**
   * Starts the counter, which runs until the process ends. There is one in a process: V8 does not count the functions that a first counter
   * has seen if a second one is started. Code runs slower meanwhile.
   */
  static counter(): Promise<ExecutedBlocks> {
    ExecutedBlocks.#counter ??= new ExecutedBlocks().#start();
    return ExecutedBlocks.#counter;
  }

  async #start(): Promise<this> {
    this.#session.connect();
    await this.#session.post('Profiler.enable');
    await this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    return this;
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
