import { ApiError, isObject, type JsonObject, type JsonValue, objectsAt, type StatusReason } from '../../api/index.js';
import type { RestClient } from './rest.js';

export interface ResourcePath {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural: `configmaps`. */
  readonly resource: string;
}

/** An object as the server returns it. */
export interface ApiObject extends JsonObject {
  readonly metadata: JsonObject;
}

/** Parameters of a query; undefined ones are omitted. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: ApiObject;
}

export interface ObjectList {
  readonly items: readonly ApiObject[];
  readonly resourceVersion: string;
  /** The token of the next chunk; '' if this is the last one. */
  readonly continue: string;
}

export type PatchType = 'json' | 'merge' | 'strategic-merge' | 'apply';

const PATCH_TYPES: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  'strategic-merge': 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** The verbs of one resource. Every function throws `ApiError` for an error of the server, and `OutboundError` if there is no response. */
export class ResourceClient {
  readonly client: RestClient;
  readonly #resource: ResourcePath;
  readonly #namespace: string;

  /** `namespace` is '' for cluster-scoped resources and for all namespaces. */
  constructor(client: RestClient, resource: ResourcePath, namespace = '') {
    this.client = client;
    this.#resource = resource;
    this.#namespace = namespace;
  }

  async get(name: string, query: Query = {}): Promise<ApiObject> {
    return objectOf(await this.client.request({ method: 'GET', path: this.#path(name, query) }));
  }

  async list(query: Query = {}, signal?: AbortSignal): Promise<ObjectList> {
    const path = this.#path('', query);
    const value = await this.client.request({ method: 'GET', path, ...(signal === undefined ? {} : { signal }) });
    const metadata = isObject(value['metadata']) ? value['metadata'] : {};
    return {
      items: objectsAt(value, 'items').map(objectOf),
      resourceVersion: String(metadata['resourceVersion'] ?? ''),
      continue: String(metadata['continue'] ?? ''),
    };
  }

  async create(object: JsonObject, query: Query = {}): Promise<ApiObject> {
    return objectOf(await this.client.request({ method: 'POST', path: this.#path('', query), body: object }));
  }

  async update(name: string, object: JsonObject, query: Query = {}): Promise<ApiObject> {
    return objectOf(await this.client.request({ method: 'PUT', path: this.#path(name, query), body: object }));
  }

  async patch(name: string, type: PatchType, patch: JsonValue, query: Query = {}): Promise<ApiObject> {
    const contentType = PATCH_TYPES[type];
    return objectOf(
      await this.client.request({ method: 'PATCH', path: this.#path(name, query), body: patch, contentType }),
    );
  }

  /** Returns the object, or a Status. `options` is a DeleteOptions. */
  delete(name: string, options: JsonObject = {}, query: Query = {}): Promise<JsonObject> {
    return this.client.request({ method: 'DELETE', path: this.#path(name, query), body: options });
  }

  /** The events of a watch, until the server or the signal ends it. An event ERROR is thrown as an `ApiError`. */
  async *watch(query: Query, signal: AbortSignal): AsyncGenerator<WatchEvent, void> {
    const response = await this.client.open({ method: 'GET', path: this.#path('', { ...query, watch: true }), signal });
    const stop = (): void => response.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      for await (const line of linesOf(response.body as AsyncIterable<Buffer>)) yield eventOf(line);
    } finally {
      signal.removeEventListener('abort', stop);
      response.abort();
    }
  }

  #path(name: string, query: Query): string {
    const { group, version, resource } = this.#resource;
    const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
    const scope = this.#namespace === '' ? '' : `/namespaces/${encodeURIComponent(this.#namespace)}`;
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)])).toString();
    const path = `${base}${scope}/${resource}${name === '' ? '' : `/${name.split('/').map(encodeURIComponent).join('/')}`}`;
    return text === '' ? path : `${path}?${text}`;
  }
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let pending: Buffer[] = [];
  for await (const piece of body) {
    let rest = piece;
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      pending.push(rest.subarray(0, end));
      yield Buffer.concat(pending).toString();
      pending = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) pending.push(rest);
  }
}

const LINE_FEED = 10;

function eventOf(line: string): WatchEvent {
  const { type, object } = JSON.parse(line) as { readonly type: string; readonly object: JsonObject };
  if (type === 'ERROR') {
    const { code, reason, message } = object;
    throw new ApiError(Number(code ?? 500), reason as StatusReason | undefined, String(message ?? ''));
  }
  return { type: type as WatchEvent['type'], object: objectOf(object) };
}

const objectOf = (value: JsonObject): ApiObject =>
  isObject(value['metadata']) ? (value as ApiObject) : { ...value, metadata: {} };
