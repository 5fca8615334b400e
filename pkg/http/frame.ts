import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { errors } from '../api/index.js';
import { withoutTrailing } from '../base/index.js';
import type { Call } from './call.js';
import { serveGroup, serveRoot, serveVersion } from './discovery.js';
import { encodeDocument } from './documents.js';
import { MessageExchange } from './exchange1.js';
import { type HealthPath, serveHealth } from './health.js';
import { limits } from './limits.js';
import { serveOpenApiIndex, serveOpenApiV2, serveOpenApiV3 } from './openapi.js';
import { nothingThere, PageNotFound } from './pagenotfound.js';
import { serveControl } from './peercontrol.js';
import { type Handler, serve } from './pipeline.js';
import { sendBytes, sendText } from './responses.js';
import type { HttpServices } from './services.js';
import { serveResource } from './verbs/index.js';
import { VERSION_DOCUMENT } from './version.js';

/** Listens only when it is given a server; otherwise only `inject` reaches it. */
export type ServerFactory = (handler: (request: IncomingMessage, response: ServerResponse) => void) => Server;

/**
 * The routes of fastify. Each runs the pipeline with its handler. Paths of resources are not listed, because the set of resources
 * changes while the server runs: `serveResource` handles all paths without a route.
 */
export function createFrame(services: HttpServices, serverFactory?: ServerFactory): FastifyInstance {
  const route = (handler: (call: Call, request: FastifyRequest) => void | Promise<void>) => {
    return (request: FastifyRequest, reply: FastifyReply): void => {
      reply.hijack();
      const exchange = new MessageExchange(request.raw, reply.raw);
      void serve(exchange, services.stages, (call) => handler(call, request));
    };
  };
  const app = fastify({
    logger: false,
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: false, maxParamLength: limits.headerBytesMax },
    bodyLimit: limits.bodyBytesMax,
    // The listener answers requests that cannot be parsed (listener.ts).
    clientErrorHandler: () => {},
    // No route has a schema, so the schema compilers (ajv and others) are not loaded.
    schemaController: { compilersFactory: { buildValidator: noCompiler, buildSerializer: noCompiler } },
    // The pipeline answers paths that cannot be decoded, in the format of the API.
    frameworkErrors: (_error, request, reply) => route((call) => serveElse(call, services))(request, reply),
    ...(serverFactory === undefined ? {} : { serverFactory }),
  });
  // Verbs read the body after the request was authorized. No parser may read it earlier.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));

  const get = (path: string, handler: Handler): void => {
    app.get(path, route(handler));
  };
  const any = (path: string, handler: (call: Call, request: FastifyRequest) => void | Promise<void>): void => {
    app.all(path, route(handler));
  };

  for (const path of ['/api', '/apis'] as const) {
    get(path, (call) => serveRoot(call, services, path));
    get(`${path}/`, (call) => serveRoot(call, services, path));
  }
  get('/version', (call) => serveVersionDocument(call));
  get('/version/', (call) => serveVersionDocument(call));
  get('/openapi/v2', (call) => serveOpenApiV2(call, services));
  get('/.well-known/openid-configuration', (call) =>
    sendIssuerDocument(call, 'application/json', services.issuer.configuration(services.address())),
  );
  get('/openid/v1/jwks', (call) => sendIssuerDocument(call, 'application/jwk-set+json', services.issuer.keySet));
  get('/openapi/v3', (call) => serveOpenApiIndex(call, services));
  get('/openapi/v3/*', (call) => serveOpenApiV3(call, services, call.info.path.slice('/openapi/v3/'.length)));
  for (const path of ['healthz', 'livez', 'readyz'] as const satisfies readonly HealthPath[]) {
    any(`/${path}`, (call) => serveHealth(call, services.health, path, ''));
    any(`/${path}/*`, (call) =>
      serveHealth(call, services.health, path, nonEmpty(call.info.path.slice(path.length + 2))),
    );
  }
  any('/peer/v1/*', (call) => serveControl(call, services));
  any('/metrics', (call) => serveMetrics(call, services));
  get('/', (call) =>
    sendBytes(call, 200, 'application/json', encodeDocument({ paths: rootPaths(services) }, 'json', true)),
  );
  app.setNotFoundHandler(route((call) => serveElse(call, services)));
  return app;
}

/** Replaces the schema compiler of fastify. */
const noCompiler = () => {
  throw new Error('routes have no schemas');
};

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** Handles all paths without a route: resources, and discovery of groups and versions. */
export function serveElse(call: Call, services: HttpServices): void | Promise<void> {
  const { info } = call;
  if (info.kind === 'resource') return serveResource(call, services);
  const [, first, ...rest] = withoutTrailing(info.path, '/').split('/');
  const isGet = call.exchange.method === 'GET' || call.exchange.method === 'HEAD';
  const found =
    first === 'api' && rest.length === 1
      ? () => serveVersion(call, services, { group: '', version: rest[0]! })
      : first === 'apis' && rest.length === 1
        ? () => serveGroup(call, services, rest[0]!)
        : first === 'apis' && rest.length === 2
          ? () => serveVersion(call, services, { group: rest[0]!, version: rest[1]! })
          : undefined;
  if (found === undefined) {
    // The list of groups is served for every method.
    if (info.path === '/apis' || info.path === '/apis/') return serveRoot(call, services, '/apis');
    if (KNOWN_PATHS.has(info.path)) throw errors.methodNotAllowed();
    throw first === 'api' ? errors.noSuchPath() : new PageNotFound();
  }
  if (!isGet) {
    const { catalogue } = services.registry;
    const there =
      first === 'api'
        ? catalogue.hasVersion('', rest[0]!)
        : rest.length === 2
          ? catalogue.hasVersion(rest[0]!, rest[1]!)
          : catalogue.groups.some((g) => g.group === rest[0]);
    throw there ? errors.methodNotAllowed() : nothingAt(first, rest[0]!, services);
  }
  return found();
}

const nothingAt = (root: string | undefined, group: string, services: HttpServices): Error =>
  root === 'api' ? errors.noSuchPath() : nothingThere(services.registry.catalogue, group);

/** Handles a method that the routes of health and metrics do not accept. */
const KNOWN_PATHS: ReadonlySet<string> = new Set([
  '/api',
  '/api/',
  '/apis',
  '/apis/',
  '/version',
  '/version/',
  '/openapi/v2',
  '/openapi/v3',
]);

function nonEmpty(name: string): string {
  if (name === '') throw new PageNotFound();
  return name;
}

/** Verifiers of tokens may cache these documents for an hour: old keys stay in the set at least that long. */
function sendIssuerDocument(call: Call, type: string, text: string): void | Promise<void> {
  return sendBytes(call, 200, type, Buffer.from(text), { 'cache-control': 'public, max-age=3600' });
}

/** DELETE resets all metrics, as in the reference. */
async function serveMetrics(call: Call, services: HttpServices): Promise<void> {
  if (call.exchange.method === 'DELETE') {
    services.exposition.reset();
    return sendText(call, 200, 'metrics reset\n');
  }
  return sendText(call, 200, await services.exposition.scrape(), { 'content-type': METRICS_TYPE });
}

function serveVersionDocument(call: Call): void | Promise<void> {
  const { accept } = call.exchange.headers;
  const types = accept?.split(',').map((part) => part.split(';')[0]!.trim()) ?? [];
  if (
    types.length === 0 ||
    types.some((t) => t === '' || t === '*/*' || t === 'application/*' || t === 'application/json')
  )
    return sendBytes(call, 200, 'application/json', encodeDocument(VERSION_DOCUMENT, 'json', true));
  return sendBytes(
    call,
    406,
    types[0]!,
    Buffer.from('406: Not Acceptable\n\nAvailable representations: application/json'),
  );
}

/** `/`: the list of paths. */
function rootPaths(services: HttpServices): string[] {
  const paths = [
    '/.well-known/openid-configuration',
    '/api',
    '/apis',
    '/healthz',
    '/livez',
    '/metrics',
    '/openapi/v2',
    '/openapi/v3',
    '/openid/v1/jwks',
    '/readyz',
    '/version',
  ];
  for (const g of services.registry.catalogue.groups) {
    if (g.group !== '') paths.push(`/apis/${g.group}`);
    for (const v of g.versions) paths.push(g.group === '' ? `/api/${v.version}` : `/apis/${g.group}/${v.version}`);
  }
  for (const check of services.health.readyz) paths.push(`/readyz/${check.name}`);
  return paths.sort();
}
