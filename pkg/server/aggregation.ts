import { at, boolAt, type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../api/index.js';
import type { AuthObjects } from '../auth/index.js';
import type { Pace, World } from '../base/index.js';
import type { Config } from '../config/index.js';
import type { CheckServer } from '../controllers/index.js';
import type { Aggregation, RemoteVersion } from '../http/index.js';
import {
  type Credentials,
  type Outbound,
  OutboundError,
  type OutboundRequest,
  type OutboundTarget,
  type ServiceResolver,
  serviceName,
} from '../outbound/index.js';
import type { RemoteDocument } from '../schema/index.js';
import { givenText } from './given.js';
import { remoteContent } from './remotecontent.js';
import { remoteOwners } from './remoteowners.js';
import type { RemoteServer } from './remoteserver.js';
import { RemoteSwagger } from './remoteswagger.js';

const GROUP = 'apiregistration.k8s.io';
/** Milliseconds. */
const CHECK_TIME = 5_000;
const DISCOVERY_TIME = 5_000;
const DISCOVERY_EVERY = 60_000;
const DISCOVERY_AGAIN = 5_000;

export interface AggregatorParts {
  readonly world: World;
  /** For reading large documents in steps. */
  readonly pace: Pace;
  readonly outbound: Outbound;
  readonly objects: AuthObjects;
  readonly resolve: ServiceResolver;
  /** The client certificate of `--proxy-client-cert-file`, PEM. */
  readonly certificate: Credentials['certificate'] | undefined;
}

interface Remote {
  readonly object: JsonObject;
  readonly target: OutboundTarget;
  discovery: RemoteVersion['discovery'];
  openApi: string;
  readonly swagger: RemoteSwagger;
  cancel: () => void;
}

/** The fields of an APIService that decide how its server is called. */
const specText = (object: JsonObject): string => JSON.stringify(object['spec'] ?? {});

/** The group versions that other servers serve, from the APIServices in this peer's cache. */
export class Aggregator implements Aggregation {
  readonly #parts: AggregatorParts;
  readonly #remotes = new Map<string, Remote>();
  readonly #stop: () => void;
  #versions: readonly RemoteVersion[] = [];
  #documents: readonly RemoteDocument[] = [];
  #found = new Map<string, RemoteVersion>();
  #isClosed = false;

  constructor(parts: AggregatorParts) {
    this.#parts = parts;
    this.#stop = parts.objects.follow([{ group: GROUP, resource: 'apiservices' }], ({ name, object }) =>
      this.#changed(name, object),
    );
  }

  get versions(): readonly RemoteVersion[] {
    return this.#versions;
  }

  get documents(): readonly RemoteDocument[] {
    return this.#documents;
  }

  find(group: string, version: string): RemoteVersion | undefined {
    return this.#found.size === 0 ? undefined : this.#found.get(`${version}.${group}`);
  }

  /** Asks a server for its discovery document, as the availability check. Returns what is wrong. */
  readonly check: CheckServer = async (object) => {
    const spec = objectAt(object, 'spec');
    const path = `/apis/${textAt(spec, 'group')}/${textAt(spec, 'version')}`;
    const target = this.#targetOf(object);
    try {
      const { status } = await this.#parts.outbound.send(target, {
        method: 'GET',
        path,
        headers: IDENTITY,
        timeout: CHECK_TIME,
      });
      if (status >= 200 && status < 300) return undefined;
      return `failing or missing response from ${target.origin}${path}: bad status from ${target.origin}${path}: ${status}`;
    } catch (error) {
      return `failing or missing response from ${target.origin}${path}: ${(error as Error).message}`;
    }
  };

  /** The objects of aggregated servers in namespaces. */
  readonly content = remoteContent(() => this.#servers());

  /** The objects of aggregated servers that own others. */
  readonly owners = remoteOwners(() => this.#servers());

  close(): void {
    this.#isClosed = true;
    this.#stop();
    for (const remote of this.#remotes.values()) stop(remote);
    this.#remotes.clear();
  }

  #changed(name: string, object: JsonObject | undefined): void {
    const known = this.#remotes.get(name);
    const isRemote = object !== undefined && at(object, 'spec', 'service') !== undefined;
    if (!isRemote) {
      if (known === undefined) return;
      stop(known);
      this.#remotes.delete(name);
    } else if (known !== undefined && specText(known.object) === specText(object))
      this.#remotes.set(name, Object.assign(known, { object }));
    else {
      if (known !== undefined) stop(known);
      this.#remotes.set(name, {
        object,
        target: this.#targetOf(object),
        discovery: undefined,
        openApi: '',
        swagger: this.#swaggerOf(object, known),
        cancel: () => {},
      });
    }
    this.#publish();
    const remote = this.#remotes.get(name);
    remote?.swagger.setAvailable(isAvailable(remote.object));
    if (remote !== undefined && isAvailable(remote.object) && remote.discovery?.isCurrent !== true)
      void this.#discover(name, remote);
  }

  #publish(): void {
    const remotes = [...this.#remotes.values()]
      .map((remote) => ({ version: this.#published(remote), document: remote.swagger.document }))
      .sort((a, b) => byPriority(a.version, b.version));
    const versions = remotes.map(({ version }) => version);
    this.#versions = versions;
    const documents = remotes.flatMap(({ document }) => document ?? []);
    if (!isSameList(documents, this.#documents)) this.#documents = documents;
    this.#found = new Map(versions.map((v) => [`${v.version}.${v.group}`, v]));
  }

  #servers(): readonly RemoteServer[] {
    return [...this.#remotes.values()]
      .map((remote) => ({
        ...this.#published(remote),
        send: (request: OutboundRequest) => this.#parts.outbound.send(remote.target, request),
      }))
      .sort(byPriority);
  }

  #published({ object, target, discovery, openApi }: Remote): RemoteVersion {
    const { outbound } = this.#parts;
    const spec = objectAt(object, 'spec');
    return {
      group: textAt(spec, 'group'),
      version: textAt(spec, 'version'),
      groupPriority: numberAt(spec, 'groupPriorityMinimum'),
      versionPriority: numberAt(spec, 'versionPriority'),
      isAvailable: isAvailable(object),
      discovery,
      openApi,
      open: (request) => outbound.open(target, request),
      upgrade: (request) => outbound.upgrade(target, request),
    };
  }

  /** The OpenAPI v2 document of a server; that of the former one is `known`. */
  #swaggerOf(object: JsonObject, known: Remote | undefined): RemoteSwagger {
    const { world, pace, outbound } = this.#parts;
    const spec = objectAt(object, 'spec');
    const target = this.#targetOf(object);
    return new RemoteSwagger(
      { group: textAt(spec, 'group'), version: textAt(spec, 'version') },
      { world, pace, send: (request) => outbound.send(target, request), changed: () => this.#publish() },
      known?.swagger.document,
    );
  }

  #targetOf(object: JsonObject): OutboundTarget {
    const spec = objectAt(object, 'spec');
    const service = objectAt(spec, 'service');
    const reference = {
      namespace: textAt(service, 'namespace'),
      name: textAt(service, 'name'),
      port: numberAt(service, 'port'),
    };
    const { resolve, certificate } = this.#parts;
    const name = serviceName(reference);
    const caBundle = textAt(spec, 'caBundle');
    return {
      origin: `https://${name}:${reference.port}`,
      serverName: name,
      address: () => resolve(reference),
      insecure: boolAt(spec, 'insecureSkipTLSVerify'),
      network: 'cluster',
      ...(caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString('utf8') }),
      ...(certificate === undefined ? {} : { credentials: { certificate } }),
    };
  }

  /** Fetches the discovery document of a server, and again from time to time. */
  async #discover(name: string, remote: Remote): Promise<void> {
    remote.cancel();
    const spec = objectAt(remote.object, 'spec');
    const [group, version] = [textAt(spec, 'group'), textAt(spec, 'version')];
    const document = await this.#fetchDiscovery(remote.target, group, version).catch(noAnswer);
    const openApi = await this.#fetchOpenApi(remote.target, `apis/${group}/${version}`).catch(noAnswer);
    if (this.#isClosed || this.#remotes.get(name) !== remote) return;
    const known = remote.discovery;
    remote.discovery = document === undefined ? known && { ...known, isCurrent: false } : { document, isCurrent: true };
    const isSame =
      JSON.stringify(known) === JSON.stringify(remote.discovery) && (openApi ?? remote.openApi) === remote.openApi;
    remote.openApi = openApi ?? remote.openApi;
    if (!isSame) this.#publish();
    const wait = document === undefined ? DISCOVERY_AGAIN : DISCOVERY_EVERY;
    remote.cancel = this.#parts.world.timers.after(wait, () => {
      if (isAvailable(remote.object)) void this.#discover(name, remote);
    });
  }

  /** The URL of the OpenAPI v3 document of a version; '' if the server has none. */
  async #fetchOpenApi(target: OutboundTarget, name: string): Promise<string> {
    const { status, body } = await this.#parts.outbound.send(target, {
      method: 'GET',
      path: '/openapi/v3',
      headers: { ...IDENTITY, accept: 'application/json' },
      timeout: DISCOVERY_TIME,
    });
    if (status !== 200) return '';
    return textAt(JSON.parse(body.toString('utf8')) as JsonObject, 'paths', name, 'serverRelativeURL');
  }

  /** The entry of one version: from the aggregated document where the server has one, from its APIResourceList otherwise. */
  async #fetchDiscovery(target: OutboundTarget, group: string, version: string): Promise<JsonObject | undefined> {
    const get = (path: string, accept: string) =>
      this.#parts.outbound.send(target, {
        method: 'GET',
        path,
        headers: { ...IDENTITY, accept },
        timeout: DISCOVERY_TIME,
      });
    const aggregated = await get('/apis', AGGREGATED);
    if (aggregated.status === 200) {
      const list = JSON.parse(aggregated.body.toString('utf8')) as JsonObject;
      const item = objectsAt(list, 'items').find((i) => textAt(i, 'metadata', 'name') === group);
      const found = objectsAt(item, 'versions').find((v) => textAt(v, 'version') === version);
      if (found !== undefined) return { ...found };
    }
    const plain = await get(`/apis/${group}/${version}`, 'application/json');
    if (plain.status !== 200) return undefined;
    return fromResourceList(JSON.parse(plain.body.toString('utf8')) as JsonObject, version);
  }
}

function stop({ cancel, swagger }: Remote): void {
  cancel();
  swagger.close();
}

const isSameList = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

/** A server that does not respond, or does not return JSON, has no document. */
function noAnswer(error: unknown): undefined {
  if (error instanceof OutboundError || error instanceof SyntaxError) return undefined;
  throw error;
}

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

/** The server's own requests to aggregated servers. */
const IDENTITY = { 'x-remote-user': 'system:kube-aggregator', 'x-remote-group': ['system:masters'] } as const;

const isAvailable = (object: JsonObject): boolean =>
  objectsAt(object, 'status', 'conditions').some(
    (c) => textAt(c, 'type') === 'Available' && textAt(c, 'status') === 'True',
  );

const byPriority = (a: RemoteVersion, b: RemoteVersion): number =>
  b.groupPriority - a.groupPriority ||
  (a.group < b.group ? -1 : a.group > b.group ? 1 : b.versionPriority - a.versionPriority);

/** Converts an APIResourceList to the form of aggregated discovery. */
function fromResourceList(list: JsonObject, version: string): JsonObject {
  const all = objectsAt(list, 'resources');
  const kindOf = (r: JsonObject): JsonObject => ({
    group: textAt(r, 'group'),
    version: textAt(r, 'version'),
    kind: textAt(r, 'kind'),
  });
  const resources = all
    .filter((r) => !textAt(r, 'name').includes('/'))
    .map((r) => {
      const name = textAt(r, 'name');
      const subresources = all
        .filter((s) => textAt(s, 'name').startsWith(`${name}/`))
        .map((s) => ({
          subresource: textAt(s, 'name').slice(name.length + 1),
          responseKind: kindOf(s),
          verbs: s['verbs'] ?? [],
        }));
      return {
        resource: name,
        responseKind: kindOf(r),
        scope: boolAt(r, 'namespaced') ? 'Namespaced' : 'Cluster',
        singularResource: textAt(r, 'singularName'),
        verbs: r['verbs'] ?? [],
        ...(r['shortNames'] === undefined ? {} : { shortNames: r['shortNames'] }),
        ...(r['categories'] === undefined ? {} : { categories: r['categories'] }),
        ...(subresources.length === 0 ? {} : { subresources }),
      };
    });
  return { version, resources };
}

/** The client certificate by which this server identifies itself to aggregated servers. */
export function proxyCertificate({ outbound: { proxyClient } }: Config): Credentials['certificate'] | undefined {
  if (proxyClient === undefined) return undefined;
  return {
    cert: givenText({ flag: 'proxy-client-cert-file', path: proxyClient.certFile }),
    key: givenText({ flag: 'proxy-client-key-file', path: proxyClient.keyFile }),
  };
}
