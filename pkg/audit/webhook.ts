import type { World } from '../base/index.js';
import type { Sender } from './backend.js';
import { type AuditEvent, EVENT_HEAD } from './event.js';
import type { AuditMetrics } from './metrics.js';

/** Posts a body to the webhook. Rejects unless the response is a success. */
export type Post = (body: Buffer) => Promise<void>;

const PLUGIN = 'webhook';
const ATTEMPTS = 5;
const FACTOR = 1.5;
const JITTER = 0.2;

export interface WebhookParts {
  readonly world: World;
  readonly metrics: AuditMetrics;
  /** Milliseconds before the first retry. */
  readonly initialBackoff: number;
  /** Called when a batch is dropped after all retries. */
  readonly failed: (error: Error, events: readonly AuditEvent[]) => void;
}

/** Sends batches as EventLists. Every error is retried, with growing delays; then the batch is dropped and counted. */
export function webhookSender(post: Post, { world, metrics, initialBackoff, failed }: WebhookParts): Sender {
  return async (events) => {
    // The items of a list have no type of their own.
    const items = events.map(({ json }) => `{${json.slice(EVENT_HEAD.length)}`);
    const body = Buffer.from(
      `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items.join(',')}]}\n`,
    );
    let pause = initialBackoff;
    for (let attempt = 1; ; attempt++) {
      try {
        await post(body);
        return true;
      } catch (error) {
        if (attempt === ATTEMPTS) {
          metrics.failed(PLUGIN, events.length);
          failed(error as Error, events);
          return false;
        }
      }
      const jittered = pause * (1 + world.random.float() * JITTER);
      await new Promise<void>((resolve) => void world.timers.after(jittered, resolve));
      pause *= FACTOR;
    }
  };
}
