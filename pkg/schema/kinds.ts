import { readFileSync } from 'node:fs';
import { structByName } from './load.js';
import type { StructSchema } from './types.js';

export interface GroupVersionKind {
  /** API group as clients write it: `''` for core, `rbac.authorization.k8s.io`, ... */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Releases as text (`1.22`). Absent: not known or not planned. */
export interface Lifecycle {
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  readonly replacement?: GroupVersionKind;
}

/** A top-level kind of the built-in API: what discovery, the codecs and the registry need to know before they read its schema. */
export interface KindInfo extends GroupVersionKind {
  /** Package of the declaration file: `core/v1`, `rbac/v1`. */
  readonly package: string;
  /** Full type name: `core/v1.Pod`. */
  readonly type: string;
  /** A list kind has the scope of its items. */
  readonly scope: 'Namespaced' | 'Cluster';
  /** The kind has a REST resource of its own in this version; false for lists, options and review payloads. */
  readonly resource: boolean;
  /** Kind of its list (`PodList`), where there is one. */
  readonly listKind?: string;
  /** For a list kind: the kind of its items. */
  readonly itemKind?: string;
  /** Subresources that the declaration names, without the slash: `status`, `scale`, `eviction`. */
  readonly subresources: readonly string[];
  /** For a kind that stands only for a subresource: its name. */
  readonly isSubresource?: string;
  readonly lifecycle: Lifecycle;
}

/** A loaded kind: its facts and its schema. */
export interface Kind {
  readonly info: KindInfo;
  readonly schema: StructSchema;
}

interface Index {
  readonly infos: readonly KindInfo[];
  readonly byKey: ReadonlyMap<string, Kind>;
  readonly groups: ReadonlyMap<string, string>;
}

let index: Index | undefined;

/** Request options belong to every group version; answers without a group to core v1. */
const EVERYWHERE: ReadonlySet<string> = new Set([
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
 * Facts and schema of a built-in kind (lists and options included), or undefined. The schema is compiled at first need.
 * Kinds of the machinery (`v1 Status`, `apps/v1 DeleteOptions`) are found too, with the facts of `meta.k8s.io/v1`.
 */
export function kindSchema(gvk: GroupVersionKind): Kind | undefined {
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

/** Package name -> API group: `rbac/v1` -> `rbac.authorization.k8s.io`. */
export function packageGroups(): ReadonlyMap<string, string> {
  return readIndex().groups;
}

const keyOf = (gvk: GroupVersionKind): string => `${gvk.group}/${gvk.version}/${gvk.kind}`;

function readIndex(): Index {
  index ??= parseIndex(readFileSync(new URL('./data/kinds.index', import.meta.url), 'utf8'));
  return index;
}

function parseIndex(text: string): Index {
  const infos: KindInfo[] = [];
  const byKey = new Map<string, Kind>();
  const groups = new Map<string, string>();
  let pkg = '';
  let group = '';
  let version = '';
  const itemOf = new Map<string, KindInfo>();
  for (const line of text.split('\n')) {
    if (line === '' || line[0] === '#') continue;
    if (line[0] !== ' ') {
      const words = line.split(' ');
      pkg = words[1] as string;
      group = words[2] === 'core' ? '' : (words[2] as string);
      version = words[3] as string;
      groups.set(pkg, group);
      itemOf.clear();
      continue;
    }
    const info = parseKind(line.slice(2).split(' '), { pkg, group, version, itemOf });
    if (info.listKind !== undefined) itemOf.set(info.listKind, info);
    infos.push(info);
    byKey.set(keyOf(info), kindOf(info));
  }
  return { infos, byKey, groups };
}

/** The schema is a getter: the index is read at start, schemas when somebody uses the kind. */
function kindOf(info: KindInfo): Kind {
  let schema: StructSchema | undefined;
  return {
    info,
    get schema() {
      schema ??= structByName(info.type);
      return schema;
    },
  };
}

interface KindContext {
  readonly pkg: string;
  readonly group: string;
  readonly version: string;
  readonly itemOf: ReadonlyMap<string, KindInfo>;
}

function parseKind(words: readonly string[], at: KindContext): KindInfo {
  const kind = words[0] as string;
  const flags = new Map<string, string>();
  for (const word of words.slice(1)) {
    const eq = word.indexOf('=');
    if (eq < 0) flags.set(word, '');
    else flags.set(word.slice(0, eq), word.slice(eq + 1));
  }
  const item = at.itemOf.get(kind);
  const introduced = flags.get('introduced');
  const deprecated = flags.get('deprecated');
  const removed = flags.get('removed');
  const replacement = flags.get('replacement')?.split(',');
  const listKind = flags.get('list');
  const isSubresource = flags.get('of');
  return {
    group: at.group,
    version: at.version,
    kind,
    package: at.pkg,
    type: `${at.pkg}.${kind}`,
    scope: item?.scope ?? (flags.has('cluster') ? 'Cluster' : 'Namespaced'),
    resource: flags.has('resource'),
    ...(listKind !== undefined && { listKind }),
    ...(item !== undefined && { itemKind: item.kind }),
    subresources: flags.get('sub')?.split(',') ?? [],
    ...(isSubresource !== undefined && { isSubresource }),
    lifecycle: {
      ...(introduced !== undefined && { introduced }),
      ...(deprecated !== undefined && { deprecated }),
      ...(removed !== undefined && { removed }),
      ...(replacement !== undefined && {
        replacement: {
          group: replacement[0] as string,
          version: replacement[1] as string,
          kind: replacement[2] as string,
        },
      }),
    },
  };
}
