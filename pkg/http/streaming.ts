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
      const cancel = this.#call.timers.after(limits.stalledTime, () => resolve(false));
      this.#wake = (ok) => {
        cancel();
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
export function copyPieces(
  call: Call,
  answer: AnswerStream,
  pieces: Iterable<Buffer, void, boolean | undefined>,
): Promise<void> {
  const { exchange } = call;
  const source = pieces[Symbol.iterator]();
  let pace: Pace | undefined;
  // Drained means written: the memory of the last piece may be used for the next.
  let drained = false;
  return new Promise((resolve, reject) => {
    /** Writes the next piece. False: nothing more for now, somebody else goes on. */
    const one = (): boolean => {
      const step = source.next(drained);
      if (step.done === true) {
        answer.end();
        resolve();
        return false;
      }
      const piece = step.value;
      call.bytes += piece.length;
      drained = false;
      if (piece.length === 0 || answer.write(piece)) return true;
      pace ??= new Pace(call, answer);
      void pace.drained().then(whenDrained);
      return false;
    };
    const go = (): void => {
      try {
        do {
          if (exchange.gone) {
            resolve();
            return;
          }
          if (!one()) return;
        } while (!call.scheduler.spent());
        call.scheduler.later(go);
      } catch (error) {
        reject(error);
      }
    };
    const begin = (): void => {
      if (call.scheduler.spent()) call.scheduler.later(go);
      else go();
    };
    const whenDrained = (hasRoom: boolean): void => {
      drained = true;
      if (hasRoom) {
        begin();
        return;
      }
      if (!exchange.gone) exchange.abort();
      resolve();
    };
    begin();
  });
}
