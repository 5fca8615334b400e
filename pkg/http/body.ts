import { errors } from '../api/index.js';
import type { Call } from './call.js';
import { limits } from './limits.js';
import type { ResourceRequest } from './resources.js';
import type { HttpServices } from './services.js';

/** `readBody` for a resource that is stored here: its size is counted. */
export async function readResourceBody({ call }: ResourceRequest, { stages }: HttpServices): Promise<Buffer> {
  const bytes = await readBody(call);
  stages.counter.bodyRead(call, bytes.length);
  return bytes;
}

/**
 * Reads the whole body of a request. Throws 413 when it is too large, and 400 when it takes too long; the connection is then
 * closed.
 */
export function readBody(call: Call): Promise<Buffer> {
  const { exchange } = call;
  const length = exchange.headers['content-length'];
  const declared = length === undefined ? -1 : Number(length);
  if (declared === 0) return Promise.resolve(EMPTY);
  if (declared > limits.bodyBytesMax) return Promise.reject(tooLarge());
  if (declared > limits.smallBodyBytes && !call.bodies.hasRoom(declared)) return Promise.reject(noRoom());
  // The client disconnected while the request was queued.
  if (exchange.gone) return Promise.reject(endedEarly());
  exchange.bodyWanted();
  const { body } = exchange;
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let size = 0;
    let pieces = 0;
    const cancel = call.timers.after(limits.bodyTime, () =>
      finish(errors.badRequest('the request body did not arrive in time')),
    );
    const onData = (piece: Buffer): void => {
      size += piece.length;
      if (++pieces > limits.bodyPiecesMax && size < pieces * limits.bodyPieceBytesMin) {
        finish(errors.badRequest('the request body arrives in too small pieces'));
        return;
      }
      if (size > limits.bodyBytesMax) {
        finish(tooLarge());
        return;
      }
      if (!holds(call, size)) {
        finish(noRoom());
        return;
      }
      if (first === undefined) first = piece;
      else if (rest === undefined) rest = [first, piece];
      else rest.push(piece);
      if (size === declared) finish(undefined);
    };
    const onEnd = (): void => finish(undefined);
    const onClose = (): void => finish(endedEarly());
    const finish = (error: Error | undefined): void => {
      cancel();
      body.off('data', onData);
      body.off('end', onEnd);
      body.off('close', onClose);
      if (size === declared) exchange.bodyTaken();
      if (error === undefined) resolve(rest === undefined ? (first ?? EMPTY) : Buffer.concat(rest, size));
      else {
        body.resume();
        reject(error);
      }
    };
    body.on('data', onData);
    body.on('end', onEnd);
    body.on('close', onClose);
  });
}

/** Counts a body of which `size` bytes have arrived. Returns whether the budget allows it. */
function holds(call: Call, size: number): boolean {
  if (size <= limits.smallBodyBytes) return true;
  if (!call.bodies.take(size - call.bodyBytesHeld)) return false;
  call.bodyBytesHeld = size;
  return true;
}

function noRoom(): Error {
  return errors.tooManyRequests('too many large request bodies, please try again later', limits.retryAfterSeconds);
}

const EMPTY = Buffer.alloc(0);

function endedEarly(): Error {
  return errors.badRequest('the request body ended early');
}

function tooLarge(): Error {
  return errors.tooLarge(`Request entity too large: limit is ${limits.bodyBytesMax}`);
}
