import { setImmediate } from 'node:timers/promises';
import type { Call } from './call.js';
import type { AnswerStream } from './exchange.js';
import { limits } from './limits.js';

/** Waits until the connection takes more. False: it took nothing for too long, or has gone. */
export class Pace {
  readonly #call: Call;
  #wake: ((go: boolean) => void) | undefined;

  constructor(call: Call, answer: AnswerStream) {
    this.#call = call;
    answer.onDrain(() => this.#wake?.(true));
    call.exchange.onClose(() => this.#wake?.(false));
  }

  async drained(): Promise<boolean> {
    if (this.#call.exchange.gone) return false;
    const go = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), limits.stalledTime);
      this.#wake = (ok) => {
        clearTimeout(timer);
        resolve(ok);
      };
    });
    this.#wake = undefined;
    return go;
  }
}

/**
 * Writes pieces at the pace of the connection, and gives way to other requests between them: a list of a hundred thousand
 * objects must not make anyone wait for it. An empty piece is such an occasion and nothing else.
 */
export async function copyPieces(
  call: Call,
  answer: AnswerStream,
  pieces: Iterable<Buffer, void, boolean | undefined>,
): Promise<void> {
  const { exchange } = call;
  let pace: Pace | undefined;
  let since = performance.now();
  const source = pieces[Symbol.iterator]();
  // Drained means written: the memory of the last piece may be used for the next.
  let drained = false;
  for (let step = source.next(); step.done !== true; step = source.next(drained)) {
    const piece = step.value;
    if (exchange.gone) return;
    call.bytes += piece.length;
    drained = false;
    if (piece.length > 0 && !answer.write(piece)) {
      pace ??= new Pace(call, answer);
      if (!(await pace.drained())) {
        if (!exchange.gone) exchange.abort();
        return;
      }
      drained = true;
      since = performance.now();
    } else if (performance.now() - since > limits.sliceTime) {
      await setImmediate();
      since = performance.now();
    }
  }
  answer.end();
}
