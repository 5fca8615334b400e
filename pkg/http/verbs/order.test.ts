import { describe, expect, it } from 'vitest';
import { errors } from '../../api/index.js';
import { compile, servedResourcesOf } from '../../registry/index.js';
import { createRouter } from '../router.js';
import type { Verbs } from '../services.js';
import { testServices, testWorld } from '../testing.js';

/** In which order a request is refused, as in kube-apiserver 1.37.2. */

const ENDPOINTS = '/api/v1/namespaces/n/endpoints';
const WARNING = ['299 - "v1 Endpoints is deprecated in v1.33+"'];

it.each([
  ['GET', ENDPOINTS, { accept: 'application/json' }, 200, WARNING],
  ['GET', ENDPOINTS, { accept: 'application/xml' }, 406, undefined],
  ['GET', ENDPOINTS, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v3' }, 406, WARNING],
  ['GET', '/api/v1/componentstatuses?watch=1', {}, 405, ['299 - "v1 ComponentStatus is deprecated in v1.19+"']],
  ['PATCH', `${ENDPOINTS}/a`, { 'content-type': 'application/xml' }, 415, undefined],
  ['POST', ENDPOINTS, { 'content-type': 'application/xml' }, 415, WARNING],
] as const)('%s %s with %j gives %d', async (method, url, headers, status, warning) => {
  const router = createRouter(testServices(testWorld));
  const got = await router.inject({ method, url, headers, payload: '{}' });
  expect([got.statusCode, got.headers['warning']]).toEqual([status, warning]);
});

it('a deletion of a collection reads its selectors before its options', async () => {
  const services = testServices(testWorld);
  const router = createRouter(services);
  const asked = () =>
    router.inject({ method: 'DELETE', url: '/api/v1/namespaces/n/configmaps', payload: { propagationPolicy: 'x' } });
  expect((await asked()).statusCode).toBe(422);
  services.registry.checkSelectors = async () => {
    throw errors.badRequest('no selector');
  };
  expect((await asked()).json()).toMatchObject({ code: 400, message: 'no selector' });
});

describe('a deletion whose response has no acceptable form', () => {
  const partial = (kind: string) => ({ accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` });

  it('of a collection deletes nothing, after other errors and warnings', async () => {
    const services = testServices(testWorld);
    const router = createRouter(services);
    const dryRuns: boolean[] = [];
    const registry: Verbs = services.registry;
    const deleteCollection = registry.deleteCollection.bind(registry);
    Object.assign(registry, {
      deleteCollection: (...[request, context]: Parameters<Verbs['deleteCollection']>) => {
        dryRuns.push(request.options.dryRun);
        context.warn('pods stay');
        return deleteCollection(request, context);
      },
    });
    const asked = (kind: string, query = '') =>
      router.inject({ method: 'DELETE', url: `/api/v1/namespaces/n/configmaps${query}`, headers: partial(kind) });
    const refused = await asked('PartialObjectMetadata');
    expect(refused.json()).toMatchObject({
      code: 406,
      message: expect.stringContaining('is a list (*core.ConfigMapList)'),
    });
    expect(refused.headers['warning']).toEqual(['299 - "pods stay"']);
    expect((await asked('PartialObjectMetadata', '?limit=x')).statusCode).toBe(400);
    expect((await asked('PartialObjectMetadataList')).statusCode).toBe(200);
    expect(dryRuns).toEqual([true, false]);
  });

  it('of an object is answered with a Status', async () => {
    const router = createRouter(testServices(testWorld));
    const url = '/api/v1/namespaces/n/configmaps/a';
    const got = await router.inject({ method: 'DELETE', url, headers: partial('PartialObjectMetadataList') });
    expect(got.json()).toMatchObject({ kind: 'Status' });
    expect(got.statusCode).not.toBe(406);
  });
});

describe('a form that the response cannot have is refused', () => {
  const CONFIGMAPS = '/api/v1/namespaces/n/configmaps';
  const json = (as: string) => `application/json;as=${as};g=meta.k8s.io;v=v1`;

  it.each([
    ['a list', CONFIGMAPS, json('PartialObjectMetadata'), 'is a list (*core.ConfigMapList)'],
    ['a get', `${CONFIGMAPS}/a`, json('PartialObjectMetadataList'), 'is not a list (*core.ConfigMap)'],
    ['a watch', `${CONFIGMAPS}?watch=1`, 'application/yaml', 'application/json;stream=watch'],
    ['a watch', `${CONFIGMAPS}?watch=1&includeObject=x`, json('Table'), 'Unable to convert to Table'],
  ])('after other errors of %s: %s as %s', async (_what, url, accept, message) => {
    const services = testServices(testWorld);
    const router = createRouter(services);
    const made = { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'a' } };
    await router.inject({ method: 'POST', url: CONFIGMAPS, payload: made });
    const asked = () => router.inject({ method: 'GET', url, headers: { accept } });
    const refused = await asked();
    expect([400, 406]).toContain(refused.statusCode);
    expect(refused.body).toContain(message);
    for (const stream of services.registry.streams) expect(stream.closed).toBe(true);
    const fail = async () => {
      throw errors.badRequest('no such option');
    };
    Object.assign(services.registry, { get: fail, list: fail, watch: fail });
    expect((await asked()).body).toContain('no such option');
  });

  it('with the types of the request for a custom resource, which has no route', async () => {
    const services = testServices(testWorld);
    const names = { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const boxes = compile({ group: 'example.com', scope: 'Namespaced', names, versions }, names);
    services.registry.servedResources = servedResourcesOf([boxes]);
    const router = createRouter(services);
    const refused = async (accept: string) => {
      const url = '/apis/example.com/v1/namespaces/n/boxes';
      return (await router.inject({ method: 'GET', url, headers: { accept } })).json().message;
    };
    expect(await refused('text/plain')).toMatch(/^only the following media types are accepted: application\/json/);
    expect(await refused(json('PartialObjectMetadata'))).toContain('is a list (*unstructured.UnstructuredList)');
  });
});

it.each([
  ['GET', '/a', 404],
  ['GET', '/a/status', 404],
  ['PUT', '/a/other', 404],
  ['PUT', '', 400],
  ['PATCH', '', 415],
  ['OPTIONS', '', 405],
] as const)('warns of a deprecated custom version before it refuses %s %s with %d', async (method, path, status) => {
  const services = testServices(testWorld);
  const names = { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' };
  const schema = { openAPIV3Schema: { type: 'object' } };
  const versions = [{ name: 'v1', served: true, storage: true, deprecated: true, schema }];
  const boxes = compile({ group: 'example.com', scope: 'Namespaced', names, versions }, names);
  services.registry.servedResources = servedResourcesOf([boxes]);
  const router = createRouter(services);
  const url = '/apis/example.com/v1/namespaces/n/boxes';
  const got = await router.inject({ method, url: url + path, ...(method === 'PUT' ? { payload: {} } : {}) });
  expect([got.statusCode, got.headers['warning']]).toEqual([status, ['299 - "example.com/v1 Box is deprecated"']]);
  expect((await router.inject({ method: 'GET', url: '/apis/example.com/v1/boxes/a' })).headers).not.toHaveProperty(
    'warning',
  );
});

it('a watch whose seconds do not fit in 64 bits of nanoseconds has another duration', async () => {
  const services = testServices(testWorld);
  const router = createRouter(services);
  services.registry.first = 'event';
  const watched = async (seconds: string) => {
    await router.inject({ method: 'GET', url: `/api/v1/namespaces/n/configmaps?watch=1&timeoutSeconds=${seconds}` });
    return services.registry.streams.at(-1)!.pending;
  };
  // It has ended before its first event, or took it.
  expect(await watched('9223372037')).toBe(1);
  expect(await watched('18446744074')).toBe(0);
});

describe('a write whose response has no acceptable form', () => {
  const headers = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' };
  const url = '/api/v1/namespaces/n/configmaps';
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };

  it('reports other errors first, and is made', async () => {
    const services = testServices(testWorld);
    const router = createRouter(services);
    const posted = await router.inject({ method: 'POST', url: `${url}?fieldValidation=x`, headers, payload: map });
    expect(posted.statusCode).toBe(422);
    const made = await router.inject({ method: 'POST', url, headers, payload: map });
    expect([made.statusCode, made.json().message]).toEqual([
      406,
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)',
    ]);
    expect((await router.inject({ url: `${url}/a` })).statusCode).toBe(200);
  });
});

it('the encoding of a new object is checked before the options, that of an update after them', async () => {
  const router = createRouter(testServices(testWorld));
  const headers = { 'content-type': 'application/json; charset' };
  const url = '/api/v1/namespaces/n/configmaps';
  const posted = await router.inject({ method: 'POST', url: `${url}?dryRun=x`, headers, payload: '{}' });
  const put = await router.inject({ method: 'PUT', url: `${url}/a?dryRun=x`, headers, payload: '{}' });
  expect([posted.statusCode, put.statusCode]).toEqual([415, 422]);
});
