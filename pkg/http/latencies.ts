import { formatDuration } from '../api/index.js';
import type { Call } from './call.js';

const PREFIX = 'apiserver.latency.k8s.io/';
export type TimedCall = Pick<
  Call,
  'annotate' | 'authenticationTime' | 'authorizationTime' | 'impersonationTime' | 'verb' | 'waited' | 'webhookTimes'
>;

/** Milliseconds; as in kube-apiserver. */
const SLOW = 500;

/**
 * Adds to the last audit event of a slow request how long it took in total and in its stages. Watches have none. There are no times of
 * encoding and of etcd, which kube-apiserver adds: encoded objects are kept, and there is no etcd.
 */
export function annotateLatencies(call: TimedCall, total: number): void {
  if (total <= SLOW || call.verb === 'watch') return;
  const times: readonly (readonly [string, number])[] = [
    ['apf-queue-wait', call.waited],
    ['authentication', call.authenticationTime],
    ['authorization', call.authorizationTime],
    ['impersonation', call.impersonationTime],
    ...Object.entries(call.webhookTimes ?? {}),
    ['total', total],
  ];
  for (const [stage, milliseconds] of times)
    if (milliseconds > 0) call.annotate(PREFIX + stage, formatDuration(BigInt(Math.round(milliseconds * 1e6))));
}
