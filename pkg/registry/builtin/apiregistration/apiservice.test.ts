import { expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../../api/index.js';
import { Bench } from '../../testing.js';
import { listAt, objectsAt } from '../access.js';

const apiService = (spec: JsonObject): JsonObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.a.io' },
  spec: { group: 'a.io', version: 'v1', groupPriorityMinimum: 10, versionPriority: 10, ...spec },
  status: { conditions: [{ type: 'Other', status: 'True' }] },
});

it('a local APIService is available from its creation, and its creator owns no status', async () => {
  const b = await Bench.open();
  const made = await b.create('apiservices.apiregistration.k8s.io/v1', '', apiService({}));
  expect(made['status']).toEqual({
    conditions: [
      {
        type: 'Available',
        status: 'True',
        lastTransitionTime: expect.any(String),
        reason: 'Local',
        message: 'Local APIServices are always available',
      },
    ],
  });
  const [entry, ...others] = objectsAt(made, 'metadata', 'managedFields');
  expect([Object.keys(objectAt(entry, 'fieldsV1')), others]).toEqual([['f:spec'], []]);
});

it('an APIService of another server has no conditions at first', async () => {
  const b = await Bench.open();
  const service = { namespace: 'default', name: 'a' };
  const made = await b.create(
    'apiservices.apiregistration.k8s.io/v1',
    '',
    apiService({ service, insecureSkipTLSVerify: true }),
  );
  expect(listAt(made, 'status', 'conditions')).toEqual([]);
});

it('an APIService may have finalizers without a domain, and a write of the status does not change its metadata', async () => {
  const b = await Bench.open();
  const what = 'apiservices.apiregistration.k8s.io/v1';
  const object = apiService({});
  await b.create(what, '', { ...object, metadata: { name: 'v1.a.io', finalizers: ['plain'] } });
  const metadata = { labels: { added: 'a' }, finalizers: ['other'] };
  const after = objectAt(await b.patch(`${what}/status`, ['', 'v1.a.io'], { metadata }), 'metadata');
  expect([after['labels'], after['finalizers']]).toEqual([undefined, ['plain']]);
});
