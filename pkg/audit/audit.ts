import type { RequestAttributes, UserInfo } from '../api/index.js';
import type { Backend } from './backend.js';
import type { AuditRecord } from './event.js';
import type { AuditMetrics } from './metrics.js';
import type { Decision, Policy, Stage } from './policy.js';
import type { Json } from './text.js';

/** The audit of a server: events selected by the policy are sent to every backend. */
export class Auditor {
  readonly #policy: Policy;
  readonly #backends: readonly Backend[];
  readonly metrics: AuditMetrics;
  /** As `Backend.overlaps`, of all backends. */
  readonly overlaps: boolean;

  constructor(policy: Policy, backends: readonly Backend[], metrics: AuditMetrics) {
    this.#policy = policy;
    this.#backends = backends;
    this.overlaps = backends.every((b) => b.overlaps);
    this.metrics = metrics;
  }

  /** Decides what is recorded of a request; undefined: nothing. */
  decide(user: UserInfo, attributes: RequestAttributes): Decision | undefined {
    const decision = this.#policy.decide(user, attributes);
    this.metrics.level(decision.level);
    return decision.level === 'None' ? undefined : decision;
  }

  /**
   * Sends the event of a stage. Returns a promise only in the blocking modes: it resolves when the event was recorded,
   * or to false if it could not be recorded in the strict mode.
   */
  stage(record: AuditRecord, stage: Stage, elapsedMs: number, annotations: Json): undefined | Promise<boolean> {
    if (record.decision.omits.has(stage)) return undefined;
    this.metrics.event.value++;
    const event = record.event(stage, elapsedMs, annotations);
    let recorded: Promise<boolean> | undefined;
    for (const backend of this.#backends) {
      const one = backend.process(event);
      recorded = recorded === undefined || one === undefined ? (recorded ?? one) : both(recorded, one);
    }
    return recorded;
  }

  async close(): Promise<void> {
    await Promise.all(this.#backends.map((b) => b.close()));
  }
}

async function both(one: Promise<boolean>, other: Promise<boolean>): Promise<boolean> {
  const [first, second] = await Promise.all([one, other]);
  return first && second;
}
