import type { UserInfo } from '../api/index.js';
import { type AuditEvent, AuditRecord } from './event.js';
import type { AuditMetrics } from './metrics.js';

/** Parts of the tests of this room. */

export const USER: UserInfo = { name: 'jane', groups: ['devs', 'system:authenticated'] };
export const facts = (given: object = {}) => ({
  id: 'id-1',
  uri: '/api/v1/namespaces/default/pods?x="<y>"',
  verb: 'create',
  user: USER,
  sourceIps: ['127.0.0.1'],
  userAgent: 'agent/1',
  object: { group: '', version: 'v1', resource: 'pods', subresource: '', namespace: 'default', name: '' },
  received: 1_800_000_000_123.456,
  ...given,
});

export const record = (level: 'Metadata' | 'RequestResponse' = 'Metadata', given: object = {}): AuditRecord =>
  new AuditRecord({ level, omits: new Set(), omitManagedFields: false }, facts(given));

export const event = (text: string, truncated?: string): AuditEvent => ({
  json: text,
  write: (writer) => writer.json(text),
  legacy: () => text,
  truncated: () => (truncated === undefined ? undefined : event(truncated)),
});

export const errorsOf = (metrics: AuditMetrics): number =>
  metrics.families[1]!.get().values.reduce((n, v) => n + v.value, 0);
