import { errors } from '../api/index.js';
import { withoutTrailing } from '../base/index.js';
import { DUMPS } from '../fairness/index.js';
import type { Exposition } from '../telemetry/index.js';
import { serveAggregated } from './aggregation.js';
import type { Call } from './call.js';
import { serveGroup, serveRoot, serveVersion } from './discovery.js';
import { encodeDocument } from './documents.js';
import { type HealthPath, serveHealth } from './health.js';
import { metricsFormat } from './metricsformat.js';
import { checkRoute } from './negotiate.js';
import { serveOpenApiIndex, serveOpenApiV2, serveOpenApiV3 } from './openapi.js';
import { isBuiltinGroup, nothingThere, PageNotFound } from './pagenotfound.js';
import { serveControl } from './peercontrol.js';
import { sendBytes, sendText } from './responses.js';
import type { HttpServices } from './services.js';
import { serveResource } from './verbs/index.js';
import { serveVersionDocument } from './version.js';
import { type ServerFacts, serveFlagz, serveStatusz } from './zpages.js';

/** One row of the path table. */
export interface PathEntry {
  /** An exact path, or a prefix followed by an asterisk: all paths below the prefix without a row of their own. */
  readonly path: string;
  /** `GET`: other methods, including HEAD, get the response `otherwise`. `any`: the handler decides. */
  readonly methods: 'GET' | 'any';
  /** The response to a method that the path does not support. Default: 404. */
  readonly otherwise?: 404 | 405;
  /** Whether `/` lists the path. */
  readonly listed?: boolean;
  /** Whether `/` lists the path on this server; by default it does. */
  readonly isServed?: (services: HttpServices) => boolean;
  /** Whether requests are exempt from the in-flight limits of a server without priority and fairness. */
  readonly exempt?: boolean;
  serve(call: Call, services: HttpServices): void | Promise<void>;
}

/**
 * Every path that is served. Paths of resources, of API groups and of their versions change while the server runs, so two rows with an asterisk cover all of them.
 */
export const PATHS: readonly PathEntry[] = [
  { path: '/', methods: 'any', serve: serveIndex },
  { path: '/index.html', methods: 'any', serve: serveIndex },
  { path: '/api', methods: 'GET', otherwise: 405, listed: true, serve: (call, s) => serveRoot(call, s, '/api') },
  { path: '/api/', methods: 'GET', otherwise: 405, serve: (call, s) => serveRoot(call, s, '/api') },
  { path: '/api/*', methods: 'any', serve: serveApi },
  // kube-apiserver serves the list of groups to every method.
  { path: '/apis', methods: 'any', listed: true, serve: serveGroups },
  // kube-apiserver has no aggregated form here.
  { path: '/apis/', methods: 'any', listed: true, serve: withKinds((call, s) => serveRoot(call, s, '/apis', true)) },
  { path: '/apis/*', methods: 'any', serve: serveApi },
  ...documentPaths('/version', serveVersionDocument),
  // kube-apiserver serves these documents to every method.
  { path: '/openapi/v2', methods: 'any', listed: true, serve: withKinds(serveOpenApiV2) },
  { path: '/openapi/v3', methods: 'any', listed: true, serve: withKinds(serveOpenApiIndex) },
  {
    path: '/openapi/v3/*',
    methods: 'any',
    serve: withKinds((call, s) => serveOpenApiV3(call, s, below(call, '/openapi/v3/'))),
  },
  ...documentPaths('/.well-known/openid-configuration', serveIssuerConfiguration),
  ...documentPaths('/openid/v1/jwks', serveIssuerKeys),
  ...healthPaths('healthz'),
  ...healthPaths('livez'),
  ...healthPaths('readyz'),
  ...dumpPaths(),
  {
    path: '/flagz',
    methods: 'any',
    listed: true,
    isServed: ({ facts }) => facts.flags !== undefined,
    serve: serveFlagz,
  },
  {
    path: '/statusz',
    methods: 'any',
    listed: true,
    isServed: ({ facts }) => facts.hasStatus,
    serve: (call, services) => serveStatusz(call, services, listedPaths(services)),
  },
  { path: '/metrics', methods: 'any', listed: true, serve: serveMetrics },
  { path: '/metrics/slis', methods: 'any', listed: true, serve: serveHealthResults },
  { path: '/peer/v1/*', methods: 'any', serve: serveControl },
];

/** Whether the rows `/api/*` and `/apis/*` serve a URL. The listener tests each URL with this and skips the router. */
export function belowApi(url: string): boolean {
  const root = url.startsWith('/api/') ? 5 : url.startsWith('/apis/') ? 6 : url.length;
  return url.length > root && url[root] !== '?';
}

/** Serves a path below `/api/` or `/apis/`: a resource, a group or a version. Any other path is not found. */
export function serveApi(call: Call, services: HttpServices): void | Promise<void> {
  return isServed(call, services) ? servePath(call, services) : withKinds(servePath)(call, services);
}

/** Serves a request when the kinds are served that the client may have seen through another peer. */
function withKinds(serve: PathEntry['serve']): PathEntry['serve'] {
  return async (call, services) => {
    await services.kindsCurrent();
    return serve(call, services);
  };
}

function serveGroups(call: Call, services: HttpServices): void | Promise<void> {
  return withKinds((c, s) => serveRoot(c, s, '/apis'))(call, services);
}

/** Whether a path has a resource, a group or a version that this peer serves. The core group has no definitions. */
function isServed({ info }: Call, { registry: { servedResources }, aggregation }: HttpServices): boolean {
  const isResource = info.kind === 'resource';
  const [root, group = '', version] = isResource ? ['apis', info.group, info.version] : info.path.slice(1).split('/');
  if (root !== 'apis' || group === '') return true;
  if (version === undefined || version === '') return servedResources.groups.some((g) => g.group === group);
  if (aggregation?.find(group, version) !== undefined) return true;
  return isResource
    ? servedResources.find(group, version, info.resource) !== undefined
    : servedResources.hasVersion(group, version);
}

function servePath(call: Call, services: HttpServices): void | Promise<void> {
  const { info } = call;
  if (info.kind === 'resource') {
    const remote = services.aggregation?.find(info.group, info.version);
    return remote === undefined ? serveResource(call, services) : serveAggregated(call, remote, services);
  }
  const [, root, ...rest] = withoutTrailing(info.path, '/').split('/');
  if (root !== 'api' && root !== 'apis') throw new PageNotFound();
  const isCore = root === 'api';
  // kube-apiserver ignores any number of slashes at the end of a path with a route.
  if (isCore && rest.length === 0) return serveCoreVersions(call, services);
  if (rest.length === 0 || rest.length > (isCore ? 1 : 2)) throw isCore ? errors.noSuchPath() : new PageNotFound();
  if (!isCore && rest[0] === '') throw new PageNotFound();
  const [group, version] = isCore ? ['', rest[0]!] : [rest[0]!, rest[1]];
  const { method } = call.exchange;
  const remote = version === undefined ? undefined : services.aggregation?.find(group, version);
  if (remote !== undefined) return serveAggregated(call, remote, services);
  const isRouted = hasRoute(services, info.path, group, version);
  if (method !== 'GET' && isRouted) throw refusalOf(services, group, version);
  return version === undefined
    ? serveGroup(call, services, group, isRouted)
    : serveVersion(call, services, { group, version }, isRouted);
}

function serveCoreVersions(call: Call, services: HttpServices): void | Promise<void> {
  if (call.exchange.method !== 'GET') throw errors.methodNotAllowed();
  return serveRoot(call, services, '/api');
}

/**
 * Whether a document has a route in kube-apiserver, so that methods other than GET, HEAD included, and unsuitable headers are refused. The
 * documents of groups that are registered with the aggregator are served to every method, and those of the versions of custom resources, too.
 */
function hasRoute({ registry }: HttpServices, path: string, group: string, version: string | undefined): boolean {
  // The aggregator does not serve a path that ends with several slashes.
  const isRegistered = version === undefined && group !== AGGREGATOR_GROUP && !path.endsWith('//');
  return !isRegistered && isBuiltinGroup(registry.servedResources, group);
}

/** The group of the aggregator itself. */
const AGGREGATOR_GROUP = 'apiregistration.k8s.io';

/** The error for a method other than GET on a group or, where `version` is given, on a version. */
function refusalOf({ registry: { servedResources } }: HttpServices, group: string, version: string | undefined): Error {
  const exists =
    version === undefined
      ? servedResources.groups.some((g) => g.group === group)
      : servedResources.hasVersion(group, version);
  return exists ? errors.methodNotAllowed() : nothingThere(servedResources, group);
}

/** The state of priority and fairness, as kube-apiserver shows it. */
function dumpPaths(): PathEntry[] {
  return Object.entries(DUMPS).map(([name, dump]) => ({
    path: `/debug/api_priority_and_fairness/${name}`,
    methods: 'any',
    serve(call, { fairness }) {
      if (fairness === undefined) throw new PageNotFound();
      return sendText(call, 200, dump(fairness));
    },
  }));
}

/** The rows of one health path: all its checks, and each by its name. */
function healthPaths(path: HealthPath): PathEntry[] {
  return [
    {
      path: `/${path}`,
      methods: 'any',
      listed: true,
      exempt: true,
      serve: (call, services) => serveHealth(call, services, path, ''),
    },
    {
      path: `/${path}/*`,
      methods: 'any',
      exempt: true,
      serve(call, services) {
        const name = below(call, `/${path}/`);
        if (name === '') throw new PageNotFound();
        return serveHealth(call, services, path, name);
      },
    },
  ];
}

/** The rows of a document. Any number of slashes may follow its path, and nothing else. */
function documentPaths(path: string, serve: PathEntry['serve']): PathEntry[] {
  return [
    { path, methods: 'GET', otherwise: 405, listed: true, serve },
    { path: `${path}/`, methods: 'GET', otherwise: 405, serve },
    {
      path: `${path}/*`,
      methods: 'any',
      serve(call, services) {
        if (withoutTrailing(call.info.path, '/') !== path) throw errors.noSuchPath();
        if (call.exchange.method !== 'GET') throw errors.methodNotAllowed();
        return serve(call, services);
      },
    },
  ];
}

const below = (call: Call, prefix: string): string => call.info.path.slice(prefix.length);

/** `/`: the paths that can be read. */
function serveIndex(call: Call, services: HttpServices): void | Promise<void> {
  const paths = listedPaths(services);
  return sendBytes(call, 200, 'application/json', encodeDocument({ paths: [...paths].sort() }, 'json', true));
}

function listedPaths(services: HttpServices): readonly string[] {
  const { registry, health } = services;
  const paths = PATHS.filter((entry) => entry.listed && entry.isServed?.(services) !== false).map(
    (entry) => entry.path,
  );
  for (const g of registry.servedResources.groups) {
    if (g.group !== '') paths.push(`/apis/${g.group}`);
    for (const v of g.versions) paths.push(g.group === '' ? `/api/${v.version}` : `/apis/${g.group}/${v.version}`);
  }
  for (const path of ['healthz', 'livez', 'readyz'] as const)
    for (const check of health[path]) paths.push(`/${path}/${check.name}`);
  // kube-apiserver lists the path of its documents, too, which is none itself.
  paths.push('/openapi/v3/');
  return paths;
}

function serveIssuerConfiguration(call: Call, services: HttpServices): void | Promise<void> {
  return sendIssuerDocument(call, 'application/json', services.issuer.configuration(services.address()));
}

function serveIssuerKeys(call: Call, { issuer }: HttpServices): void | Promise<void> {
  return sendIssuerDocument(call, 'application/jwk-set+json', issuer.keySet);
}

/**
 * Clients that verify tokens may cache these documents for an hour. After a change of keys, the old ones stay in the
 * set for the same time.
 */
function sendIssuerDocument(call: Call, type: string, text: string): void | Promise<void> {
  checkRoute(call.exchange.headers.accept, [type]);
  return sendBytes(call, 200, type, Buffer.from(text), { 'cache-control': 'public, max-age=3600' });
}

function serveMetrics(call: Call, { exposition, facts }: HttpServices): void | Promise<void> {
  return sendMetrics(call, facts, exposition, exposition);
}

function serveHealthResults(call: Call, { healthResults, facts }: HttpServices): void | Promise<void> {
  return sendMetrics(call, facts, healthResults.exposition, healthResults);
}

/** DELETE resets all metrics, as in kube-apiserver. */
async function sendMetrics(
  call: Call,
  { started }: ServerFacts,
  exposition: Exposition,
  resettable: { reset(): void },
): Promise<void> {
  if (call.exchange.method === 'DELETE') {
    resettable.reset();
    return sendBytes(call, 200, 'text/plain; charset=utf-8', Buffer.from('metrics reset\n'));
  }
  const { format, contentType } = metricsFormat(call.exchange.headers.accept);
  const headers = { 'process-start-time-unix': String(started) };
  return sendBytes(call, 200, contentType, await exposition.scrape(format), headers);
}
