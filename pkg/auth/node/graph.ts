import { type GroupResourceName, textAt } from '../../api/index.js';
import type { AuthObjects, FollowedChange } from '../objects.js';
import { keyOf, podReferences, volumeGrants } from './references.js';

const PODS: GroupResourceName = { group: '', resource: 'pods' };
const VOLUMES: GroupResourceName = { group: '', resource: 'persistentvolumes' };
/** Objects that name their node in a field. */
const PLACED: Readonly<Record<string, GroupResourceName>> = {
  volumeattachments: { group: 'storage.k8s.io', resource: 'volumeattachments' },
  resourceslices: { group: 'resource.k8s.io', resource: 'resourceslices' },
  podcertificaterequests: { group: 'certificates.k8s.io', resource: 'podcertificaterequests' },
};

/** Objects without it are on no node: most changes of pending pods need no parsing. */
const NODE_FIELD = '"nodeName":"';

/**
 * The graph of objects that each node may read: pods on it, and objects that those use; the volumes of their claims;
 * and objects that name the node. It is updated as this peer applies changes.
 */
export class NodeGraph {
  /** Object -> nodes that use it, with the number of uses. */
  readonly #nodes = new Map<string, Map<string, number>>();
  /** The contribution of each source object, so that it can be removed. */
  readonly #contributions = new Map<string, { readonly node: string; readonly keys: ReadonlySet<string> }>();
  /** Volume or Secret -> claims that lead to it, with the number of volumes; and the contribution of each volume. */
  readonly #claims = new Map<string, Map<string, number>>();
  readonly #volumes = new Map<string, { readonly claim: string; readonly keys: readonly string[] }>();
  readonly #stop: () => void;

  constructor(objects: AuthObjects) {
    this.#stop = objects.follow([PODS, VOLUMES, ...Object.values(PLACED)], (change) => this.#changed(change));
  }

  close(): void {
    this.#stop();
  }

  /** Whether the node uses the object, directly or through a claim. */
  relates(node: string, resource: string, namespace: string, name: string): boolean {
    const key = keyOf(resource, namespace, name);
    if (this.#nodes.get(key)?.has(node) === true) return true;
    for (const claim of this.#claims.get(key)?.keys() ?? [])
      if (this.#nodes.get(claim)?.has(node) === true) return true;
    return false;
  }

  #changed(change: FollowedChange): void {
    const { resource, namespace, name } = change;
    const source = keyOf(resource.resource, namespace, name);
    if (resource.resource === VOLUMES.resource) {
      this.#volumeChanged(source, change);
      return;
    }
    const old = this.#contributions.get(source);
    if (old !== undefined) {
      for (const key of old.keys) count(this.#nodes, key, old.node, -1);
      this.#contributions.delete(source);
    }
    if (!change.mentions(NODE_FIELD)) return;
    const { object } = change;
    const node = textAt(object, 'spec', 'nodeName');
    if (object === undefined || node === '') return;
    const keys = resource.resource === PODS.resource ? podReferences(object) : new Set([source]);
    for (const key of keys) count(this.#nodes, key, node, 1);
    this.#contributions.set(source, { node, keys });
  }

  #volumeChanged(source: string, { object }: FollowedChange): void {
    const old = this.#volumes.get(source);
    if (old !== undefined) {
      for (const key of old.keys) count(this.#claims, key, old.claim, -1);
      this.#volumes.delete(source);
    }
    const grants = object === undefined ? undefined : volumeGrants(object);
    if (grants === undefined) return;
    for (const key of grants.keys) count(this.#claims, key, grants.claim, 1);
    this.#volumes.set(source, grants);
  }
}

function count(of: Map<string, Map<string, number>>, key: string, by: string, change: number): void {
  let uses = of.get(key);
  if (uses === undefined) {
    uses = new Map();
    of.set(key, uses);
  }
  const now = (uses.get(by) ?? 0) + change;
  if (now > 0) uses.set(by, now);
  else uses.delete(by);
  if (uses.size === 0) of.delete(key);
}
