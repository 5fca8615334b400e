import { formatTime, type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../../api/index.js';
import { conditionOf } from '../conditions.js';
import { metaOf } from '../meta.js';
import { isDeleting } from '../pods.js';
import { devicesOf, evictionOf, selects, type TaintSources } from './taints.js';

const TYPE = 'EvictionInProgress';

export interface RuleView {
  /** Allocated claims. */
  readonly claims: readonly JsonObject[];
  readonly sources: TaintSources;
  pod(namespace: string, name: string): JsonObject | undefined;
}

/** The status of a DeviceTaintRule, with the message of kube-controller-manager; undefined if it is up to date. */
export function ruleStatus(rule: JsonObject, view: RuleView, evicted: number, now: number): JsonObject | undefined {
  const old = conditionOf(rule, TYPE);
  const made = conditionFor(rule, view, evicted);
  const generation = numberAt(rule, 'metadata', 'generation');
  const same = (['status', 'reason', 'message'] as const).every((field) => textAt(old, field) === made[field]);
  if (old !== undefined && same && numberAt(old, 'observedGeneration') === generation) return undefined;
  // The effect that a rule would have is reported once.
  const said = textAt(old, 'reason') === 'NoEffect' && numberAt(old, 'observedGeneration') === generation;
  if (said && made.reason === 'NoEffect') return undefined;
  const condition: JsonObject = {
    type: TYPE,
    ...made,
    observedGeneration: generation,
    lastTransitionTime: formatTime(now),
  };
  const others = objectsAt(rule, 'status', 'conditions').filter((c) => c !== old);
  return { ...objectAt(rule, 'status'), conditions: [...others, condition] };
}

interface Said {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

function conditionFor(rule: JsonObject, view: RuleView, evicted: number): Said {
  const done = evicted === 0 ? '' : `${counted(evicted, 'pod')} evicted since starting the controller.`;
  const joined = (message: string): string => [message, done].filter((part) => part !== '').join(' ');
  switch (textAt(rule, 'spec', 'taint', 'effect')) {
    case 'NoExecute': {
      const { pods, namespaces } = pendingPods(rule, view);
      if (pods === 0) return { status: 'False', reason: evicted > 0 ? 'Completed' : 'NotStarted', message: joined('') };
      const need = `${counted(pods, 'pod')} ${pods === 1 ? 'needs' : 'need'} to be evicted in ${inNamespaces(namespaces)}.`;
      return { status: 'True', reason: 'PodsPendingEviction', message: joined(need) };
    }
    case 'None': {
      const evicting: JsonObject = {
        ...rule,
        spec: { ...objectAt(rule, 'spec'), taint: { ...objectAt(rule, 'spec', 'taint'), effect: 'NoExecute' } },
      };
      const sources = { ...view.sources, rules: [evicting] };
      const { pods, namespaces } = pendingPods(evicting, { ...view, sources });
      const { published, inUse } = selectedDevices(rule, view);
      const message =
        `${counted(published, 'published device')} selected. ${counted(inUse, 'allocated device')} selected. ` +
        `${counted(pods, 'pod')} would be evicted in ${inNamespaces(namespaces)} if the effect was NoExecute. ` +
        'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.';
      return { status: 'False', reason: 'NoEffect', message: joined(message) };
    }
    default:
      return {
        status: 'False',
        reason: 'OtherEffect',
        message: joined('Eviction only happens for the NoExecute effect.'),
      };
  }
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
const inNamespaces = (n: number): string => (n === 1 ? '1 namespace' : `${n} different namespaces`);

/** The pods that the rule evicts now, or when their tolerations end. */
function pendingPods(rule: JsonObject, { claims, sources, pod }: RuleView): { pods: number; namespaces: number } {
  const { uid } = metaOf(rule);
  const pods = new Set<string>();
  const namespaces = new Set<string>();
  for (const claim of claims) {
    if (evictionOf(claim, sources)?.rules.has(uid) !== true) continue;
    const { namespace } = metaOf(claim);
    for (const user of objectsAt(claim, 'status', 'reservedFor')) {
      if (textAt(user, 'resource') !== 'pods') continue;
      const found = pod(namespace, textAt(user, 'name'));
      if (found === undefined || metaOf(found).uid !== textAt(user, 'uid') || isDeleting(found)) continue;
      if (textAt(found, 'spec', 'nodeName') === '') continue;
      pods.add(metaOf(found).uid);
      namespaces.add(namespace);
    }
  }
  return { pods: pods.size, namespaces: namespaces.size };
}

function selectedDevices(rule: JsonObject, { claims, sources }: RuleView): { published: number; inUse: number } {
  let published = 0;
  for (const slice of sources.slices) {
    const [driver, pool] = [textAt(slice, 'spec', 'driver'), textAt(slice, 'spec', 'pool', 'name')];
    for (const device of objectsAt(slice, 'spec', 'devices'))
      if (selects(rule, { driver, pool, device: textAt(device, 'name') })) published++;
  }
  const inUse = claims.flatMap(devicesOf).filter((device) => selects(rule, device)).length;
  return { published, inUse };
}
