import { ApiError, type JsonObject } from '../api/index.js';
import type { World } from '../base/index.js';
import { jsonText } from '../codec/index.js';
import type { Outbound } from './client.js';
import { OutboundError } from './errors.js';
import { sendFollowing } from './redirect.js';
import { sendRepeatedly } from './repeat.js';
import { restError } from './rest.js';
import { decodeReview } from './review.js';
import type { OutboundRequest, OutboundResponse, OutboundTarget } from './target.js';

/** The address of the service. It is read at every call, so that changed files take effect. */
export type ReviewTarget = () => { readonly target: OutboundTarget; readonly path: string };

export interface ReviewClientParts {
  readonly world: World;
  readonly outbound: Outbound;
  readonly target: ReviewTarget;
  /** Milliseconds for one attempt. A response with Retry-After is asked for again within this time. */
  readonly timeout: number;
  /** Milliseconds before the second attempt; 500 by default. */
  readonly firstWait?: number;
}

export type CallResult = 'success' | 'timeout' | 'error';

/** Milliseconds before the second attempt; each further delay is longer by half, plus up to a fifth at random. */
const FIRST_WAIT = 500;
const WAIT_FACTOR = 1.5;
const WAIT_JITTER = 0.2;
const ATTEMPTS = 5;
/** Milliseconds after which no further attempt begins, because the waiting request has its own deadline. */
const PATIENCE = 30_000;
/** Limit of the response: a review is small. */
const BODY_BYTES_MAX = 1 << 20;

/** Posts reviews (TokenReview, SubjectAccessReview, ImageReview) to an external service, with the retry rules of kube-apiserver. */
export class ReviewClient {
  readonly #parts: ReviewClientParts;

  constructor(parts: ReviewClientParts) {
    this.#parts = parts;
  }

  /**
   * Sends a review and returns the response. Attempts that fail for a temporary reason are repeated. `observe` is
   * called after each attempt with its time in seconds. Throws the error of the last attempt.
   */
  async post(
    review: JsonObject,
    observe: (result: CallResult, seconds: number) => void = () => {},
  ): Promise<JsonObject> {
    const { clock, random, timers } = this.#parts.world;
    const started = clock.monotonic();
    let wait = this.#parts.firstWait ?? FIRST_WAIT;
    for (let attempt = 1; ; attempt++) {
      const began = clock.monotonic();
      const seconds = (): number => (clock.monotonic() - began) / 1000;
      try {
        const found = await this.#once(review);
        observe('success', seconds());
        return found;
      } catch (error) {
        observe(isTimeout(error) ? 'timeout' : 'error', seconds());
        if (attempt === ATTEMPTS || !mayPass(error) || clock.monotonic() - started > PATIENCE) throw error;
        const pause = wait * (1 + random.float() * WAIT_JITTER);
        await new Promise<void>((resolve) => void timers.after(pause, resolve));
        wait *= WAIT_FACTOR;
      }
    }
  }

  async #once(review: JsonObject): Promise<JsonObject> {
    const { world, outbound, timeout } = this.#parts;
    const { target, path } = this.#parts.target();
    const send = (r: OutboundRequest): Promise<OutboundResponse> => sendFollowing({ world, outbound }, target, r);
    const request: OutboundRequest = {
      method: 'POST',
      path: pathWithTimeout(path, timeout),
      headers: { accept: 'application/json, */*', 'content-type': 'application/json' },
      body: Buffer.from(`${jsonText(review)}\n`),
      timeout,
      bodyBytesMax: BODY_BYTES_MAX,
    };
    const url = target.origin + request.path;
    const response = await sendRepeatedly({ world, send, url }, request);
    const problem = restError(response);
    if (problem !== undefined) throw problem;
    const [group = '', version = ''] = String(review['apiVersion']).split('/');
    return decodeReview({ group, version, kind: String(review['kind']), versions: ['v1', 'v1beta1'] }, response);
  }
}

function isTimeout(error: unknown): boolean {
  if (error instanceof OutboundError) return error.phase === 'timeout';
  return error instanceof ApiError && error.status.code === 504;
}

/** Connections that were reset, 429, 500, 504, and responses with Retry-After. */
function mayPass(error: unknown): boolean {
  if (error instanceof OutboundError) return error.phase === 'exchange' && error.reason.includes('connection reset');
  if (!(error instanceof ApiError)) return false;
  const { code, details } = error.status;
  return code === 429 || code === 500 || code === 504 || (details?.retryAfterSeconds ?? 0) > 0;
}

/** The path of a call that states its timeout (milliseconds), as clients of Kubernetes do. */
export const pathWithTimeout = (path: string, timeout: number): string =>
  `${path === '' ? '/' : path}${path.includes('?') ? '&' : '?'}timeout=${timeout / 1000}s`;
