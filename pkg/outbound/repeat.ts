import type { World } from '../base/index.js';
import { OutboundError } from './errors.js';
import { headerOf, type OutboundRequest, type OutboundResponse } from './target.js';

/** How often a request is sent again. */
export const REPEATS_MAX = 10;

export interface RepeatParts {
  readonly world: Pick<World, 'clock' | 'timers'>;
  readonly send: (request: OutboundRequest) => Promise<OutboundResponse>;
  /** The URL of the request, for errors. */
  readonly url: string;
}

/**
 * Sends a request by the rules of client-go: the response 429 or a server error with `Retry-After` in whole seconds asks for the request
 * again after that time. The timeout of the request is for each time that it is sent; `total` milliseconds are for all of it. Throws
 * `OutboundError`.
 */
export async function sendRepeatedly(
  { world, send, url }: RepeatParts,
  request: OutboundRequest,
  total = request.timeout,
): Promise<OutboundResponse> {
  const end = world.clock.monotonic() + total;
  for (let repeats = 0; ; repeats++) {
    const timeout = Math.min(request.timeout, Math.max(0, end - world.clock.monotonic()));
    const response = await send({ ...request, timeout });
    const wait = repeats < REPEATS_MAX ? waitOf(response) : undefined;
    if (wait === undefined) return response;
    const left = end - world.clock.monotonic();
    const isOver = await aborted(world, Math.min(wait, left), request.signal);
    const call = { method: request.method, url };
    if (isOver) throw new OutboundError('canceled', 'context canceled', call);
    if (wait >= left) throw new OutboundError('timeout', 'context deadline exceeded', call);
  }
}

/** Milliseconds; undefined if the response does not ask for another request. A time in the past is now. */
function waitOf(response: OutboundResponse): number | undefined {
  if (response.status !== 429 && response.status < 500) return undefined;
  const given = headerOf(response, 'retry-after');
  return /^[+-]?\d{1,18}$/.test(given) ? Math.max(0, Number(given)) * 1000 : undefined;
}

/** Waits, at most until the caller aborts; resolves to whether it did. */
function aborted({ timers }: RepeatParts['world'], wait: number, signal: AbortSignal | undefined): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(true);
  return new Promise((resolve) => {
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve(signal?.aborted === true);
    };
    const cancel = timers.after(wait, done);
    signal?.addEventListener('abort', done);
  });
}
