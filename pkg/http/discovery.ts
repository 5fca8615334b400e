import { createHash } from 'node:crypto';
import { apiVersionOf, compareText, errors, type JsonArray, type JsonObject } from '../api/index.js';
import type { ServedResource, ServedResources, ServedVersion, Subresource } from '../registry/index.js';
import { isCustom } from '../schema/index.js';
import type { RemoteVersion } from './aggregation.js';
import type { Call } from './call.js';
import { encodeDocument } from './documents.js';
import {
  type Accepted,
  type Conversion,
  checkDocumentRoute,
  type DocumentForm,
  MEDIA_TYPES,
  negotiate,
  wantsPretty,
} from './negotiate.js';
import { nothingThere } from './pagenotfound.js';
import { sendBytes, sendEmpty } from './responses.js';
import type { HttpServices } from './services.js';

/** Discovery documents in both forms: one document for each group version, or the aggregated form with everything in two documents. */

const AGGREGATED = { group: 'apidiscovery.k8s.io', version: 'v2', kind: 'APIGroupDiscoveryList' } as const;

/** What discovery publishes: the served resources, and the versions of aggregated servers. */
export interface Published {
  readonly served: ServedResources;
  readonly remote: readonly RemoteVersion[];
}

const NO_REMOTE: readonly RemoteVersion[] = [];

const publishedBy = ({ registry, aggregation }: HttpServices): Published => ({
  served: registry.servedResources,
  remote: aggregation?.versions ?? NO_REMOTE,
});

const PLAIN: DocumentForm = { encoding: 'json', pretty: false };

/** The discovery documents of one server, each encoded once for the latest served resources. */
export class DiscoveryDocuments {
  #published: Published | undefined;
  readonly #encoded = new Map<string, Buffer>();
  readonly #etags = new Map<string, string>();

  /** Returns the document `name` of these served resources in `form`; `make` is called if it has not been encoded yet. */
  encoded(published: Published, name: string, form: DocumentForm, make: () => JsonObject): Buffer {
    this.#renew(published);
    const key = `${nameOf(form)} ${name}`;
    let bytes = this.#encoded.get(key);
    if (bytes === undefined) {
      bytes = encodeDocument(make(), form.encoding, form.pretty);
      this.#encoded.set(key, bytes);
    }
    return bytes;
  }

  /** Returns the entity tag of the document `name`: the SHA-512 of its plain JSON, whatever its form, as in kube-apiserver. */
  etag(published: Published, name: string, make: () => JsonObject): string {
    const json = this.encoded(published, name, PLAIN, make);
    let etag = this.#etags.get(name);
    if (etag === undefined) {
      etag = `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"`;
      this.#etags.set(name, etag);
    }
    return etag;
  }

  #renew(published: Published): void {
    if (published.served === this.#published?.served && published.remote === this.#published.remote) return;
    this.#published = published;
    this.#encoded.clear();
    this.#etags.clear();
  }
}

/** `/api`, `/apis`: the plain form, or the aggregated form if the client requests it. */
export function serveRoot(
  call: Call,
  services: HttpServices,
  path: '/api' | '/apis',
  plainOnly = false,
): void | Promise<void> {
  const { headers: sent } = call.exchange;
  const { accept } = sent;
  if (path === '/api') checkDocumentRoute(sent, services.stages.supportedEncodings.types);
  const accepted = negotiate(accept, services.stages.supportedEncodings, plainOnly ? () => false : allowsAggregated);
  if (accepted === undefined) throw errors.notAcceptable(services.stages.supportedEncodings.types);
  const form = formOf(call, accepted);
  // A client that accepts both gets the aggregated form, whatever the order of its Accept header.
  const aggregated =
    !plainOnly && (accepted.as !== undefined || (offersAggregated(accept) && accepted.encoding === 'json'));
  const published = publishedBy(services);
  if (!aggregated) {
    const make = (): JsonObject => (path === '/api' ? apiVersions(services.address()) : groupList(published));
    return send(call, services, path === '/api' ? `${path} ${services.address()}` : path, form, make);
  }
  const name = `${path} aggregated`;
  const make = (): JsonObject => aggregatedList(published, path);
  const etag = services.discovery.etag(published, name, make);
  const headers = { etag, vary: 'Accept' };
  if (call.exchange.headers['if-none-match'] === etag) return sendEmpty(call, 304, headers);
  const bytes = services.discovery.encoded(published, name, form, make);
  record(call, services, name, make);
  const type = `${MEDIA_TYPES[accepted.encoding]};g=${AGGREGATED.group};v=${AGGREGATED.version};as=${AGGREGATED.kind}`;
  return sendBytes(call, 200, type, bytes, headers);
}

/** `/apis/{group}`. `isRouted`: whether the headers must suit a route, as in kube-apiserver. */
export function serveGroup(call: Call, services: HttpServices, name: string, isRouted: boolean): void | Promise<void> {
  const published = publishedBy(services);
  const group = groupNamed(published, name);
  if (group === undefined || name === '') throw nothingThere(published.served, name);
  const form = plainForm(call, services, isRouted);
  return send(call, services, `/apis/${name}`, form, () => ({
    kind: 'APIGroup',
    apiVersion: 'v1',
    ...groupDocument(group),
  }));
}

/** `/api/v1`, `/apis/{group}/{version}`. */
export function serveVersion(
  call: Call,
  services: HttpServices,
  gv: { readonly group: string; readonly version: string },
  isRouted: boolean,
): void | Promise<void> {
  const group = services.registry.servedResources.groups.find((g) => g.group === gv.group);
  const version = group?.versions.find((v) => v.version === gv.version);
  if (version === undefined) throw nothingThere(services.registry.servedResources, gv.group);
  const form = plainForm(call, services, isRouted);
  return send(call, services, apiVersionOf(gv), form, () => resourceList(gv, version));
}

function plainForm(call: Call, services: HttpServices, isRouted: boolean): DocumentForm {
  const { headers } = call.exchange;
  if (isRouted) checkDocumentRoute(headers, services.stages.supportedEncodings.types);
  const accepted = negotiate(headers.accept, services.stages.supportedEncodings, () => false);
  if (accepted === undefined) throw errors.notAcceptable(services.stages.supportedEncodings.types);
  return formOf(call, accepted);
}

function formOf(call: Call, { encoding, pretty }: Accepted): DocumentForm {
  // Only JSON has a pretty form. The other encodings have one form, which is kept.
  if (encoding !== 'json') return { encoding, pretty: false };
  const wanted = { accept: undefined, query: call.info.query, userAgent: call.userAgent };
  return { encoding, pretty: wantsPretty(wanted, pretty) };
}

const nameOf = ({ encoding, pretty }: DocumentForm): string => (pretty ? `${encoding} pretty` : encoding);

function send(
  call: Call,
  services: HttpServices,
  name: string,
  form: DocumentForm,
  make: () => JsonObject,
): void | Promise<void> {
  const bytes = services.discovery.encoded(publishedBy(services), name, form, make);
  record(call, services, name, make);
  return sendBytes(call, 200, MEDIA_TYPES[form.encoding], bytes);
}

/** The audit event has the document, whatever its encoding in the response. */
function record({ audit }: Call, services: HttpServices, name: string, make: () => JsonObject): void {
  if (audit?.wantsResponse !== true) return;
  const json = services.discovery.encoded(publishedBy(services), name, PLAIN, make);
  audit.responseObject = json.toString().trimEnd();
}

function allowsAggregated(as: Conversion): boolean {
  return as.group === AGGREGATED.group && as.version === AGGREGATED.version && as.kind === AGGREGATED.kind;
}

function offersAggregated(accept: string | undefined): boolean {
  return accept?.includes(`g=${AGGREGATED.group};v=${AGGREGATED.version};as=${AGGREGATED.kind}`) ?? false;
}

function apiVersions(address: string): JsonObject {
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: addresses(address) };
}

function addresses(address: string): JsonArray {
  return [{ clientCIDR: '0.0.0.0/0', serverAddress: address }];
}

function groupList(published: Published): JsonObject {
  const groups = groupsOf(published)
    .filter((g) => g.group !== '')
    .map(groupDocument);
  return { kind: 'APIGroupList', apiVersion: 'v1', groups };
}

/** The versions of a group, the preferred one first. */
interface PublishedGroup {
  readonly group: string;
  readonly versions: readonly { readonly version: string }[];
}

/** The priority of the groups of custom resources. Those of built-in kinds have higher ones. */
const CUSTOM_PRIORITY = 1000;

/** A group that follows those of built-in kinds. `service` is the name of the first of its APIServices with its priority. */
interface LaterGroup extends PublishedGroup {
  readonly priority: number;
  readonly service: string;
}

/**
 * All groups: those of built-in kinds, then the others by the priority of their APIServices. Groups of one priority are ordered by the names of
 * these in the plain list, where v1.b.example.com is before v2.a.example.com, and by their own names in the aggregated one.
 */
function groupsOf({ served, remote }: Published, form: 'plain' | 'aggregated' = 'plain'): readonly PublishedGroup[] {
  const isCustomGroup = (g: ServedResources['groups'][number]) =>
    g.versions.some((v) => v.resources.some((r) => r.published !== undefined));
  const custom = served.groups.filter(isCustomGroup);
  const isLocal = new Set(served.groups.map((g) => g.group));
  const remoteOf = (group: string) => versionsOf(remote, group);
  const others = [...new Set(remote.map((r) => r.group))].filter((group) => !isLocal.has(group));
  const later = [
    ...custom.map((g) => laterGroup(g.group, g.versions, remoteOf(g.group))),
    ...others.map((group) => laterGroup(group, [], remoteOf(group))),
  ];
  const key = form === 'plain' ? (g: LaterGroup) => g.service : (g: LaterGroup) => g.group;
  later.sort((a, b) => b.priority - a.priority || compareText(key(a), key(b)));
  const builtIn = served.groups
    .filter((g) => !isCustomGroup(g))
    .map((g) => ({ group: g.group, versions: [...g.versions, ...remoteOf(g.group)] }));
  return [...builtIn, ...later];
}

/** One group. It needs no order of all groups. */
function groupNamed({ served, remote }: Published, name: string): PublishedGroup | undefined {
  const local = served.groups.find((g) => g.group === name);
  const versions = [...(local?.versions ?? []), ...versionsOf(remote, name)];
  return versions.length === 0 ? undefined : { group: name, versions };
}

const versionsOf = (remote: readonly RemoteVersion[], group: string): readonly RemoteVersion[] =>
  remote.filter((r) => r.group === group);

function laterGroup(group: string, local: readonly ServedVersion[], remote: readonly RemoteVersion[]): LaterGroup {
  const services = [
    ...local.map(({ version }) => ({ version, priority: CUSTOM_PRIORITY })),
    ...remote.map(({ version, groupPriority }) => ({ version, priority: groupPriority })),
  ].sort((a, b) => b.priority - a.priority || compareText(a.version, b.version));
  const { version, priority } = services[0]!;
  return { group, versions: [...local, ...remote], priority, service: `${version}.${group}` };
}

function groupDocument(group: PublishedGroup): JsonObject {
  const versions = group.versions.map(({ version }) => ({
    groupVersion: apiVersionOf({ group: group.group, version }),
    version,
  }));
  return { name: group.group, versions, preferredVersion: versions[0]! };
}

function resourceList(gv: { readonly group: string; readonly version: string }, version: ServedVersion): JsonObject {
  const resources: JsonArray = [];
  for (const served of version.resources) {
    // A name that has only subresources (no built-in kind today) is not listed itself.
    if (served.verbs.length > 0) resources.push(resourceDocument(served));
    const subresources = isCustom(served.type) ? Object.entries(served.subresources) : sortedSubresources(served);
    for (const [name, sub] of subresources) resources.push(subresourceDocument(served, name, sub));
  }
  // The lists of the core group have no apiVersion: they are older than it.
  const apiVersion = gv.group === '' ? {} : { apiVersion: 'v1' };
  return { kind: 'APIResourceList', ...apiVersion, groupVersion: apiVersionOf(gv), resources };
}

function resourceDocument(served: ServedResource): JsonObject {
  const { declaration } = served;
  return {
    name: served.resource,
    singularName: declaration.singular,
    namespaced: served.namespaced,
    kind: served.kind,
    verbs: verbsIn(served),
    ...(declaration.shortNames === undefined ? {} : { shortNames: [...declaration.shortNames] }),
    ...(declaration.categories === undefined ? {} : { categories: [...declaration.categories] }),
    ...(declaration.virtual === undefined ? { storageVersionHash: storageVersionHash(served) } : {}),
  };
}

function verbsIn({ verbs, listedVerbs = [...verbs].sort() }: ServedResource): JsonArray {
  return [...listedVerbs];
}

function subresourceDocument(served: ServedResource, name: string, sub: Subresource): JsonObject {
  return {
    name: `${served.resource}/${name}`,
    singularName: '',
    namespaced: served.namespaced,
    ...(isForeign(served, sub) ? { group: sub.kind!.group, version: sub.kind!.version } : {}),
    kind: sub.kind?.kind ?? served.kind,
    verbs: [...sub.verbs].sort(),
  };
}

/** The kind of a subresource may belong to another group or version than the resource. */
function isForeign(served: ServedResource, { kind }: Subresource): boolean {
  return kind !== undefined && (kind.group !== served.group || kind.version !== served.version);
}

function sortedSubresources(served: ServedResource): readonly (readonly [string, Subresource])[] {
  return Object.entries(served.subresources).sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * Returns the storage version hash: the start of the hash of group, version and kind. It changes with the storage
 * version.
 */
export function storageVersionHash(served: ServedResource): string {
  const { apiVersion: stored, hashedApiVersion: apiVersion = stored, kind } = served.storage;
  const text = `${apiVersion.includes('/') ? '' : '/'}${apiVersion}/${kind}`;
  return createHash('sha256').update(text).digest().subarray(0, 8).toString('base64');
}

function aggregatedList({ served, remote }: Published, path: '/api' | '/apis'): JsonObject {
  const items = new Map<string, { readonly metadata: JsonObject; readonly versions: JsonArray }>();
  for (const { group, versions } of served.groups) {
    if ((group === '') !== (path === '/api')) continue;
    const documents = versions.map((v) => ({
      version: v.version,
      resources: v.resources.map(aggregatedResource),
      freshness: 'Current',
    }));
    items.set(group, { metadata: group === '' ? {} : { name: group }, versions: documents });
  }
  if (path === '/apis')
    for (const version of remote) {
      const item = items.get(version.group) ?? { metadata: { name: version.group }, versions: [] };
      items.set(version.group, item);
      item.versions.push(remoteDocument(version));
    }
  const ordered = groupsOf({ served, remote }, 'aggregated').flatMap(({ group }) => items.get(group) ?? []);
  return {
    kind: AGGREGATED.kind,
    apiVersion: `${AGGREGATED.group}/${AGGREGATED.version}`,
    metadata: {},
    items: ordered.map((item) => ({ ...item })),
  };
}

/** The last discovery document of another server's version. It is stale while the server does not respond. */
function remoteDocument({ version, discovery, isAvailable }: RemoteVersion): JsonObject {
  const isCurrent = isAvailable && discovery?.isCurrent === true;
  return { version, ...discovery?.document, freshness: isCurrent ? 'Current' : 'Stale' };
}

function aggregatedResource(served: ServedResource): JsonObject {
  const { declaration } = served;
  // Only custom resources name their own group and version.
  const { group, version } = isCustom(served.type) ? served : { group: '', version: '' };
  const subresources = sortedSubresources(served).map(([name, sub]) => ({
    subresource: name,
    responseKind: {
      group: isForeign(served, sub) ? sub.kind!.group : group,
      version: isForeign(served, sub) ? sub.kind!.version : version,
      kind: sub.kind?.kind ?? served.kind,
    },
    verbs: [...sub.verbs].sort(),
  }));
  return {
    resource: served.resource,
    responseKind: { group, version, kind: served.kind },
    scope: served.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: declaration.singular,
    verbs: verbsIn(served),
    ...(declaration.shortNames === undefined ? {} : { shortNames: [...declaration.shortNames] }),
    ...(declaration.categories === undefined ? {} : { categories: [...declaration.categories] }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
