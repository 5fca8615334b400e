import { describe, expect, it } from 'vitest';
import { createRouter } from './router.js';
import { testServices, testWorld } from './testing.js';

const STARTED = Date.UTC(2026, 10, 7, 6, 9, 3) / 1000;

/** A server that started 1 h 2 min 3 s before now. */
function app(options: Parameters<typeof testServices>[1] = {}) {
  const clock = { now: () => (STARTED + 3723) * 1000, monotonic: testWorld.clock.monotonic };
  const services = testServices({ ...testWorld, clock }, { ...options, facts: { started: STARTED, ...options.facts } });
  const router = createRouter(services);
  return async (url: string, accept?: string) => {
    const r = await router.inject({ url, headers: accept === undefined ? {} : { accept } });
    return { code: r.statusCode, type: r.headers['content-type'], warning: r.headers['warning'], body: r.body };
  };
}

const as = (kind: string, version: string, type = 'application/json'): string =>
  `${type};v=${version};g=config.k8s.io;as=${kind}`;

const WARNING =
  'Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.';

describe('the pages about the process', () => {
  it.each([undefined, '', 'text/plain', '*/*', 'text/*', 'application/json, text/plain;q=0.5'])(
    'are text for Accept: %s',
    async (accept) => {
      const flags = await app()('/flagz', accept);
      expect(flags).toMatchObject({ code: 200, type: 'text/plain; charset=utf-8', warning: undefined });
      expect(flags.body).toBe(`\napiserver flagz\n${WARNING}\na-flag=x\nb-flag=[y,z]\n`);
      const status = await app()('/statusz', accept);
      expect(status).toMatchObject({ code: 200, type: 'text/plain; charset=utf-8' });
      expect(status.body).toBe(
        `\napiserver statusz\n${WARNING}\n\nStarted= Sat Nov  7 06:09:03 UTC 2026\nUp= 1 hr 02 min 03 sec\n` +
          `Go version= node ${process.version}\nBinary version= 1.37.0\nEmulation version= 1.37\n` +
          'Paths= /flagz /healthz /livez /metrics /readyz /statusz /version\n',
      );
    },
  );

  it('are objects if the client names kind and version', async () => {
    const get = app();
    const status = await get('/statusz', as('Statusz', 'v1beta1'));
    expect(status).toMatchObject({ code: 200, type: 'application/json;g=config.k8s.io;v=v1beta1;as=Statusz' });
    expect(JSON.parse(status.body)).toEqual({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'apiserver' },
      startTime: '2026-11-07T06:09:03Z',
      uptimeSeconds: 3723,
      goVersion: `node ${process.version}`,
      binaryVersion: '1.37.0',
      emulationVersion: '1.37',
      paths: ['/flagz', '/healthz', '/livez', '/metrics', '/readyz', '/statusz', '/version'],
    });
    const flags = await get('/flagz', `${as('Flagz', 'v1alpha1', 'application/yaml')}, text/plain`);
    expect(flags).toEqual({
      code: 200,
      type: 'application/yaml;g=config.k8s.io;v=v1alpha1;as=Flagz',
      warning: ['299 - "This version of the flagz endpoint is deprecated. Please use a newer version."'],
      body: "apiVersion: config.k8s.io/v1alpha1\nflags:\n  a-flag: x\n  b-flag: '[y,z]'\nkind: Flagz\nmetadata:\n  name: apiserver\n",
    });
    const cbor = await app({ cbor: true })('/flagz', as('Flagz', 'v1beta1', 'application/cbor'));
    expect(cbor).toMatchObject({ code: 200, type: 'application/cbor;g=config.k8s.io;v=v1beta1;as=Flagz' });
  });

  it.each([
    ['application/json'],
    ['application/*'],
    ['text/html'],
    ['application/vnd.kubernetes.protobuf'],
    [as('Statusz', 'v1beta1')],
    [as('Flagz', 'v1')],
    [as('Flagz', 'v1beta1', 'text/plain')],
    [as('Flagz', 'v1beta1', 'application/cbor')],
    [`${as('Flagz', 'v1beta1')};stream=watch`],
  ])('are refused for Accept: %s', async (accept) => {
    const refused = await app()('/flagz', accept);
    expect([refused.code, JSON.parse(refused.body).message]).toEqual([
      406,
      'only the following media types are accepted: application/json, application/yaml, text/plain',
    ]);
  });

  it('are absent without their gates', async () => {
    const get = app({ facts: { flags: undefined, hasStatus: false } });
    for (const path of ['/flagz', '/statusz']) {
      expect(await get(path)).toMatchObject({ code: 404, body: '404 page not found\n' });
      expect(JSON.parse((await get('/')).body).paths).not.toContain(path);
      expect(JSON.parse((await app()('/')).body).paths).toContain(path);
    }
    const status = await app({ facts: { flags: undefined } })('/statusz');
    expect(status.body).toContain('Paths= /healthz /livez');
  });

  it('and metrics have the time of the start', async () => {
    const services = testServices(testWorld, { facts: { started: STARTED } });
    const router = createRouter(services);
    for (const url of ['/metrics', '/metrics/slis'])
      expect((await router.inject({ url })).headers['process-start-time-unix']).toBe(String(STARTED));
    expect((await router.inject({ method: 'DELETE', url: '/metrics' })).headers).not.toHaveProperty(
      'process-start-time-unix',
    );
  });
});
