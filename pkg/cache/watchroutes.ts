import type { LogEntry } from './log.js';
import type { WatchGroup } from './watchgroup.js';

/** An index of watch groups by namespace, by object and by hot field. It finds the groups that an entry may concern. */
export class WatchRoutes {
  readonly #all = new Set<WatchGroup>();
  readonly #byNamespace = new Map<string, Set<WatchGroup>>();
  readonly #byObject = new Map<string, Set<WatchGroup>>();
  readonly #byName = new Map<string, Set<WatchGroup>>();
  readonly #byField = new Map<number, Map<string, Set<WatchGroup>>>();

  each(entry: LogEntry, f: (group: WatchGroup) => void): void {
    for (const group of this.#all) f(group);
    const { namespace, name } = entry.object;
    for (const group of this.#byNamespace.get(namespace) ?? []) f(group);
    for (const group of this.#byObject.get(`${namespace}/${name}`) ?? []) f(group);
    if (this.#byName.size > 0) for (const group of this.#byName.get(name) ?? []) f(group);
    for (const [field, groups] of this.#byField) {
      const after = entry.object.fields()[field]!;
      for (const group of groups.get(after) ?? []) if (concerns(group, namespace)) f(group);
      const before = entry.previous?.fields()[field];
      if (before === undefined || before === after) continue;
      for (const group of groups.get(before) ?? []) if (concerns(group, namespace)) f(group);
    }
  }

  add(group: WatchGroup): void {
    this.#home(group).add(group);
  }

  remove(group: WatchGroup): void {
    const { selection: s } = group;
    this.#home(group).delete(group);
    if (s.name !== '') {
      dropEmpty(this.#byObject, `${s.namespace}/${s.name}`);
      dropEmpty(this.#byName, s.name);
    } else if (s.hot !== undefined) {
      const values = this.#byField.get(s.hot.field);
      if (values !== undefined) dropEmpty(values, s.hot.value);
      if (values?.size === 0) this.#byField.delete(s.hot.field);
    } else dropEmpty(this.#byNamespace, s.namespace);
  }

  #home(group: WatchGroup): Set<WatchGroup> {
    const s = group.selection;
    if (s.name !== '')
      return s.namespace === '' ? setAt(this.#byName, s.name) : setAt(this.#byObject, `${s.namespace}/${s.name}`);
    if (s.hot !== undefined) {
      const values = this.#byField.get(s.hot.field) ?? new Map<string, Set<WatchGroup>>();
      this.#byField.set(s.hot.field, values);
      return setAt(values, s.hot.value);
    }
    return s.namespace === '' ? this.#all : setAt(this.#byNamespace, s.namespace);
  }
}

const concerns = (group: WatchGroup, namespace: string): boolean =>
  group.selection.namespace === '' || group.selection.namespace === namespace;

function setAt<K>(map: Map<K, Set<WatchGroup>>, key: K): Set<WatchGroup> {
  const set = map.get(key) ?? new Set<WatchGroup>();
  map.set(key, set);
  return set;
}

function dropEmpty<K>(map: Map<K, Set<WatchGroup>>, key: K): void {
  if (map.get(key)?.size === 0) map.delete(key);
}
