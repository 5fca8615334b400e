import { boolAt, equalJson, type GroupVersion, isObject, type JsonObject, objectsAt, textAt } from '../api/index.js';
import { runSteps, type Steps } from '../base/index.js';
import { readJsonBody } from '../codec/index.js';
import type { RemoteVersion } from '../http/index.js';
import { type RemoteParts, RemotePoll } from './remotepoll.js';

/** Milliseconds: for a request, between two discoveries, and after a failure. */
const REQUEST_TIME = 5_000;
const TIMES = { every: 60_000, again: 5_000, againMax: 5_000 };

/** The identity of the server's own requests to aggregated servers. */
export const AGGREGATOR = { 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': ['system:masters'] } as const;

/** The URLs of the OpenAPI v3 documents of a version and its group; '' for what a server does not have. */
interface OpenApiUrls {
  readonly version: string;
  readonly group: string;
}

const NO_OPENAPI: OpenApiUrls = { version: '', group: '' };

/** The resources of a group version that an aggregated server serves, and the place of their OpenAPI v3 document. */
export class RemoteDiscovery {
  readonly #version: GroupVersion;
  readonly #parts: RemoteParts;
  readonly #poll: RemotePoll;
  #document: RemoteVersion['discovery'];
  #openApi = NO_OPENAPI;

  constructor(version: GroupVersion, parts: RemoteParts) {
    this.#version = version;
    this.#parts = parts;
    const { world, unusable } = parts;
    const ask = (isCurrent: () => boolean): Promise<boolean> => this.#refresh(isCurrent);
    this.#poll = new RemotePoll({ timers: world.timers, ask, unusable, ...TIMES });
  }

  /** Undefined if the server has not responded yet. Not current if the last request failed. */
  get document(): RemoteVersion['discovery'] {
    return this.#document;
  }

  /** The URL of the OpenAPI v3 document; '' if the server has none. */
  get openApi(): string {
    return this.#openApi.version;
  }

  /** The URL of the OpenAPI v3 document of the group; '' if the server has none. */
  get groupOpenApi(): string {
    return this.#openApi.group;
  }

  /** A server that has become available is asked at once. */
  setAvailable(isAvailable: boolean): void {
    this.#poll.setAvailable(isAvailable);
  }

  close(): void {
    this.setAvailable(false);
  }

  async #refresh(isCurrent: () => boolean): Promise<boolean> {
    let found: RemoteVersion['discovery'] = this.#document && { ...this.#document, isCurrent: false };
    try {
      const document = await this.#fetchDocument();
      if (document === undefined) return false;
      found = { document, isCurrent: true };
    } finally {
      if (isCurrent()) this.#set(found, this.#openApi);
    }
    const openApi = await this.#fetchOpenApi();
    if (isCurrent()) this.#set(found, openApi);
    return true;
  }

  #set(document: RemoteVersion['discovery'], openApi: OpenApiUrls): void {
    const isSame =
      document?.isCurrent === this.#document?.isCurrent &&
      openApi.version === this.#openApi.version &&
      openApi.group === this.#openApi.group &&
      equalJson(document?.document ?? null, this.#document?.document ?? null);
    if (isSame) return;
    this.#document = document;
    this.#openApi = openApi;
    this.#parts.changed();
  }

  /** The entry of the version: from the aggregated document where the server has one, from its APIResourceList otherwise. */
  async #fetchDocument(): Promise<JsonObject | undefined> {
    const { group, version } = this.#version;
    const aggregated = await this.#get('/apis', AGGREGATED);
    const item = objectsAt(aggregated, 'items').find((i) => textAt(i, 'metadata', 'name') === group);
    const found = objectsAt(item, 'versions').find((v) => textAt(v, 'version') === version);
    if (found !== undefined) return found;
    const list = await this.#get(`/apis/${group}/${version}`, 'application/json');
    return list && (await runSteps(fromResourceList(list, version), this.#parts.pace));
  }

  async #fetchOpenApi(): Promise<OpenApiUrls> {
    const { group, version } = this.#version;
    const index = await this.#get('/openapi/v3', 'application/json');
    const urlOf = (name: string): string => textAt(index, 'paths', name, 'serverRelativeURL');
    return { version: urlOf(`apis/${group}/${version}`), group: urlOf(`apis/${group}`) };
  }

  /** Undefined if the response is not an object with status 200. */
  async #get(path: string, accept: string): Promise<JsonObject | undefined> {
    const headers = { ...AGGREGATOR, accept };
    const { send, pace } = this.#parts;
    const { status, body } = await send({ method: 'GET', path, headers, timeout: REQUEST_TIME });
    const read = status === 200 ? await runSteps(readJsonBody(body), pace) : undefined;
    return read?.ok && isObject(read.value) ? read.value : undefined;
  }
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

const kindOf = (r: JsonObject): JsonObject => ({
  group: textAt(r, 'group'),
  version: textAt(r, 'version'),
  kind: textAt(r, 'kind'),
});

/** Converts an APIResourceList to the form of aggregated discovery. */
function* fromResourceList(list: JsonObject, version: string): Steps<JsonObject> {
  const all = objectsAt(list, 'resources');
  const subresources = new Map<string, JsonObject[]>();
  for (const r of all) {
    const name = textAt(r, 'name');
    const slash = name.indexOf('/');
    if (slash < 0) continue;
    const [parent, subresource] = [name.slice(0, slash), name.slice(slash + 1)];
    const known = subresources.get(parent) ?? [];
    known.push({ subresource, responseKind: kindOf(r), verbs: r['verbs'] ?? [] });
    subresources.set(parent, known);
    yield;
  }
  const resources: JsonObject[] = [];
  for (const r of all) {
    const name = textAt(r, 'name');
    if (name.includes('/')) continue;
    const inner = subresources.get(name);
    resources.push({
      resource: name,
      responseKind: kindOf(r),
      scope: boolAt(r, 'namespaced') ? 'Namespaced' : 'Cluster',
      singularResource: textAt(r, 'singularName'),
      verbs: r['verbs'] ?? [],
      ...(r['shortNames'] === undefined ? {} : { shortNames: r['shortNames'] }),
      ...(r['categories'] === undefined ? {} : { categories: r['categories'] }),
      ...(inner === undefined ? {} : { subresources: inner }),
    });
    yield;
  }
  return { version, resources };
}
