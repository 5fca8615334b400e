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
];

/** The resources that built-in declarations, runtime configuration and feature gates together serve. */
export function buildServedResources(
  resources: readonly ResourceDeclaration[],
  config: RuntimeConfig,
  featureEnabled: (gate: string) => boolean,
): ServedResources {
  return servedResourcesOf(resources.map((d) => declare(d, config, featureEnabled)));
}

export function servedResourcesOf(kinds: readonly Kind[]): ServedResources {
  const byName = new Map<string, ServedResource>();
  const byKind = new Map<string, ServedResource>();
  const groups = new Map<string, Map<string, ServedResource[]>>();
  for (const kind of kinds)
    for (const r of kind.served) {
      byName.set(`${r.apiVersion}/${r.resource}`, r);
      byKind.set(`${r.apiVersion}/${r.kind}`, r);
      const versions = groups.get(r.group) ?? new Map<string, ServedResource[]>();
      groups.set(r.group, versions);
      const list = versions.get(r.version) ?? [];
      versions.set(r.version, list);
      list.push(r);
    }
  const byResource = new Map(kinds.map((k) => [`${k.group}/${k.resource}`, k]));
  return {
    kinds,
    groups: sortedGroups(groups),
    find: (group, version, resource) => byName.get(`${apiVersionOf({ group, version })}/${resource}`),
    findKind: (gvk) => byKind.get(`${apiVersionOf(gvk)}/${gvk.kind}`),
    kind: (group, resource) => byResource.get(`${group}/${resource}`),
    hasVersion: (group, version) => groups.get(group)?.has(version) ?? false,
  };
}

function sortedGroups(groups: ReadonlyMap<string, ReadonlyMap<string, ServedResource[]>>): readonly ServedGroup[] {
  const rank = (group: string): number => {
    const at = GROUP_ORDER.indexOf(group);
    return at < 0 ? GROUP_ORDER.length : at;
  };
  return [...groups]
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([group, versions]) => ({
      group,
      versions: [...versions]
        .sort(([a], [b]) => compareVersions(a, b))
        .map(([version, list]) => ({
          version,
          resources: list.sort((a, b) => (a.resource < b.resource ? -1 : 1)),
        })),
    }));
}
