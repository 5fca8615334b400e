import type { GroupResourceName, JsonObject } from '../api/index.js';
import { type AuthObjects, type FollowedChange, identityOf, type ObjectIdentity } from './objects.js';

/** Stored objects for tests: a map that a test changes. */
export class TestObjects implements AuthObjects {
  readonly #objects = new Map<string, FollowedChange>();
  readonly #observers = new Set<(change: FollowedChange) => void>();
  /** The result of `current`. */
  waiting: Promise<void> | undefined;

  put(resource: GroupResourceName, namespace: string, name: string, object: JsonObject | undefined): void {
    const json = JSON.stringify(object ?? {});
    const change = { resource, namespace, name, object, mentions: (text: string) => json.includes(text) };
    const key = keyOf(resource, namespace, name);
    if (object === undefined) this.#objects.delete(key);
    else this.#objects.set(key, change);
    for (const f of this.#observers) f(change);
  }

  /** An RBAC object, by its kind and metadata. */
  rbac(object: JsonObject & { readonly kind: string; readonly metadata: { name: string; namespace?: string } }): void {
    const { name, namespace = '' } = object.metadata;
    const resource = `${object.kind.toLowerCase()}s`;
    this.put({ group: 'rbac.authorization.k8s.io', resource }, namespace, name, object);
  }

  get(resource: GroupResourceName, namespace: string, name: string): JsonObject | undefined {
    return this.#objects.get(keyOf(resource, namespace, name))?.object;
  }

  identity(resource: GroupResourceName, namespace: string, name: string): ObjectIdentity | undefined {
    const found = this.get(resource, namespace, name);
    return found === undefined ? undefined : identityOf(found);
  }

  follow(resources: readonly GroupResourceName[], changed: (change: FollowedChange) => void): () => void {
    const followed = new Set(resources.map(({ group, resource }) => `${group}/${resource}`));
    const observer = (change: FollowedChange): void => {
      if (followed.has(`${change.resource.group}/${change.resource.resource}`)) changed(change);
    };
    for (const change of this.#objects.values()) observer(change);
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  current(): Promise<void> | undefined {
    return this.waiting;
  }
}

const keyOf = ({ group, resource }: GroupResourceName, namespace: string, name: string): string =>
  `${group}/${resource}/${namespace}/${name}`;
