import { describe, expect, it } from 'vitest';
import { errors } from '../../api/index.js';
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
