import { type AdmissionRequest, type AdmissionStep, ApiError, textAt } from '../api/index.js';
import type { World } from '../base/index.js';

export type LimitType = 'Server' | 'Namespace' | 'User' | 'SourceAndObject';

/** One limit of an EventRateLimit configuration. */
export interface EventLimit {
  readonly type: LimitType;
  /** Events per second. */
  readonly qps: number;
  readonly burst: number;
  /** The maximum number of buckets. The least recently used one is evicted. */
  readonly cacheSize: number;
}

export const DEFAULT_CACHE_SIZE = 4096;

/** Limits the rate of events by server, namespace, user, or source and object. */
export function eventRateLimitStep(world: World, limits: readonly EventLimit[]): AdmissionStep {
  const enforcers = limits.map((limit) => new Enforcer(world, limit));
  return {
    name: 'EventRateLimit',
    validate: (request) => {
      const { groupResource, operation, subresource } = request;
      if (groupResource.resource !== 'events' || !['', 'events.k8s.io'].includes(groupResource.group)) return;
      if (subresource !== '' || (operation !== 'create' && operation !== 'update') || request.dryRun) return;
      // Every limit is charged, even if an earlier one rejects the event.
      const refused = enforcers.flatMap((e) => e.accept(request) ?? []);
      if (refused.length > 0) throw limited(refused.length === 1 ? refused[0]! : `[${refused.join(', ')}]`);
    },
  };
}

const limited = (why: string): ApiError => new ApiError(429, 'TooManyRequests', why);

interface Bucket {
  tokens: number;
  /** Milliseconds on the monotonic clock. */
  filled: number;
}

class Enforcer {
  readonly #world: World;
  readonly #limit: EventLimit;
  readonly #buckets = new Map<string, Bucket>();

  constructor(world: World, limit: EventLimit) {
    this.#world = world;
    this.#limit = limit;
  }

  /** Takes a token, or returns the error if there is none. */
  accept(request: AdmissionRequest): string | undefined {
    const key = keyOf(this.#limit.type, request);
    const now = this.#world.clock.monotonic();
    const { qps, burst, type, cacheSize } = this.#limit;
    const bucket = this.#buckets.get(key) ?? { tokens: burst, filled: now };
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filled) / 1000) * qps);
    bucket.filled = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > cacheSize)
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    if (bucket.tokens < 1) return `limit reached on type ${type} for key ${key}`;
    bucket.tokens--;
    return undefined;
  }
}

function keyOf(type: LimitType, { namespace, user, object }: AdmissionRequest): string {
  switch (type) {
    case 'Server':
      return '';
    case 'Namespace':
      return namespace;
    case 'User':
      return user.name;
    case 'SourceAndObject': {
      const involved = (field: string): string => textAt(object, 'involvedObject', field);
      const source = textAt(object, 'source', 'component') + textAt(object, 'source', 'host');
      return source + ['kind', 'namespace', 'name', 'uid', 'apiVersion'].map(involved).join('');
    }
  }
}
