export { Auditor } from './audit.js';
export {
  type Backend,
  BatchBackend,
  BlockingBackend,
  type Sender,
  type TruncateOptions,
  truncating,
} from './backend.js';
export type { BatchOptions } from './batches.js';
export { type AuditEvent, AuditRecord, type BodyMeta, type ObjectFacts, type RequestFacts } from './event.js';
export { type AuditOutput, LogBackend, type LogOptions, openLog } from './log.js';

export { AuditMetrics } from './metrics.js';
export { type Level, Policy, readPolicy, type Stage } from './policy.js';
export { type Post, webhookSender } from './webhook.js';
