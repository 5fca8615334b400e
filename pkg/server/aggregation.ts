import {
  at,
  boolAt,
  compareText,
  compareVersions,
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../api/index.js';
import type { AuthObjects } from '../auth/index.js';
import type { Pace, World } from '../base/index.js';
import type { Config } from '../config/index.js';
import type { CheckServer } from '../controllers/index.js';
import type { Aggregation, RemoteVersion } from '../http/index.js';
import {
  type Credentials,
  type Outbound,
  type OutboundRequest,
  type OutboundTarget,
  type ServiceResolver,
  serviceName,
} from '../outbound/index.js';
import type { RemoteDocument } from '../schema/index.js';
import { ApiServiceMetrics } from './apiservicemetrics.js';
import { givenText } from './given.js';
import { remoteContent } from './remotecontent.js';
import { AGGREGATOR, RemoteDiscovery } from './remotediscovery.js';
import { remoteObjects } from './remoteobjects.js';
import { remoteOwners } from './remoteowners.js';
import type { RemoteServer } from './remoteserver.js';
import { RemoteSwagger } from './remoteswagger.js';

const GROUP = 'apiregistration.k8s.io';
/** Milliseconds. */
const CHECK_TIME = 5_000;

export interface AggregatorParts {
  readonly world: World;
  /** For reading large documents in steps. */
  readonly pace: Pace;
  readonly outbound: Outbound;
  readonly objects: AuthObjects;
  readonly resolve: ServiceResolver;
  /** The client certificate of `--proxy-client-cert-file`, PEM. */
  readonly certificate: Credentials['certificate'] | undefined;
  readonly note: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

interface Remote {
  readonly object: JsonObject;
  readonly target: OutboundTarget;
  readonly discovery: RemoteDiscovery;
  readonly swagger: RemoteSwagger;
}

/** The fields of an APIService that decide how its server is called. */
const specText = (object: JsonObject): string => JSON.stringify(object['spec'] ?? {});

/** The group versions that other servers serve, from the APIServices in this peer's cache. */
export class Aggregator implements Aggregation {
  readonly #parts: AggregatorParts;
  readonly metrics = new ApiServiceMetrics();
  readonly #remotes = new Map<string, Remote>();
  readonly #stop: () => void;
  #versions: readonly RemoteVersion[] = [];
  #documents: readonly RemoteDocument[] = [];
  #found = new Map<string, RemoteVersion>();

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
        headers: AGGREGATOR,
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

  /** The objects of aggregated servers that others may own. */
  readonly remoteObjects = remoteObjects(() => this.#servers());

  close(): void {
    this.#stop();
    for (const remote of this.#remotes.values()) stop(remote);
    this.#remotes.clear();
  }

  #changed(name: string, object: JsonObject | undefined): void {
    this.metrics.changed(name, object);
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
        ...this.#questionsTo(name, object, known),
      });
    }
    this.#publish();
    const remote = this.#remotes.get(name);
    if (remote === undefined) return;
    remote.discovery.setAvailable(isAvailable(remote.object));
    remote.swagger.setAvailable(isAvailable(remote.object));
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
        pace: this.#parts.pace,
      }))
      .sort(byPriority);
  }

  #published({ object, target, discovery }: Remote): RemoteVersion {
    const { outbound } = this.#parts;
    const spec = objectAt(object, 'spec');
    return {
      group: textAt(spec, 'group'),
      version: textAt(spec, 'version'),
      groupPriority: numberAt(spec, 'groupPriorityMinimum'),
      versionPriority: numberAt(spec, 'versionPriority'),
      isAvailable: isAvailable(object),
      discovery: discovery.document,
      openApi: discovery.openApi,
      groupOpenApi: discovery.groupOpenApi,
      open: (request) => outbound.open(target, request),
      upgrade: (request) => outbound.upgrade(target, request),
    };
  }

  /** What a server is asked again and again. `known`: the server that had the name before, whose OpenAPI document is kept. */
  #questionsTo(name: string, object: JsonObject, known: Remote | undefined): Pick<Remote, 'discovery' | 'swagger'> {
    const { world, pace, outbound, note } = this.#parts;
    const spec = objectAt(object, 'spec');
    const version = { group: textAt(spec, 'group'), version: textAt(spec, 'version') };
    const target = this.#targetOf(object);
    const parts = {
      world,
      pace,
      send: (request: OutboundRequest) => outbound.send(target, request),
      changed: () => this.#publish(),
      unusable: (err: unknown) => note('the answer of an aggregated server cannot be used', { apiService: name, err }),
    };
    return {
      discovery: new RemoteDiscovery(version, parts),
      swagger: new RemoteSwagger(version, parts, known?.swagger.document),
    };
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
      purpose: 'aggregation',
      ...(caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString('utf8') }),
      ...(certificate === undefined ? {} : { credentials: { certificate } }),
    };
  }
}

function stop({ discovery, swagger }: Remote): void {
  discovery.close();
  swagger.close();
}

const isSameList = <T>(a: readonly T[], b: readonly T[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

const isAvailable = (object: JsonObject): boolean =>
  objectsAt(object, 'status', 'conditions').some(
    (c) => textAt(c, 'type') === 'Available' && textAt(c, 'status') === 'True',
  );

const byPriority = (a: RemoteVersion, b: RemoteVersion): number =>
  b.groupPriority - a.groupPriority ||
  compareText(a.group, b.group) ||
  b.versionPriority - a.versionPriority ||
  compareVersions(a.version, b.version);

/** The client certificate by which this server identifies itself to aggregated servers. */
export function proxyCertificate({ outbound: { proxyClient } }: Config): Credentials['certificate'] | undefined {
  if (proxyClient === undefined) return undefined;
  return {
    cert: givenText({ flag: 'proxy-client-cert-file', path: proxyClient.certFile }),
    key: givenText({ flag: 'proxy-client-key-file', path: proxyClient.keyFile }),
  };
}
