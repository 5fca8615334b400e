import { apiVersionOf, type GroupVersion } from '../api/index.js';
import { type KindSchema, kindSchema, type Lifecycle } from '../schema/index.js';
import type { Conversion, Kind, ServedResource, ServedSubresource, StorageForm } from './kind.js';
import { resourceMemory } from './memory.js';
import type { DeclaredVersion, ResourceDeclaration, Strategy, Verb } from './resource.js';
import { isServed, type RuntimeConfig } from './runtimeconfig.js';

/**
 * Converts a built-in declaration to a kind. Only this function looks up schemas by name. `config` decides which
 * versions are served; a resource whose feature is off has none. Schemas are compiled on first use.
 */
export function declare(
  d: ResourceDeclaration,
  config: RuntimeConfig,
  featureEnabled: (gate: string) => boolean,
): Kind {
  const storage = storageForm(d);
  const kind: Kind = {
    group: d.group,
    resource: d.resource,
    singular: d.singular,
    kind: d.kind,
    listKind: `${d.kind}List`,
    namespaced: d.namespaced,
    shortNames: d.shortNames,
    categories: d.categories,
    strategy: withGatedDefaults(d.strategy, featureEnabled),
    storage,
    remote: undefined,
    virtual: d.virtual,
    hotField: d.hotField,
    emptyObject: d.emptyObject,
    hiddenAnnotations: d.hiddenAnnotations ?? [],
    unreadable: d.unreadable,
    unknownFieldLabel: d.unknownFieldLabel,
    selectsNamespace: d.selectsNamespace !== false,
    get versions() {
      return versions;
    },
    get served() {
      return served;
    },
  };
  const versions = d.versions.map((v) => versionOf(kind, d, v));
  const on = d.featureGate === undefined || featureEnabled(d.featureGate);
  const served = versions.filter(
    ({ group, version }) => on && isServed({ group, version, resource: d.resource }, config),
  );
  return kind;
}

/** Adds the defaults whose gates are enabled to those of the strategy. */
function withGatedDefaults(strategy: Strategy, enabled: (gate: string) => boolean): Strategy {
  const gated = Object.entries(strategy.gatedDefaults ?? {}).filter(([gate]) => enabled(gate));
  if (gated.length === 0) return strategy;
  return {
    ...strategy,
    defaults: (o, now) => {
      strategy.defaults?.(o, now);
      for (const [, set] of gated) set(o);
    },
  };
}

/** Verbs of a stored resource that does not list its own. */
export const STORED_VERBS: readonly Verb[] = [
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
  const gv = { group: version.group ?? d.group, version: version.version };
  const type = typeOf(gv, d.kind);
  return {
    apiVersion: apiVersionOf({ group: d.group, version: version.version }),
    ...(d.hashedVersion === undefined
      ? {}
      : { hashedApiVersion: apiVersionOf({ group: d.group, version: d.hashedVersion }) }),
    kind: d.kind,
    type,
    get schema() {
      return type.schema;
    },
    prefix: storagePrefixOf(d),
    fields: Object.values(d.selectableFields ?? {}),
  };
}

/** The prefix of the keys of a built-in resource; '' for one that is not stored. */
export function storagePrefixOf(d: ResourceDeclaration): string {
  return d.virtual === undefined ? `/registry/${d.storagePrefix ?? d.resource}/` : '';
}

function versionOf(kind: Kind, d: ResourceDeclaration, v: DeclaredVersion): ServedResource {
  const gv: GroupVersion = { group: v.group ?? d.group, version: v.version };
  const type = typeOf(gv, d.kind);
  const { storage } = kind;
  return {
    declaration: kind,
    group: gv.group,
    version: gv.version,
    resource: d.resource,
    kind: d.kind,
    apiVersion: apiVersionOf(gv),
    namespaced: d.namespaced,
    verbs: d.verbs ?? (d.virtual === undefined ? STORED_VERBS : ['create']),
    subresources: subresources(d, type),
    strategy: kind.strategy,
    type,
    get schema() {
      return type.schema;
    },
    groupResource: { group: gv.group, resource: d.resource },
    memory: resourceMemory(apiVersionOf(gv)),
    storage,
    table: d.table,
    fieldLabels: fieldLabels(d, v),
    conversion: conversion(v, gv, storage),
    deprecation: deprecation(gv, d, type),
    published: undefined,
  };
}

function typeOf(gv: GroupVersion, kind: string): KindSchema {
  const found = kindSchema({ ...gv, kind });
  if (found === undefined) throw new Error(`no type is declared for ${apiVersionOf(gv)} ${kind}`);
  return found;
}

function subresources(d: ResourceDeclaration, own: KindSchema): Readonly<Record<string, ServedSubresource>> {
  const entries = Object.entries(d.subresources ?? {});
  return Object.fromEntries(
    entries.map(([name, sub]) => [
      name,
      { ...sub, type: sub.kind === undefined ? own : typeOf(sub.kind, sub.kind.kind) },
    ]),
  );
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
    fieldPath: v.fieldPath,
    defaults: v.defaults,
  };
}

/** `v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice`. */
function deprecation(
  gv: GroupVersion,
  { kind, deprecated }: ResourceDeclaration,
  { info }: KindSchema,
): string | undefined {
  if (deprecated !== undefined) return `${apiVersionOf(gv)} ${kind} is deprecated in ${deprecated}`;
  const life: Lifecycle = info.lifecycle;
  if (life.deprecated === undefined || compareReleases(life.deprecated, API_RELEASE) > 0) return undefined;
  const removed = life.removed === undefined ? '' : `, unavailable in v${life.removed}+`;
  const use = life.replacement === undefined ? '' : `; use ${apiVersionOf(life.replacement)} ${life.replacement.kind}`;
  return `${apiVersionOf(gv)} ${kind} is deprecated in v${life.deprecated}+${removed}${use}`;
}

/** The minor release of the served API. A version is deprecated from a certain release on. */
const API_RELEASE = '1.37';

/** Negative if `a` is older than `b`; both have the form `1.37`. */
function compareReleases(a: string, b: string): number {
  const [major = 0, minor = 0] = a.split('.').map(Number);
  const [otherMajor = 0, otherMinor = 0] = b.split('.').map(Number);
  return major - otherMajor || minor - otherMinor;
}
