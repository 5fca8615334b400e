import { formatDuration } from '../api/index.js';
import type { Call } from './call.js';

const PREFIX = 'apiserver.latency.k8s.io/';
export type TimedCall = Pick<
  Call,
  | 'annotate'
  | 'authenticationTime'
  | 'authorizationTime'
  | 'encodingTime'
  | 'impersonationTime'
  | 'verb'
  | 'waited'
  | 'webhookTimes'
  | 'writingTime'
>;

/** Milliseconds; as in kube-apiserver. */
const SLOW = 500;

/** Whether a request that took this many milliseconds has annotations about them. */
export const isSlow = (total: number): boolean => total > SLOW;

/**
 * Adds to the last audit event of a slow request how long it took in total and in its stages. Watches have none. There are no times of
 * etcd and of conversions, which kube-apiserver adds: there is no etcd, and encoded objects are kept. Its time of the encoding includes the
 * writing, and only objects, lists and Status have both.
 */
export function annotateLatencies(call: TimedCall, total: number): void {
  if (!isSlow(total) || call.verb === 'watch') return;
  const times: readonly (readonly [string, number])[] = [
    ['apf-queue-wait', call.waited],
    ['authentication', call.authenticationTime],
    ['authorization', call.authorizationTime],
    ['impersonation', call.impersonationTime],
    ...Object.entries(call.webhookTimes ?? {}),
    ['serialize-response-object', call.encodingTime],
    ['response-write', call.encodingTime > 0 ? call.writingTime : 0],
    ['total', total],
  ];
  for (const [stage, milliseconds] of times)
    if (milliseconds > 0) call.annotate(PREFIX + stage, formatDuration(BigInt(Math.round(milliseconds * 1e6))));
}
