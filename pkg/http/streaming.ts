import { type Call, timed } from './call.js';
import type { AnswerStream } from './exchange.js';
import { limits } from './limits.js';

/** Waits until the connection drains. Resolves to false when the client read nothing for too long or has disconnected. */
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
 * Writes pieces as fast as the connection accepts them, and yields to other requests between them, so that a list of a
 * hundred thousand objects does not delay them. An empty piece only yields.
 */
export function copyPieces(
  call: Call,
  answer: AnswerStream,
  pieces: Iterable<Buffer, void, boolean | undefined>,
): Promise<void> {
  const { exchange } = call;
  const flow = call.user.name;
  const source = pieces[Symbol.iterator]();
  let pace: Pace | undefined;
  // After a drain the bytes are written, so the memory of the last piece may be reused.
  let drained = false;
  return new Promise((resolve, reject) => {
    /** Writes the next piece. Returns false when it must yield. */
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
      if (piece.length === 0 || timed(call, 'writingTime', () => answer.write(piece))) return true;
      const paced = pace ?? new Pace(call, answer);
      pace = paced;
      void timed(call, 'writingTime', () => paced.drained()).then(whenDrained);
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
        } while (!call.scheduler.spent(flow));
        call.scheduler.later(go, flow);
      } catch (error) {
        reject(error);
      }
    };
    const begin = (): void => {
      if (call.scheduler.spent(flow)) call.scheduler.later(go, flow);
      else {
        go();
        call.scheduler.settle();
      }
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
