import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/** Updates of stored workloads whose templates break a rule that is newer than they are. The answers are those of kube-apiserver 1.37. */

const LABELS = { a: 'b' };
const selector = { matchLabels: LABELS };
const container = (more: JsonObject = {}): JsonObject => ({
  name: 'c',
  image: 'i',
  resources: {},
  terminationMessagePath: '/dev/termination-log',
  terminationMessagePolicy: 'File',
  imagePullPolicy: 'Always',
  ...more,
});
const template = (spec: JsonObject = {}, annotations: JsonObject = {}): JsonObject => ({
  metadata: { labels: LABELS, annotations },
  spec: {
    containers: [container()],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...spec,
  },
});
const once = (t: JsonObject): JsonObject => ({ ...t, spec: { ...(t['spec'] as JsonObject), restartPolicy: 'Never' } });
const pages = { limits: { 'hugepages-2Mi': '3Mi', cpu: '1' }, requests: { 'hugepages-2Mi': '3Mi', cpu: '1' } };
const term = {
  topologyKey: 'z',
  labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-bad'] }] },
};

/** Templates that every kind keeps. */
const KEPT: Readonly<Record<string, JsonObject>> = {
  pages: template({ containers: [container({ resources: pages })] }),
  cost: template({}, { 'controller.kubernetes.io/pod-deletion-cost': 'x' }),
  affinity: template({ affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } }),
  users: template({ hostNetwork: true, hostUsers: false }),
};
/** Templates that only a StatefulSet keeps. */
const REFUSED: Readonly<Record<string, JsonObject>> = {
  env: template({ containers: [container({ env: [{ name: 'a=b', value: 'c' }] })] }),
  toleration: template({ tolerations: [{ key: 'a b', operator: 'Exists' }] }),
};
const ANNOTATED = template({}, { 'seccomp.security.alpha.kubernetes.io/pod': 'zzz' });

interface WorkloadKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly folder: string;
  readonly what: string;
  readonly spec: (t: JsonObject) => JsonObject;
  readonly change: JsonObject;
}

const kindOf = (apiVersion: string, kind: string, spec: WorkloadKind['spec'], change: JsonObject): WorkloadKind => {
  const plural = `${kind.toLowerCase()}s`;
  const folder = kind === 'ReplicationController' ? 'controllers' : plural;
  const group = apiVersion.includes('/') ? `.${apiVersion}` : '';
  return { apiVersion, kind, folder, what: `${plural}${group}`, spec, change };
};

const replicas = { replicas: 3 };
const job = (t: JsonObject): JsonObject => ({ template: once(t) });
const KINDS: readonly WorkloadKind[] = [
  kindOf(
    'apps/v1',
    'Deployment',
    (t) => ({ replicas: 1, selector, template: t, strategy: { type: 'Recreate' } }),
    replicas,
  ),
  kindOf('apps/v1', 'DaemonSet', (t) => ({ selector, template: t, updateStrategy: { type: 'OnDelete' } }), {
    revisionHistoryLimit: 3,
  }),
  kindOf(
    'apps/v1',
    'StatefulSet',
    (t) => ({ replicas: 1, serviceName: 's', selector, template: t, updateStrategy: { type: 'OnDelete' } }),
    replicas,
  ),
  kindOf('apps/v1', 'ReplicaSet', (t) => ({ replicas: 1, selector, template: t }), replicas),
  kindOf('v1', 'ReplicationController', (t) => ({ replicas: 1, selector: LABELS, template: t }), replicas),
  kindOf(
    'batch/v1',
    'Job',
    (t) => ({ parallelism: 1, completions: 1, backoffLimit: 6, manualSelector: true, selector, ...job(t) }),
    {
      parallelism: 3,
    },
  ),
  kindOf('batch/v1', 'CronJob', (t) => ({ schedule: '* * * * *', jobTemplate: { metadata: {}, spec: job(t) } }), {
    suspend: true,
  }),
];

/** The causes of refused changes of a stored object: of its labels, of its spec, of its status. */
async function changes(kind: WorkloadKind, t: JsonObject): Promise<readonly (readonly string[])[]> {
  const bench = await Bench.open();
  const { apiVersion, what } = kind;
  const metadata = {
    name: 'x',
    namespace: 'default',
    uid: 'u',
    creationTimestamp: '2026-01-01T00:00:00Z',
    generation: 1,
    labels: LABELS,
  };
  const value = Buffer.from(JSON.stringify({ apiVersion, kind: kind.kind, metadata, spec: kind.spec(t) }));
  const key = `/registry/${kind.folder}/default/x`;
  await bench.keyspace.txn({ compares: [], ops: [{ kind: 'put', key, value }] });
  return [
    await causesOf(bench.patch(what, ['default', 'x'], { metadata: { labels: { c: 'd' } } })),
    await causesOf(bench.patch(what, ['default', 'x'], { spec: kind.change })),
    await causesOf(bench.patch(`${what}/status`, ['default', 'x'], { status: {} })),
  ];
}

describe.each(KINDS)('a stored $kind', (kind) => {
  it.each(Object.entries(KEPT))('keeps what it has: %s', async (_, t) => {
    expect(await changes(kind, t)).toEqual([[], [], []]);
  });

  it.each(Object.entries(REFUSED))(
    'cannot be updated, unless it is a StatefulSet, but its status can: %s',
    async (_, t) => {
      const found = await changes(kind, t);
      const refused = kind.kind === 'StatefulSet' ? 0 : 1;
      expect(found.map((causes) => causes.length)).toEqual([refused, refused, 0]);
    },
  );

  it('cannot be updated with a wrong annotation in the template', async () => {
    expect((await changes(kind, ANNOTATED)).map((causes) => causes.length)).toEqual([1, 1, 0]);
  });
});
