import type { StructSchema } from './types.js';

export interface GroupVersionKind {
  /** API group as clients write it: `''` for core, `rbac.authorization.k8s.io`, ... */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Releases as `[major, minor]` text (`1.22`). Absent: not known or not planned. */
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
  readonly scope: 'Namespaced' | 'Cluster';
  /** The kind has a REST resource of its own in this version (facts: `+genclient`); false for lists, options and review payloads. */
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
