import { apiVersionOf, compareVersions, type GroupVersionKind } from '../api/index.js';
import { declare } from './declare.js';
import type { Kind, ServedResource } from './kind.js';
import type { ResourceDeclaration } from './resource.js';
import type { RuntimeConfig } from './runtimeconfig.js';

export type { Conversion, Kind, ServedResource, ServedSubresource, StorageForm } from './kind.js';

/** A group as discovery lists it: versions in order of preference, the first one preferred. */
export interface ServedGroup {
  readonly group: string;
  readonly versions: readonly ServedVersion[];
}

export interface ServedVersion {
  readonly version: string;
  /** By name. */
  readonly resources: readonly ServedResource[];
}

/** The resources that are served at one time. Immutable: a change of a kind creates a new snapshot (`KindSet`). */
export interface ServedResources {
  readonly kinds: readonly Kind[];
  /** In discovery order: core first. */
  readonly groups: readonly ServedGroup[];
  find(group: string, version: string, resource: string): ServedResource | undefined;
  findKind(gvk: GroupVersionKind): ServedResource | undefined;
  /** Returns the kind of a resource, in any of its served versions. */
  kind(group: string, resource: string): Kind | undefined;
  hasVersion(group: string, version: string): boolean;
}

/** The order of groups in discovery. Other groups follow, sorted by name. */
const GROUP_ORDER: readonly string[] = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'internal.apiserver.k8s.io',
  'storagemigration.k8s.io',
];

/** The resources that built-in declarations, runtime configuration and feature gates together serve. */
export function buildServedResources(
  resources: readonly ResourceDeclaration[],
  config: RuntimeConfig,
  featureEnabled: (gate: string) => boolean,
): ServedResources {
  return servedResourcesOf(resources.map((d) => declare(d, config, featureEnabled)));
}

/** Kinds that a change adds or replaces, and the former ones that are gone: removed or replaced. */
export interface KindDelta {
  readonly set: readonly Kind[];
  readonly gone: readonly Kind[];
}

export function servedResourcesOf(kinds: readonly Kind[]): ServedResources {
  return new Snapshot(undefined, kinds, { set: kinds, gone: [] });
}

/**
 * The next snapshot, with all its kinds. The work grows with the groups that change, apart from copies of maps: there may be thousands of
 * kinds, and a change runs in one step.
 */
export function changedResources(before: ServedResources, kinds: readonly Kind[], delta: KindDelta): ServedResources {
  return new Snapshot(before instanceof Snapshot ? before : undefined, kinds, delta);
}

class Snapshot implements ServedResources {
  readonly kinds: readonly Kind[];
  readonly groups: readonly ServedGroup[];
  readonly #byName: Map<string, ServedResource>;
  readonly #byKind: Map<string, ServedResource>;
  /** By group, then by resource: a lookup that builds no text, because admission makes several for each write. */
  readonly #byResource: Map<string, Map<string, Kind>>;
  readonly #byGroup: Map<string, ServedGroup>;

  constructor(before: Snapshot | undefined, kinds: readonly Kind[], { set, gone }: KindDelta) {
    this.kinds = kinds;
    this.#byName = new Map(before === undefined ? [] : before.#byName);
    this.#byKind = new Map(before === undefined ? [] : before.#byKind);
    this.#byResource = new Map(before === undefined ? [] : before.#byResource);
    this.#byGroup = new Map(before === undefined ? [] : before.#byGroup);
    const changed = new Set<string>();
    for (const { group } of [...gone, ...set]) {
      if (!changed.has(group)) this.#byResource.set(group, new Map(this.#byResource.get(group)));
      changed.add(group);
    }
    for (const kind of gone) {
      this.#byResource.get(kind.group)!.delete(kind.resource);
      for (const r of kind.served) {
        changed.add(r.group);
        drop(this.#byName, `${r.apiVersion}/${r.resource}`, r);
        drop(this.#byKind, `${r.apiVersion}/${r.kind}`, r);
      }
    }
    for (const kind of set) {
      this.#byResource.get(kind.group)!.set(kind.resource, kind);
      for (const r of kind.served) {
        changed.add(r.group);
        this.#byName.set(`${r.apiVersion}/${r.resource}`, r);
        this.#byKind.set(`${r.apiVersion}/${r.kind}`, r);
      }
    }
    const groups = resourcesOf(kinds, changed);
    for (const name of changed) if (!groups.has(name)) this.#byGroup.delete(name);
    for (const group of sortedGroups(groups)) this.#byGroup.set(group.group, group);
    this.groups = [...this.#byGroup.values()].sort(inDiscovery);
  }

  find(group: string, version: string, resource: string): ServedResource | undefined {
    return this.#byName.get(`${apiVersionOf({ group, version })}/${resource}`);
  }

  findKind(gvk: GroupVersionKind): ServedResource | undefined {
    return this.#byKind.get(`${apiVersionOf(gvk)}/${gvk.kind}`);
  }

  kind(group: string, resource: string): Kind | undefined {
    return this.#byResource.get(group)?.get(resource);
  }

  hasVersion(group: string, version: string): boolean {
    return this.#byGroup.get(group)?.versions.some((v) => v.version === version) ?? false;
  }
}

/** Another kind may have taken the place. */
function drop(map: Map<string, ServedResource>, key: string, resource: ServedResource): void {
  if (map.get(key) === resource) map.delete(key);
}

/** The served resources of some groups, by group and version. */
function resourcesOf(
  kinds: readonly Kind[],
  wanted: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlyMap<string, ServedResource[]>> {
  const groups = new Map<string, Map<string, ServedResource[]>>();
  for (const kind of kinds)
    for (const r of kind.served) {
      if (!wanted.has(r.group)) continue;
      const versions = groups.get(r.group) ?? new Map<string, ServedResource[]>();
      groups.set(r.group, versions);
      const list = versions.get(r.version) ?? [];
      versions.set(r.version, list);
      list.push(r);
    }
  return groups;
}

function inDiscovery({ group: a }: ServedGroup, { group: b }: ServedGroup): number {
  return rank(a) - rank(b) || (a < b ? -1 : 1);
}

function rank(group: string): number {
  const at = GROUP_ORDER.indexOf(group);
  return at < 0 ? GROUP_ORDER.length : at;
}

function sortedGroups(groups: ReadonlyMap<string, ReadonlyMap<string, ServedResource[]>>): readonly ServedGroup[] {
  return [...groups].map(([group, versions]) => ({
    group,
    versions: [...versions]
      .sort(([a], [b]) => compareVersions(a, b))
      .map(([version, list]) => ({
        version,
        resources: list.sort((a, b) => (a.resource < b.resource ? -1 : 1)),
      })),
  }));
}

/** The served version of a kind that discovery lists first; undefined if none is served. */
export function firstServed({ served }: Kind): ServedResource | undefined {
  return served.toSorted((a, b) => compareVersions(a.version, b.version))[0];
}
