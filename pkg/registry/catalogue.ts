import {
  apiVersionOf,
  compareVersions,
  type GroupResourceName,
  type GroupVersion,
  type GroupVersionKind,
  type JsonObject,
} from '../api/index.js';
import { kindSchema, type Lifecycle, type StructSchema, structByName } from '../schema/index.js';
import type { DeclaredVersion, ResourceDeclaration, Strategy, Subresource, Verb } from './resource.js';
import { isServed, type RuntimeConfig } from './runtimeconfig.js';

/** One resource in one version, as it is served: what the verbs need, resolved once. */
export interface ServedResource {
  readonly declaration: ResourceDeclaration;
  readonly group: string;
  readonly version: string;
  /** Plural: the name in URLs. */
  readonly resource: string;
  readonly kind: string;
  /** `apps/v1`. */
  readonly apiVersion: string;
  readonly namespaced: boolean;
  readonly verbs: readonly Verb[];
  readonly subresources: Readonly<Record<string, Subresource>>;
  readonly strategy: Strategy;
  /** Of the served version. */
  readonly schema: StructSchema;
  /** As errors name it. */
  readonly groupResource: GroupResourceName;
  readonly storage: StorageForm;
  /** Names of field selectors in this version -> number of the field in the storage form's `fields`. */
  readonly fieldLabels: ReadonlyMap<string, number>;
  /** Between served and storage version, in place, apiVersion included; absent where they are the same. */
  readonly conversion: Conversion | undefined;
  /** Text of the `Warning: 299` header that every request to this version gets, or undefined. */
  readonly deprecation: string | undefined;
}

/** How objects of a resource are kept; the same value for all its served versions. */
export interface StorageForm {
  readonly apiVersion: string;
  readonly kind: string;
  readonly schema: StructSchema;
  /** `/registry/pods/`; '' for a virtual resource, which is not stored. */
  readonly prefix: string;
  /** Selectable fields beyond name and namespace, read from an object in the storage version. */
  readonly fields: readonly ((o: JsonObject) => string)[];
}

export interface Conversion {
  readonly toStorage: (o: JsonObject) => void;
  readonly fromStorage: (o: JsonObject) => void;
}

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

/** What is served. Immutable; a change (custom resources) makes a new catalogue, which the registry then hands out. */
export interface Catalogue {
  /** In discovery order: core first. */
  readonly groups: readonly ServedGroup[];
  find(group: string, version: string, resource: string): ServedResource | undefined;
  findKind(gvk: GroupVersionKind): ServedResource | undefined;
  hasVersion(group: string, version: string): boolean;
}

/** Groups in the order in which discovery lists them; those not named here follow, by name. */
const GROUP_ORDER: readonly string[] = [
  '',
  'apiregistration.k8s.io',
  'internal.apiserver.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'coordination.k8s.io',
  'discovery.k8s.io',
  'networking.k8s.io',
  'node.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'scheduling.k8s.io',
  'storage.k8s.io',
  'flowcontrol.apiserver.k8s.io',
  'apps',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'events.k8s.io',
  'resource.k8s.io',
];

/** What declarations and runtime configuration together serve. */
export function buildCatalogue(resources: readonly ResourceDeclaration[], config: RuntimeConfig): Catalogue {
  const all: ServedResource[] = [];
  for (const declaration of resources) {
    const storage = storageForm(declaration);
    for (const version of declaration.versions) {
      const gv = { group: version.group ?? declaration.group, version: version.version };
      if (isServed({ ...gv, resource: declaration.resource }, config)) all.push(serve(declaration, version, storage));
    }
  }
  return catalogueOf(all);
}

export function catalogueOf(all: readonly ServedResource[]): Catalogue {
  const byName = new Map<string, ServedResource>();
  const byKind = new Map<string, ServedResource>();
  const groups = new Map<string, Map<string, ServedResource[]>>();
  for (const r of all) {
    byName.set(`${r.apiVersion}/${r.resource}`, r);
    byKind.set(`${r.apiVersion}/${r.kind}`, r);
    const versions = groups.get(r.group) ?? new Map<string, ServedResource[]>();
    groups.set(r.group, versions);
    const list = versions.get(r.version) ?? [];
    versions.set(r.version, list);
    list.push(r);
  }
  const rank = (group: string): number => {
    const at = GROUP_ORDER.indexOf(group);
    return at < 0 ? GROUP_ORDER.length : at;
  };
  return {
    groups: [...groups]
      .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
      .map(([group, versions]) => ({
        group,
        versions: [...versions]
          .sort(([a], [b]) => compareVersions(a, b))
          .map(([version, list]) => ({
            version,
            resources: list.sort((a, b) => (a.resource < b.resource ? -1 : 1)),
          })),
      })),
    find: (group, version, resource) => byName.get(`${apiVersionOf({ group, version })}/${resource}`),
    findKind: (gvk) => byKind.get(`${apiVersionOf(gvk)}/${gvk.kind}`),
    hasVersion: (group, version) => groups.get(group)?.has(version) ?? false,
  };
}

const STORED_VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

function storageForm(d: ResourceDeclaration): StorageForm {
  const version = d.versions.find((v) => v.version === d.storageVersion && v.group === undefined) ?? d.versions[0]!;
  const schema = lazySchema(version.schema, d.kind);
  return {
    apiVersion: apiVersionOf({ group: d.group, version: version.version }),
    kind: d.kind,
    get schema() {
      return schema();
    },
    prefix: d.virtual === undefined ? `/registry/${d.storagePrefix ?? d.resource}/` : '',
    fields: Object.values(d.selectableFields ?? {}),
  };
}

function serve(d: ResourceDeclaration, v: DeclaredVersion, storage: StorageForm): ServedResource {
  const gv: GroupVersion = { group: v.group ?? d.group, version: v.version };
  const schema = lazySchema(v.schema, d.kind);
  return {
    declaration: d,
    group: gv.group,
    version: gv.version,
    resource: d.resource,
    kind: d.kind,
    apiVersion: apiVersionOf(gv),
    namespaced: d.namespaced,
    verbs: d.verbs ?? (d.virtual === undefined ? STORED_VERBS : ['create']),
    subresources: d.subresources ?? {},
    strategy: d.strategy,
    get schema() {
      return schema();
    },
    groupResource: { group: gv.group, resource: d.resource },
    storage,
    fieldLabels: fieldLabels(d, v),
    conversion: conversion(v, gv, storage),
    deprecation: deprecation(gv, d),
  };
}

/** Schemas are compiled when somebody uses the kind, not at start. */
function lazySchema(pkg: string, kind: string): () => StructSchema {
  let schema: StructSchema | undefined;
  return () => {
    schema ??= structByName(`${pkg}.${kind}`);
    return schema;
  };
}

function fieldLabels(d: ResourceDeclaration, v: DeclaredVersion): ReadonlyMap<string, number> {
  const labels = Object.keys(d.selectableFields ?? {});
  const own = new Map(labels.map((label, i) => [label, i] as const));
  if (v.fieldLabels === undefined) return own;
  return new Map(Object.entries(v.fieldLabels).map(([label, stored]) => [label, own.get(stored)!] as const));
}

function conversion(v: DeclaredVersion, gv: GroupVersion, storage: StorageForm): Conversion | undefined {
  const apiVersion = apiVersionOf(gv);
  if (apiVersion === storage.apiVersion) return undefined;
  return {
    toStorage: (o) => {
      v.toStorage?.(o);
      o['apiVersion'] = storage.apiVersion;
    },
    fromStorage: (o) => {
      v.fromStorage?.(o);
      o['apiVersion'] = apiVersion;
    },
  };
}

/** `v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice`. */
function deprecation(gv: GroupVersion, { kind, deprecated }: ResourceDeclaration): string | undefined {
  if (deprecated !== undefined) return `${apiVersionOf(gv)} ${kind} is deprecated in ${deprecated}`;
  const life: Lifecycle | undefined = kindSchema({ ...gv, kind })?.info.lifecycle;
  if (life?.deprecated === undefined) return undefined;
  const removed = life.removed === undefined ? '' : `, unavailable in v${life.removed}+`;
  const use = life.replacement === undefined ? '' : `; use ${apiVersionOf(life.replacement)} ${life.replacement.kind}`;
  return `${apiVersionOf(gv)} ${kind} is deprecated in v${life.deprecated}+${removed}${use}`;
}
