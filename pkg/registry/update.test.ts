import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { Bench, refusal } from './testing.js';

const metaOf = (o: JsonObject): JsonObject => o['metadata'] as JsonObject;

const lease = (meta: JsonObject = {}): JsonObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l', ...meta },
  spec: { holderIdentity: 'a' },
});

describe('a PUT of an object that does not exist', () => {
  it.each<[string, JsonObject]>([
    ['services', { spec: { ports: [{ port: 80 }] } }],
    ['endpoints', { subsets: [] }],
    ['limitranges', { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }],
    ['leases.coordination.k8s.io/v1', { spec: { holderIdentity: 'a' } }],
    ['roles.rbac.authorization.k8s.io/v1', { rules: [] }],
  ])('creates one of %s', async (what, rest) => {
    const b = await Bench.open();
    // The version of an earlier object with the same name is ignored.
    const made = await b.update(what, 'default', { metadata: { name: 'n', resourceVersion: '3' }, ...rest });
    expect(await b.get(what, 'default', 'n')).toEqual(made);
  });

  it.each<[string, string, JsonObject]>([
    ['configmaps', 'default', {}],
    ['priorityclasses.scheduling.k8s.io/v1', '', { value: 1 }],
  ])('does not create one of %s', async (what, namespace, rest) => {
    const b = await Bench.open();
    expect(await refusal(b.update(what, namespace, { metadata: { name: 'n', uid: 'x' }, ...rest }))).toMatch(/^404 /);
  });

  it('does not recreate a deleted object if the request has a uid', async () => {
    const b = await Bench.open();
    const made = await b.create('leases.coordination.k8s.io/v1', 'default', lease());
    await b.delete('leases.coordination.k8s.io/v1', 'default', 'l');
    expect(await refusal(b.update('leases.coordination.k8s.io/v1', 'default', made))).toBe(
      `409 Operation cannot be fulfilled on leases.coordination.k8s.io "l": StorageError: invalid object, Code: 4, Key: /registry/leases/default/l, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${metaOf(made)['uid']}, UID in object meta: `,
    );
  });

  it('becomes a create in an apply, whatever its version', async () => {
    const b = await Bench.open();
    const applied = lease({ resourceVersion: '3' });
    const at = ['default', 'l'] as const;
    const made = await b.patch('leases.coordination.k8s.io/v1', at, applied, 'apply', { fieldManager: 'm' });
    expect(made).toMatchObject({ spec: { holderIdentity: 'a' } });
  });
});

it('finalize of a namespace leaves the owners of its status', async () => {
  const b = await Bench.open();
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
  await b.create('namespaces', '', namespace);
  const condition = { type: 'A', status: 'True', reason: 'r', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  await b.patch('namespaces/status', ['', 'n'], { status: { conditions: [condition] } }, 'merge', {
    fieldManager: 's',
  });
  const done = await b.update('namespaces/finalize', '', { ...namespace, spec: { finalizers: ['kubernetes'] } });
  const owners = metaOf(done)['managedFields'] as readonly JsonObject[];
  expect(owners.map((o) => [o['manager'], o['subresource']])).toContainEqual(['s', 'status']);
});

describe('a PUT without a version', () => {
  it.each<[string, string, JsonObject]>([
    ['leases.coordination.k8s.io/v1', 'default', {}],
    ['poddisruptionbudgets.policy/v1', 'default', { spec: { minAvailable: 1 } }],
    ['csinodes.storage.k8s.io/v1', '', { spec: { drivers: [] } }],
    ['runtimeclasses.node.k8s.io/v1', '', { handler: 'h' }],
    ['validatingwebhookconfigurations.admissionregistration.k8s.io/v1', '', {}],
  ])('is refused for %s', async (what, namespace, rest) => {
    const b = await Bench.open();
    const made = await b.create(what, namespace, { metadata: { name: 'n' }, ...rest });
    for (const resourceVersion of ['', '0']) {
      const name = what.replace(/\/v1$/, '');
      expect(await refusal(b.update(what, namespace, { metadata: { name: 'n', resourceVersion }, ...rest }))).toBe(
        `422 ${name} "n" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      );
    }
    expect(await b.update(what, namespace, made)).toEqual(made);
  });

  it.each<readonly [string, string, string, JsonObject]>([
    ['resourcepoolstatusrequests.resource.k8s.io/v1alpha3', '', 'n', { spec: { driver: 'd.io' } }],
    [
      'evictions.lifecycle.k8s.io/v1alpha1',
      'default',
      '11111111-1111-4111-8111-111111111111',
      { spec: { target: { pod: { name: 'p', uid: '11111111-1111-4111-8111-111111111111' } } } },
    ],
  ])('is refused for %s and its status', async (what, namespace, name, rest) => {
    const b = await Bench.open([['api/all', true]]);
    await b.create(what, namespace, { metadata: { name }, ...rest });
    for (const path of [what, `${what}/status`])
      expect(await refusal(b.update(path, namespace, { metadata: { name }, ...rest }))).toMatch(
        /^422 .*must be specified for an update$/,
      );
  });

  it('is refused for the status if the kind requires a version', async () => {
    const b = await Bench.open();
    const budget = { metadata: { name: 'n' }, spec: { minAvailable: 1 } };
    await b.create('poddisruptionbudgets.policy/v1', 'default', budget);
    const status = { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 };
    expect(await refusal(b.update('poddisruptionbudgets.policy/v1/status', 'default', { ...budget, status }))).toMatch(
      /^422 .*must be specified for an update$/,
    );
  });
});

describe('a PUT of a scale', () => {
  it('applies only to the object with its uid', async () => {
    const b = await Bench.open();
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template };
    await b.create('deployments.apps/v1', 'default', { metadata: { name: 'd' }, spec });
    const scale = await b.get('deployments.apps/v1/scale', 'default', 'd');
    const stale = { ...scale, metadata: { ...metaOf(scale), uid: 'x' }, spec: { replicas: 9 } };
    expect(await refusal(b.update('deployments.apps/v1/scale', 'default', stale))).toMatch(
      /^409 .*UID in precondition: x, UID in object meta: /,
    );
    expect(await b.update('deployments.apps/v1/scale', 'default', { ...scale, spec: { replicas: 9 } })).toMatchObject({
      spec: { replicas: 9 },
    });
  });
});
