import { describe, expect, it } from 'vitest';
import { type JsonObject, listAt, objectAt, objectsAt, textAt } from '../../api/index.js';
import { Bench, causesOf } from '../testing.js';

/** Rules that distinguish an empty list or map from an absent one, as Go's decoder does. Stored objects and responses do not. */

const pod = (spec: JsonObject, name = 'p'): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const autoscaler = (scaleUp: JsonObject): JsonObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'a' },
  spec: {
    maxReplicas: 2,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
    behavior: { scaleUp },
  },
});
const slice = (spec: JsonObject): JsonObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: 's' },
  spec: { driver: 'd.example.com', nodeName: 'n', pool: { name: 'p', resourceSliceCount: 1 }, ...spec },
});
const deployment = (labels: JsonObject | undefined): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: labels === undefined ? {} : { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});
const ephemeral = (claim: JsonObject): JsonObject => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  return pod({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec, ...claim } } }] });
};
const CLAIM = 'spec.volumes[0].ephemeral.volumeClaimTemplate';

describe('empty lists and maps in a body', () => {
  it.each<readonly [string, string, JsonObject, readonly string[]]>([
    [
      'claims of a pod as a whole',
      'pods',
      pod({ resources: { claims: [] } }),
      ['spec.resources.claims: Forbidden: claims may not be set for Resources at pod-level'],
    ],
    [
      'groups that Windows does not have',
      'pods',
      pod({ os: { name: 'windows' }, securityContext: { supplementalGroups: [] } }),
      ['spec.securityContext.supplementalGroups: Forbidden: cannot be set for a windows pod'],
    ],
    [
      'owners of a claim to come',
      'pods',
      ephemeral({ metadata: { ownerReferences: [], labels: {} } }),
      [`${CLAIM}.metadata.ownerReferences: Forbidden: cannot be set`],
    ],
    [
      'policies, which are then not defaulted',
      'horizontalpodautoscalers.autoscaling/v2',
      autoscaler({ policies: [] }),
      ['spec.behavior.scaleUp.policies: Required value: must specify at least one Policy'],
    ],
    [
      'one of two lists',
      'resourceslices.resource.k8s.io/v1',
      slice({ devices: [], sharedCounters: [{ name: 'c', counters: { m: { value: '1' } } }] }),
      ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
    ],
    [
      'what is shown in the sentence',
      'deployments.apps/v1',
      deployment({}),
      ['spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
    ],
    [
      'nothing, which is shown as such',
      'deployments.apps/v1',
      deployment(undefined),
      ['spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
    ],
  ])('%s', async (_name, what, o, expected) => {
    const b = await Bench.open();
    const namespace = what.startsWith('resourceslices') ? '' : 'default';
    expect(await causesOf(b.create(what, namespace, o))).toEqual(expected);
  });

  it('are kept in the copies made for a generated name and for a replaced object', async () => {
    const b = await Bench.open();
    const what = 'horizontalpodautoscalers.autoscaling/v2';
    const required = ['spec.behavior.scaleUp.policies: Required value: must specify at least one Policy'];
    const unnamed = { ...autoscaler({ policies: [] }), metadata: { generateName: 'a-' } };
    expect(await causesOf(b.create(what, 'default', unnamed))).toEqual(required);
    await b.create(what, 'default', autoscaler({}));
    expect(await causesOf(b.update(what, 'default', autoscaler({ policies: [] })))).toEqual(required);
    expect(await causesOf(b.update(what, 'default', autoscaler({ policies: null })))).toEqual([]);
  });

  it('have the same effect in a patch as in a body', async () => {
    const b = await Bench.open();
    const what = 'horizontalpodautoscalers.autoscaling/v2';
    await b.create(what, 'default', autoscaler({}));
    const patch = { spec: { behavior: { scaleUp: { policies: [] } } } };
    expect(await causesOf(b.patch(what, ['default', 'a'], patch))).toEqual([
      'spec.behavior.scaleUp.policies: Required value: must specify at least one Policy',
    ]);
  });
});

describe('an empty list written to an absent field', () => {
  const role = (rules: JsonObject[] | undefined): JsonObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r', labels: { a: 'b' } },
    ...(rules === undefined ? {} : { rules }),
  });
  const owners = (o: JsonObject): readonly string[] =>
    listAt(o, 'metadata', 'managedFields').map(
      (e) => `${textAt(e, 'manager')} ${Object.keys(objectAt(e, 'fieldsV1'))}`,
    );
  const what = 'roles.rbac.authorization.k8s.io/v1';
  const by = (fieldManager: string) => ({ fieldManager });

  it('is owned by its last writer', async () => {
    const b = await Bench.open();
    expect(owners(await b.create(what, 'default', role(undefined), by('a')))).toEqual(['a f:metadata']);
    const changed = await b.update(what, 'default', role([]), by('b'));
    expect([owners(changed), changed['rules']]).toEqual([['a f:metadata', 'b f:rules'], null]);
    expect(owners(await b.update(what, 'default', role([]), by('c')))).toEqual(['a f:metadata', 'c f:rules']);
    expect(owners(await b.update(what, 'default', role(undefined), by('d')))).toEqual(['a f:metadata', 'c f:rules']);
  });
});

describe('the claim template of a pod', () => {
  it('is validated like any claim', async () => {
    const b = await Bench.open();
    const bad = ephemeral({ spec: { accessModes: ['Sometimes'] }, metadata: { name: 'n', labels: { '-': '' } } });
    expect(await causesOf(b.create('pods', 'default', bad))).toEqual([
      expect.stringContaining(`${CLAIM}.metadata.labels: Invalid value: "-"`),
      `${CLAIM}.metadata.name: Forbidden: cannot be set`,
      expect.stringContaining(`${CLAIM}.spec.accessModes: Unsupported value: "Sometimes"`),
      `${CLAIM}.spec.resources[storage]: Required value`,
    ]);
    expect(await causesOf(b.create('pods', 'default', ephemeral({ metadata: { labels: { a: 'b' } } })))).toEqual([]);
  });
});

it('inside a list that is one value, an empty list changes its owner', async () => {
  const b = await Bench.open();
  const role = (more: JsonObject): JsonObject => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'r' },
    rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], ...more }],
  });
  const what = 'roles.rbac.authorization.k8s.io/v1';
  const managers = (o: JsonObject): unknown =>
    objectsAt(o, 'metadata', 'managedFields').map((m) => textAt(m, 'manager'));
  await b.create(what, 'default', role({}), { fieldManager: 'a' });
  expect(managers(await b.update(what, 'default', role({}), { fieldManager: 'b' }))).toEqual(['a']);
  expect(managers(await b.update(what, 'default', role({ resourceNames: [] }), { fieldManager: 'b' }))).toEqual(['b']);
  const policy = (podSelector: JsonObject): JsonObject => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'p' },
    spec: { podSelector },
  });
  const policies = 'networkpolicies.networking.k8s.io/v1';
  await b.create(policies, 'default', policy({}), { fieldManager: 'a' });
  const outside = await b.update(policies, 'default', policy({ matchExpressions: [] }), { fieldManager: 'b' });
  expect(managers(outside)).toEqual(['a']);
});
