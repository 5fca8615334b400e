import type { JsonObject } from '../api/index.js';
import type { Scheduler } from '../base/index.js';
import type { ServedResource, ServedResources } from '../registry/index.js';
import {
  type ApiDescription,
  type ApiResource,
  createOpenApi,
  type DatedDocument,
  type DocumentForm,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V3_PROTOBUF,
  type OpenApi,
  type RemoteDocument,
} from '../schema/index.js';
import { type RemoteVersion, serveAggregated } from './aggregation.js';
import type { Call } from './call.js';
import { type Content, httpTime, isKnown, sendContent } from './content.js';
import { parseAccept } from './negotiate.js';
import { sendEmpty } from './responses.js';
import type { HttpServices } from './services.js';
import { API_VERSION } from './version.js';

interface Sources {
  readonly scheduler: Scheduler;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const NO_REMOTE: readonly RemoteDocument[] = [];

/** The OpenAPI documents of one server, for its latest served resources. */
export class OpenApiDocuments {
  #latest:
    | {
        readonly servedResources: ServedResources;
        readonly remote: readonly RemoteDocument[];
        readonly documents: OpenApi;
      }
    | undefined;
  /** One value for each resource: OpenAPI detects unchanged group versions by the identity of their resources. */
  readonly #described = new WeakMap<ServedResource, ApiResource>();

  /** Returns the documents of `servedResources` and of aggregated servers. Those of unchanged group versions are reused. */
  of(servedResources: ServedResources, { scheduler, now }: Sources, remote = NO_REMOTE): OpenApi {
    const known = this.#latest;
    if (known?.servedResources === servedResources && known.remote === remote) return known.documents;
    const documents = createOpenApi({
      api: this.#describe(servedResources),
      remote,
      pause: () => scheduler.yield(),
      now,
      ...(known === undefined ? {} : { previous: known.documents }),
    });
    this.#latest = { servedResources, remote, documents };
    return documents;
  }

  #describe(servedResources: ServedResources): ApiDescription {
    return {
      version: `${API_VERSION.major}.${API_VERSION.minor}`,
      groupVersions: servedResources.groups.flatMap((g) =>
        g.versions.map((v) => ({
          group: g.group,
          version: v.version,
          resources: v.resources.map((served) => this.#resource(served)),
        })),
      ),
    };
  }

  #resource(served: ServedResource): ApiResource {
    let found = this.#described.get(served);
    if (found === undefined) {
      found = describeResource(served);
      this.#described.set(served, found);
    }
    return found;
  }
}

const documentsOf = ({ openApi, registry, stages, aggregation, world }: HttpServices): OpenApi =>
  openApi.of(
    registry.servedResources,
    { scheduler: stages.scheduler, now: () => world.clock.now() },
    aggregation?.documents,
  );

/** `/openapi/v2`, in JSON or protobuf. kube-apiserver compresses this document, and not the others. */
export async function serveOpenApiV2(call: Call, services: HttpServices): Promise<void> {
  const headers = { vary: 'Accept-Encoding, Accept' };
  const form = wantedForm(call, OPENAPI_V2_PROTOBUF.accepted);
  if (form === undefined) return sendEmpty(call, 406, headers);
  const documents = documentsOf(services);
  const known = documents.v2Hash(form);
  if (known !== undefined && isKnown(call, known)) return sendEmpty(call, 304, { etag: `"${known}"`, ...headers });
  const contentType = form === 'protobuf' ? OPENAPI_V2_PROTOBUF.contentType : 'application/json';
  return send(call, services, { ...(await documents.v2(form)), contentType, headers, compresses: true });
}

/** `/openapi/v3`: the index of the documents, new for each request. kube-apiserver negotiates nothing here, and sends JSON as text. */
export async function serveOpenApiIndex(call: Call, services: HttpServices): Promise<void> {
  const { bytes } = await documentsOf(services).v3Index();
  const remote = services.aggregation?.versions ?? [];
  return send(call, services, {
    bytes: remote.length === 0 ? bytes : withRemote(bytes, remote),
    hash: undefined,
    modified: services.world.clock.now(),
    contentType: 'text/plain; charset=utf-8',
    headers: {},
    compresses: false,
  });
}

/** The index with the documents of aggregated servers. The document of a group is that of the server here, if it serves the group, too. */
function withRemote(local: Buffer, remote: readonly RemoteVersion[]): Buffer {
  const index = JSON.parse(local.toString('utf8')) as { readonly paths: JsonObject };
  const paths = { ...index.paths };
  for (const { group, version, openApi, groupOpenApi } of remote) {
    if (groupOpenApi !== '') paths[`apis/${group}`] ??= { serverRelativeURL: groupOpenApi };
    if (openApi !== '') paths[`apis/${group}/${version}`] = { serverRelativeURL: openApi };
  }
  return Buffer.from(JSON.stringify({ ...index, paths }));
}

/** The version of another server whose document `apis/{group}/{version}` is, or the first one of a group that only other servers serve. */
function remoteOf({ aggregation, registry }: HttpServices, name: string): RemoteVersion | undefined {
  const [root, group, version, ...rest] = name.split('/');
  if (aggregation === undefined || root !== 'apis' || rest.length > 0) return undefined;
  if (version !== undefined) return aggregation.find(group!, version);
  if (registry.servedResources.groups.some((g) => g.group === group)) return undefined;
  return aggregation.versions.find((remote) => remote.group === group && remote.groupOpenApi !== '');
}

/**
 * `/openapi/v3/apis/apps/v1?hash=...`: one document. With its current hash it may be cached forever; another hash redirects to the
 * current one.
 */
export async function serveOpenApiV3(call: Call, services: HttpServices, name: string): Promise<void> {
  const remote = remoteOf(services, name);
  if (remote !== undefined) return serveAggregated(call, remote, services);
  const documents = documentsOf(services);
  if (!documents.hasV3(name)) return sendEmpty(call, 404, {});
  const headers = { vary: 'Accept' };
  const form = wantedForm(call, OPENAPI_V3_PROTOBUF.accepted);
  if (form === undefined) return sendEmpty(call, 406, headers);
  const hash = call.info.query.text('hash');
  // The index lists the hash of the JSON document, whatever form is requested.
  const listed = hash === '' ? undefined : await documents.v3Hash(name);
  if (listed !== undefined && hash !== listed) {
    const location = `/openapi/v3/${name}?hash=${listed}`;
    return sendEmpty(call, 301, { location, 'content-type': 'application/json', ...headers });
  }
  const document: DatedDocument | undefined = await documents.v3(name, form);
  if (document === undefined) return sendEmpty(call, 404, {});
  const contentType = form === 'protobuf' ? OPENAPI_V3_PROTOBUF.contentType : 'application/json';
  const expires = httpTime(services.world.clock.now() + YEAR).replace('GMT', 'UTC');
  const keep = hash === '' ? {} : { 'cache-control': 'public, immutable', expires };
  return send(call, services, { ...document, contentType, headers: { ...headers, ...keep }, compresses: false });
}

const YEAR = 365 * 86_400_000;

const send = (call: Call, { world }: HttpServices, content: Omit<Content, 'boundary'>): void | Promise<void> =>
  sendContent(call, { ...content, boundary: () => world.random.uuid().replaceAll('-', '') });

/** The form of a document that the best clause of the Accept header names, JSON before protobuf; undefined for none. */
function wantedForm(call: Call, protobuf: readonly string[]): DocumentForm | undefined {
  const { accept = '' } = call.exchange.headers;
  if (accept === '') return 'json';
  for (const { type, subtype } of parseAccept(accept)) {
    const isNamed = (other: string): boolean =>
      (type === '*' || type === 'application') && (subtype === '*' || `application/${subtype}` === other);
    if (isNamed('application/json')) return 'json';
    if (protobuf.some(isNamed)) return 'protobuf';
  }
  return undefined;
}

function describeResource(served: ServedResource): ApiResource {
  const { group, version, kind, published, declaration } = served;
  return {
    name: served.resource,
    kind,
    namespaced: served.namespaced,
    ...(published === undefined
      ? {}
      : {
          custom: {
            schema: published,
            listKind: declaration.listKind,
            selectableFields: [...served.fieldLabels.keys()],
          },
        }),
    verbs: [...served.verbs].sort(),
    subresources: Object.entries(served.subresources)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, sub]) => ({
        name,
        verbs: [...sub.verbs].sort(),
        kind:
          sub.kind === undefined
            ? { group, version, kind }
            : {
                group: sub.kind.group === '' && sub.kind.version === '' ? group : sub.kind.group,
                version: sub.kind.version === '' ? version : sub.kind.version,
                kind: sub.kind.kind,
              },
      })),
  };
}
