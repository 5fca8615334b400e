import type { JsonArray, JsonObject } from '../../../../api/index.js';
import type { TableDeclaration } from '../../../resource.js';
import { at, boolAt, numberAt, objectsAt, textAt } from '../../access.js';
import { AGE, age, column, since, table, wide } from '../../table.js';

const PODS: TableDeclaration = table(
  [
    column('Ready', 'Ready containers of all containers.'),
    column('Status', 'State of the pod in one word.'),
    column('Restarts', 'How often containers were restarted, and when last.'),
    AGE,
    wide('IP', 'Address of the pod.'),
    wide('Node', 'Node that runs the pod.'),
    wide('Nominated Node', 'Node on which the pod is to preempt others.'),
    wide('Readiness Gates', 'Gates that are true, of all gates.'),
  ],
  (o, now) => {
    const sum = summarize(o);
    const restarts =
      sum.restarts > 0 && sum.lastRestart !== ''
        ? `${sum.restarts} (${since(sum.lastRestart, now)} ago)`
        : String(sum.restarts);
    return [
      `${sum.ready}/${sum.total}`,
      sum.status,
      restarts,
      age(o, now),
      ip(o),
      textAt(o, 'spec', 'nodeName') || '<none>',
      textAt(o, 'status', 'nominatedNodeName') || '<none>',
      gates(o),
    ];
  },
);

/** The table for `kubectl get pods`: readiness, a one-word summary of the container states, and restarts. */
export const podTable: TableDeclaration = {
  ...PODS,
  conditions: (o) => COMPLETED.get(textAt(o, 'status', 'phase')),
};

const COMPLETED: ReadonlyMap<string, JsonArray> = new Map([
  ['Succeeded', [completed('Succeeded', 'The pod has completed successfully.')]],
  ['Failed', [completed('Failed', 'The pod failed.')]],
]);

function completed(reason: string, message: string): JsonObject {
  return { type: 'Completed', status: 'True', reason, message };
}

interface Summary {
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  readonly lastRestart: string;
  readonly status: string;
}

function summarize(o: JsonObject): Summary {
  const sidecars = new Set(
    objectsAt(o, 'spec', 'initContainers')
      .filter((c) => textAt(c, 'restartPolicy') === 'Always')
      .map((c) => textAt(c, 'name')),
  );
  const inits = objectsAt(o, 'status', 'initContainerStatuses');
  const containers = objectsAt(o, 'status', 'containerStatuses');
  let status = textAt(o, 'status', 'reason') || textAt(o, 'status', 'phase');
  if (
    objectsAt(o, 'status', 'conditions').some(
      (c) => textAt(c, 'type') === 'PodScheduled' && textAt(c, 'reason') === 'SchedulingGated',
    )
  )
    status = 'SchedulingGated';
  let total = objectsAt(o, 'spec', 'containers').length + sidecars.size;
  let ready = 0;
  let restarts = 0;
  let restartable = 0;
  let lastRestart = '';
  let lastRestartable = '';
  let initializing = false;
  for (const [i, c] of inits.entries()) {
    const count = numberAt(c, 'restartCount');
    restarts += count;
    lastRestart = later(lastRestart, textAt(c, 'lastState', 'terminated', 'finishedAt'));
    const isSidecar = sidecars.has(textAt(c, 'name'));
    if (isSidecar) {
      restartable += count;
      lastRestartable = later(lastRestartable, textAt(c, 'lastState', 'terminated', 'finishedAt'));
      if (boolAt(c, 'started')) {
        if (boolAt(c, 'ready')) ready++;
        continue;
      }
    }
    const terminated = at(c, 'state', 'terminated');
    if (terminated !== undefined) {
      if (numberAt(terminated, 'exitCode') === 0) continue;
      status = `Init:${textAt(terminated, 'reason') || exit(terminated)}`;
    } else {
      const waiting = textAt(c, 'state', 'waiting', 'reason');
      status =
        waiting !== '' && waiting !== 'PodInitializing'
          ? `Init:${waiting}`
          : `Init:${i}/${objectsAt(o, 'spec', 'initContainers').length}`;
    }
    initializing = true;
    break;
  }
  if (
    !initializing ||
    objectsAt(o, 'status', 'conditions').some(
      (c) => textAt(c, 'type') === 'Initialized' && textAt(c, 'status') === 'True',
    )
  ) {
    restarts = restartable;
    lastRestart = lastRestartable;
    let running = false;
    for (const c of [...containers].reverse()) {
      restarts += numberAt(c, 'restartCount');
      lastRestart = later(lastRestart, textAt(c, 'lastState', 'terminated', 'finishedAt'));
      const waiting = textAt(c, 'state', 'waiting', 'reason');
      const terminated = at(c, 'state', 'terminated');
      if (waiting !== '') status = waiting;
      else if (terminated !== undefined) status = textAt(terminated, 'reason') || exit(terminated);
      else if (boolAt(c, 'ready') && at(c, 'state', 'running') !== undefined) {
        running = true;
        ready++;
      }
    }
    if (status === 'Completed' && running) status = isReady(o) ? 'Running' : 'NotReady';
  }
  if (textAt(o, 'metadata', 'deletionTimestamp') !== '') {
    if (textAt(o, 'status', 'reason') === 'NodeLost') status = 'Unknown';
    else if (!['Failed', 'Succeeded'].includes(textAt(o, 'status', 'phase'))) status = 'Terminating';
  }
  total = Math.max(total, 0);
  return { ready, total, restarts, lastRestart, status };
}

function exit(terminated: ReturnType<typeof at>): string {
  const signal = numberAt(terminated, 'signal');
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, 'exitCode')}`;
}

const later = (a: string, b: string): string => (a === '' || (b !== '' && Date.parse(b) > Date.parse(a)) ? b : a);

function isReady(o: JsonObject): boolean {
  return objectsAt(o, 'status', 'conditions').some(
    (c) => textAt(c, 'type') === 'Ready' && textAt(c, 'status') === 'True',
  );
}

function ip(o: JsonObject): string {
  return textAt(objectsAt(o, 'status', 'podIPs')[0], 'ip') || textAt(o, 'status', 'podIP') || '<none>';
}

function gates(o: JsonObject): string {
  const wanted = objectsAt(o, 'spec', 'readinessGates').map((g) => textAt(g, 'conditionType'));
  if (wanted.length === 0) return '<none>';
  const conditions = objectsAt(o, 'status', 'conditions');
  const met = wanted.filter((type) =>
    conditions.some((c) => textAt(c, 'type') === type && textAt(c, 'status') === 'True'),
  );
  return `${met.length}/${wanted.length}`;
}
