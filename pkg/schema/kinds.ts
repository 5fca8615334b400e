import { compareText, type GroupVersion, type GroupVersionKind } from '../api/index.js';
import { readData } from './data.js';
import { structByName } from './load.js';
import type { StructSchema } from './types.js';

/**
 * Releases as text (`1.22`). Absent if unknown or not planned. For alpha and beta versions, `deprecated` and `removed` are derived from
 * `introduced` unless they are declared.
 */
export interface Lifecycle {
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: GroupVersionKind;
}

/** A top-level kind of the built-in API: the facts that discovery, the codecs and the registry need without its schema. */
export interface KindInfo extends GroupVersionKind {
  /** Package of the declaration file: `core/v1`, `rbac/v1`. */
  readonly package: string;
  /** Full type name: `core/v1.Pod`. */
  readonly type: string;
  /** A list kind has the scope of its items. */
  readonly scope: 'Namespaced' | 'Cluster';
  /** The kind is a REST resource in this version; false for lists, options and review payloads. */
  readonly resource: boolean;
  /** The kind of its list (`PodList`), if any. */
  readonly listKind?: string;
  /** For a list kind: the kind of its items. */
  readonly itemKind?: string;
  /** Subresources that the declaration names, without the slash: `status`, `scale`, `eviction`. */
  readonly subresources: readonly string[];
  /** For a kind that exists only as a subresource: the name of the subresource. */
  readonly isSubresource?: string;
  readonly lifecycle: Lifecycle;
}

/** A kind in one version, as the codecs need it: its facts and its schema. */
export interface KindSchema {
  readonly info: KindInfo;
  readonly schema: StructSchema;
  /**
   * The structural schema of a custom resource. `schema` then has kind, apiVersion and metadata only and preserves unknown fields, because
   * custom resources are encoded as they are.
   */
  readonly structural?: StructSchema;
}

/** Reports whether the kind is a custom resource, without compiling its schema. */
export const isCustom = (kind: KindSchema): boolean => 'structural' in kind;

interface Index {
  readonly infos: readonly KindInfo[];
  readonly byKey: ReadonlyMap<string, KindSchema>;
  readonly groups: ReadonlyMap<string, string>;
  readonly groupVersions: readonly GroupVersion[];
}

let index: Index | undefined;

/** Request options belong to every group version; responses without a group belong to core v1. */
export const EVERYWHERE: ReadonlySet<string> = new Set([
  'CreateOptions',
  'DeleteOptions',
  'GetOptions',
  'ListOptions',
  'PatchOptions',
  'UpdateOptions',
  'WatchEvent',
]);
const UNGROUPED: ReadonlySet<string> = new Set([
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'List',
  'Status',
]);

/**
 * Returns the facts and the schema of a built-in kind (lists and options included), or undefined. The schema is
 * compiled on first use. Kinds of apimachinery (`v1 Status`, `apps/v1 DeleteOptions`) have the facts of
 * `meta.k8s.io/v1`.
 */
export function kindSchema(gvk: GroupVersionKind): KindSchema | undefined {
  const { byKey } = readIndex();
  const own = byKey.get(keyOf(gvk));
  if (own !== undefined) return own;
  const { group, version, kind } = gvk;
  const common = EVERYWHERE.has(kind) || (group === '' && version === 'v1' && UNGROUPED.has(kind));
  return common ? byKey.get(keyOf({ group: 'meta.k8s.io', version: 'v1', kind })) : undefined;
}

/** Every built-in kind of every group version, lists and options included. Reads only the index, no declaration file. */
export function allKinds(): readonly KindInfo[] {
  return readIndex().infos;
}

/** All group versions of built-in kinds, whether they are served or not, in order. */
export function knownGroupVersions(): readonly GroupVersion[] {
  return readIndex().groupVersions;
}

/** Those that client-go knows: the others describe payloads of webhooks, or have clients of their own. */
export function clientGroupVersions(): readonly GroupVersion[] {
  return readIndex().groupVersions.filter(({ group }) => !WITHOUT_CLIENT.has(group));
}

const WITHOUT_CLIENT: ReadonlySet<string> = new Set([
  'admission.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'imagepolicy.k8s.io',
]);

/** The groups of apimachinery and of discovery, which stand for no resources. */
const UNREGISTERED: ReadonlySet<string> = new Set(['meta.k8s.io', 'apidiscovery.k8s.io']);

/** Versions that kube-apiserver knows without any resource in them. */
const NO_LONGER_SERVED: readonly GroupVersion[] = [
  { group: 'apiextensions.k8s.io', version: 'v1beta1' },
  { group: 'apiregistration.k8s.io', version: 'v1beta1' },
];

/** Package name -> API group: `rbac/v1` -> `rbac.authorization.k8s.io`. */
export function packageGroups(): ReadonlyMap<string, string> {
  return readIndex().groups;
}

const keyOf = (gvk: GroupVersionKind): string => `${gvk.group}/${gvk.version}/${gvk.kind}`;

function readIndex(): Index {
  index ??= parseIndex(readData('kinds.index'));
  return index;
}

function parseIndex(text: string): Index {
  const infos: KindInfo[] = [];
  const byKey = new Map<string, KindSchema>();
  const groups = new Map<string, string>();
  const groupVersions: GroupVersion[] = [...NO_LONGER_SERVED];
  for (const block of text.split(/^package /m).slice(1)) {
    const [head, ...lines] = block.trimEnd().split('\n') as [string, ...string[]];
    const [pkg, groupWord, version] = head.split(' ') as [string, string, string];
    const group = groupWord === 'core' ? '' : groupWord;
    groups.set(pkg, group);
    if (!UNREGISTERED.has(group)) groupVersions.push({ group, version });
    const kinds = lines.map((line) => kindLine(line));
    const itemOf = new Map(kinds.map((k) => [k.flags.get('list'), k] as const));
    for (const line of kinds) {
      const info = describeKind(line, itemOf.get(line.kind), { pkg, group, version });
      infos.push(info);
      byKey.set(keyOf(info), kindOf(info));
    }
  }
  groupVersions.sort((a, b) => compareText(a.group, b.group) || compareText(a.version, b.version));
  return { infos, byKey, groups, groupVersions };
}

/** The schema is a getter: the index is read at start, schemas at first use. */
function kindOf(info: KindInfo): KindSchema {
  let schema: StructSchema | undefined;
  return {
    info,
    get schema() {
      schema ??= structByName(info.type);
      return schema;
    },
  };
}

interface KindLine {
  readonly kind: string;
  readonly flags: ReadonlyMap<string, string>;
}

function kindLine(line: string): KindLine {
  const [kind, ...words] = line.trim().split(' ') as [string, ...string[]];
  const flags = new Map<string, string>();
  for (const word of words) {
    const eq = word.indexOf('=');
    if (eq < 0) flags.set(word, '');
    else flags.set(word.slice(0, eq), word.slice(eq + 1));
  }
  return { kind, flags };
}

function describeKind(
  { kind, flags }: KindLine,
  item: KindLine | undefined,
  at: { readonly pkg: string; readonly group: string; readonly version: string },
): KindInfo {
  const listKind = flags.get('list');
  const isSubresource = flags.get('of');
  return {
    group: at.group,
    version: at.version,
    kind,
    package: at.pkg,
    type: `${at.pkg}.${kind}`,
    scope: (item?.flags ?? flags).has('cluster') ? 'Cluster' : 'Namespaced',
    resource: flags.has('resource'),
    ...(listKind !== undefined && { listKind }),
    ...(item !== undefined && { itemKind: item.kind }),
    subresources: flags.get('sub')?.split(',') ?? [],
    ...(isSubresource !== undefined && { isSubresource }),
    lifecycle: lifecycle(at.version, flags),
  };
}

/** Pre-release versions are deprecated three releases after their introduction and removed three releases later. */
const RELEASES_UNTIL_NEXT = 3;

function lifecycle(version: string, flags: ReadonlyMap<string, string>): Lifecycle {
  const ends = /alpha|beta/.test(version);
  const later = (release: string | undefined): string | undefined => (ends ? releaseAfter(release) : undefined);
  const introduced = flags.get('introduced');
  const deprecated = flags.get('deprecated') ?? later(introduced);
  const removed = flags.get('removed') ?? later(deprecated);
  const [group, version_, kind] = flags.get('replacement')?.split(',') ?? [];
  return {
    ...(introduced !== undefined && { introduced }),
    ...(deprecated !== undefined && { deprecated }),
    ...(removed !== undefined && { removed }),
    ...(group !== undefined &&
      version_ !== undefined &&
      kind !== undefined && { replacement: { group, version: version_, kind } }),
  };
}

function releaseAfter(release: string | undefined): string | undefined {
  if (release === undefined) return undefined;
  const [major, minor] = release.split('.');
  return `${major}.${Number(minor) + RELEASES_UNTIL_NEXT}`;
}
