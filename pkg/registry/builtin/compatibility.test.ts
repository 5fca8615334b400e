import { expect, it } from 'vitest';
import { type ApiError, type JsonObject, objectAt } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { limits } from '../limits.js';
import type { ListOptions, Representation } from '../requests.js';
import { Bench, causesOf, EVERYTHING, JSON_FORM, refusal } from '../testing.js';

/** Rules of single kinds whose only reason is kube-apiserver 1.37.2, which was asked. */

const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

const daemonSet = (name: string, annotations?: JsonObject): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, ...(annotations === undefined ? {} : { annotations }) },
  spec: { selector: { matchLabels: { a: 'b' } }, template },
});

const form = (more: Partial<Representation>): Representation => ({ ...JSON_FORM, ...more });

async function listed(b: Bench, what: string, r: Representation, options: Partial<ListOptions> = {}): Promise<string> {
  const target = b.target(what, 'default');
  const result = await b.registry.list({ target, options: { ...EVERYTHING, ...options } }, b.context);
  return Buffer.concat([...b.renderer.renderList(target, result, r).chunks]).toString('latin1');
}

it('metadata of a daemon set lack the count of its templates', async () => {
  const b = await Bench.open();
  await b.create('daemonsets.apps', 'default', daemonSet('a', { x: 'y' }));
  await b.create('daemonsets.apps', 'default', daemonSet('b'));
  const target = b.target('daemonsets.apps', 'default', 'a');
  const answer = await b.registry.get({ target, resourceVersion: '' }, b.context);
  const one = (r: Representation): string => finish(b.renderer.renderAnswer(target, answer, r)).toString('latin1');
  for (const encoding of ['json', 'yaml', 'cbor', 'protobuf'] as const)
    for (const text of [
      one(form({ form: 'metadata', encoding })),
      await listed(b, 'daemonsets.apps', form({ form: 'metadata', encoding })),
      ...(encoding === 'protobuf' ? [] : [await listed(b, 'daemonsets.apps', form({ form: 'table', encoding }))]),
    ])
      expect([encoding, /"?deprecated[.]daemonset[.]template[.]generation"?: ?"?1/.test(text)]).toEqual([
        encoding,
        false,
      ]);
  const items = JSON.parse(await listed(b, 'daemonsets.apps', form({ form: 'metadata' }))) as { items: JsonObject[] };
  expect(items.items.map((o) => objectAt(o, 'metadata')['annotations'])).toEqual([{ x: 'y' }, undefined]);
  expect(await b.get('daemonsets.apps', 'default', 'b')).toMatchObject({
    metadata: { annotations: { 'deprecated.daemonset.template.generation': '1' } },
  });
});

it.each([
  ['configmaps', '[]'],
  ['limitranges', 'null'],
  ['clusterroles.rbac.authorization.k8s.io', 'null'],
  ['customresourcedefinitions.apiextensions.k8s.io', 'null'],
])('the rows of a Table without %s are %s', async (what, rows) => {
  const b = await Bench.open();
  const none = { labelSelector: 'no=such' };
  const table = { form: 'table' } as const;
  expect(await listed(b, what, form(table), none)).toContain(`"rows":${rows}`);
  expect(await listed(b, what, form({ ...table, encoding: 'yaml' }), none)).toContain(`rows: ${rows}\n`);
  expect(await listed(b, what, form({ form: 'metadata', encoding: 'yaml' }), none)).toContain('items: null\n');
  const end = rows === 'null' ? '\xf6' : '\x80';
  expect(await listed(b, what, form({ ...table, encoding: 'cbor' }), none)).toContain(`Drows${end}`);
});

it.each(['namespaces', 'clusterroles.rbac.authorization.k8s.io', 'roles.rbac.authorization.k8s.io'])(
  '%s have no unsafe deletion',
  async (what) => {
    const b = await Bench.open();
    expect(await refusal(b.delete(what, 'default', 'none', { ignoreStoreReadError: true }))).toBe(
      '500 Internal error occurred: no unsafe deleter provided, can not honor ignoreStoreReadErrorWithClusterBreakingPotential',
    );
  },
);

it('an event is checked for what it is about before its name', async () => {
  const b = await Bench.open();
  const elsewhere = 'involvedObject.namespace: Invalid value: "": does not match event.namespace';
  const nameless = 'metadata.name: Required value: name or generateName is required';
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
  await b.create('namespaces', '', namespace);
  const event = { apiVersion: 'v1', kind: 'Event', metadata: {} };
  expect(await causesOf(b.create('events', 'n', event))).toEqual([elsewhere]);
  expect(await causesOf(b.create('events', 'default', event))).toEqual([nameless]);
  const newer = { ...event, apiVersion: 'events.k8s.io/v1' };
  expect((await causesOf(b.create('events.events.k8s.io', 'n', newer))).slice(0, 2)).toEqual([elsewhere, nameless]);
});

it('a version that no event has yet is not worth waiting for', async () => {
  const b = await Bench.open();
  const details = async (what: string): Promise<unknown> => {
    const answer = b.get(what, 'default', 'a', '99999').catch((e: ApiError) => e.status.details);
    b.world.advance(limits.freshnessWait);
    return answer;
  };
  expect(await details('events')).not.toHaveProperty('retryAfterSeconds');
  expect(await details('configmaps')).toHaveProperty('retryAfterSeconds', 1);
  expect(await refusal(b.get('events', 'default', 'a', 'x'))).toMatch(
    /^400 invalid resource version: resourceVersion: /,
  );
});

it('a service without a name gets no address', async () => {
  const b = await Bench.open();
  const service = (spec: JsonObject): JsonObject => ({ apiVersion: 'v1', kind: 'Service', metadata: {}, spec });
  const ports = [{ port: 1 }];
  const nameless = 'is invalid: spec.parentRef.name: Required value';
  const [free] = await causesOf(b.create('services', 'default', service({ ports })));
  expect(free).toMatch(
    /^spec\.clusterIPs: Invalid value: \[""\]: failed to allocate IP: IPAddress\.networking\.k8s\.io "[0-9.]+"/,
  );
  expect(free).toContain(nameless);
  const asked = free!.split('"')[3]!;
  expect(await causesOf(b.create('services', 'default', service({ ports, clusterIP: asked })))).toEqual([
    `spec.clusterIPs: Invalid value: ["${asked}"]: failed to allocate IP ${asked}: IPAddress.networking.k8s.io "${asked}" ${nameless}`,
  ]);
  const required = ['metadata.name: Required value: name or generateName is required'];
  expect(await causesOf(b.create('services', 'default', service({ ports, clusterIP: 'None' })))).toEqual(required);
  expect(await causesOf(b.create('services', 'default', service({ ports }), { dryRun: true }))).toEqual(required);
});

it('a further deletion of a namespace changes nothing', async () => {
  const b = await Bench.open();
  await b.create('namespaces', '', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
  const first = await b.delete('namespaces', '', 'n');
  expect(first).toMatchObject({ status: { phase: 'Terminating' } });
  expect(await b.delete('namespaces', '', 'n', { propagationPolicy: 'Foreground' })).toEqual(first);
});

it('a Scale of an earlier version is refused', async () => {
  const b = await Bench.open();
  await b.create('deployments.apps', 'default', { ...daemonSet('a'), kind: 'Deployment' });
  const scale = { apiVersion: 'extensions/v1beta1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 2 } };
  expect(await refusal(b.update('deployments.apps/v1/scale', 'default', scale))).toBe(
    '400 the API version in the data (extensions/v1beta1) does not match the expected API version (autoscaling/v1)',
  );
});

it('a watch of one object has no selector of other fields', async () => {
  const b = await Bench.open();
  const target = b.target('configmaps', 'default');
  const watched = (fieldSelector: string): Promise<string> => {
    const options = { ...EVERYTHING, allowBookmarks: false, name: 'a', fieldSelector };
    return refusal(b.registry.watch({ target, options, representation: JSON_FORM }, b.context));
  };
  const other = "400 fieldSelector metadata.name doesn't match requested name";
  expect(await watched('metadata.name=a,metadata.namespace=n')).toBe('taken');
  expect(await watched('metadata.name=b')).toBe(other);
  expect(await watched('metadata.namespace=default')).toBe(other);
});

it('a key that an applied object has twice is an error of YAML', async () => {
  const b = await Bench.open();
  const map = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","name":"a"}}';
  expect(await refusal(b.patch('configmaps', ['default', 'a'], map, 'apply'))).toBe(
    '400 error strict decoding patch: error converting YAML to JSON: yaml: unmarshal errors:\n  line 1: key "name" already set in map',
  );
});
