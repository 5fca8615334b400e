import {
  compareText,
  type FieldErrors,
  type FieldPath,
  isHttpHeaderName,
  type JsonObject,
  type JsonValue,
  type Shaped,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, listAt, numberAt, objectsAt, textAt } from '../../../access.js';
import { nonNegative, oneOf, sentences } from '../../../rules.js';
import { targetPort } from '../../service/validation.js';

/** Validation of probes and lifecycle hooks. */

const PROBE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const;
const LIFECYCLE_HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'sleep'] as const;
type Handler = (typeof PROBE_HANDLERS)[number] | (typeof LIFECYCLE_HANDLERS)[number];

type Check = (handler: JsonValue, path: FieldPath, errors: FieldErrors, grace: number | undefined) => void;

const CHECKS: Readonly<Record<Handler, Check>> = {
  exec: (h, path, errors) => {
    if (listAt(h, 'command').length === 0) errors.required(path.child('command'));
  },
  httpGet: (h, path, errors) => {
    if (textAt(h, 'path') === '') errors.required(path.child('path'));
    targetPort(at(h, 'port'), path.child('port'), errors);
    oneOf(textAt(h, 'scheme'), path.child('scheme'), ['HTTP', 'HTTPS'], errors, false);
    for (const header of objectsAt(h, 'httpHeaders'))
      sentences(textAt(header, 'name'), isHttpHeaderName, path.child('httpHeaders'), errors);
  },
  tcpSocket: (h, path, errors) => targetPort(at(h, 'port'), path.child('port'), errors),
  grpc: (h, path, errors) => targetPort(numberAt(h, 'port'), path.child('port'), errors),
  sleep: (h, path, errors, grace) => {
    const seconds = numberAt(h, 'seconds');
    const limit = grace ?? 0;
    if (seconds < 0 || seconds > limit)
      errors.invalid(path, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${limit})`);
  },
};

function handler(
  owner: JsonObject,
  names: readonly Handler[],
  path: FieldPath<shapes.CoreV1LifecycleHandler | shapes.CoreV1Probe>,
  errors: FieldErrors,
  grace?: number,
): void {
  let first = true;
  for (const name of names) {
    const h = at(owner, name);
    if (h === undefined) continue;
    if (first) CHECKS[name](h, path.child(name), errors, grace);
    else errors.forbidden(path.child(name), 'may not specify more than 1 handler type');
    first = false;
  }
  if (first) errors.required(path, 'must specify a handler type');
}

/** The hooks and the stop signal of a container of a pod with this grace period and operating system. */
export function lifecycle(
  container: Shaped<shapes.CoreV1Container>,
  { grace, os }: { readonly grace: number | undefined; readonly os: string },
  path: FieldPath<shapes.CoreV1Container>,
  errors: FieldErrors,
): void {
  for (const hook of ['postStart', 'preStop'] as const) {
    const h = at(container, 'lifecycle', hook);
    if (h !== undefined) handler(h as JsonObject, LIFECYCLE_HANDLERS, path.child('lifecycle', hook), errors, grace);
  }
  const signal = at(container, 'lifecycle', 'stopSignal');
  if (signal === undefined || signal === null) return;
  const here = path.child('lifecycle', 'stopSignal');
  if (os === '') errors.forbidden(here, 'may not be set for containers with empty `spec.os.name`');
  else oneOf(String(signal), here, os === 'windows' ? WINDOWS_SIGNALS : LINUX_SIGNALS, errors, false);
}

const realTime = (from: string, sign: '+' | '-', count: number): string[] => [
  from,
  ...Array.from({ length: count }, (_, i) => `${from}${sign}${i + 1}`),
];

const WINDOWS_SIGNALS = ['SIGKILL', 'SIGTERM'];
const LINUX_SIGNALS = [
  ...['ABRT', 'ALRM', 'BUS', 'CHLD', 'CLD', 'CONT', 'FPE', 'HUP', 'ILL', 'INT', 'IO', 'IOT', 'KILL', 'PIPE', 'POLL'],
  ...['PROF', 'PWR', 'QUIT', 'SEGV', 'STKFLT', 'STOP', 'SYS', 'TERM', 'TRAP', 'TSTP', 'TTIN', 'TTOU', 'URG', 'USR1'],
  ...['USR2', 'VTALRM', 'WINCH', 'XCPU', 'XFSZ', ...realTime('RTMIN', '+', 15), ...realTime('RTMAX', '-', 14)],
]
  .map((name) => `SIG${name}`)
  .sort(compareText);

const COUNTS = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

export function probes(
  container: Shaped<shapes.CoreV1Container>,
  path: FieldPath<shapes.CoreV1Container>,
  errors: FieldErrors,
): void {
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    const p = at(container, name);
    if (p === undefined) continue;
    const here = path.child(name);
    handler(p as JsonObject, PROBE_HANDLERS, here, errors);
    for (const count of COUNTS) nonNegative(at(p, count), here.child(count), errors);
    const grace = at(p, 'terminationGracePeriodSeconds');
    if (typeof grace === 'number' && grace <= 0)
      errors.invalid(here.child('terminationGracePeriodSeconds'), grace, 'must be greater than 0');
    if (name === 'readinessProbe') {
      if (grace !== undefined)
        errors.invalid(here.child('terminationGracePeriodSeconds'), grace, 'must not be set for readinessProbes');
    } else if (numberAt(p, 'successThreshold') !== 1)
      errors.invalid(here.child('successThreshold'), numberAt(p, 'successThreshold'), 'must be 1');
  }
}
