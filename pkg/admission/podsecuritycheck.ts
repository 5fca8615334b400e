import { type JsonObject, objectAt, objectsAt, textAt } from '../api/index.js';

/** The type of a check of the Pod Security Standards, and helpers for their texts. */

/** A violation. `detail` may be ''. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

export type Check = (pod: CheckedPod) => Violation | undefined;

/** A pod, or the template of one. */
export interface CheckedPod {
  readonly metadata: JsonObject;
  readonly spec: JsonObject;
}

/** A check from one minor version of Kubernetes until the next entry. `overrides` lists baseline checks that it replaces. */
export interface CheckVersion {
  readonly since: number;
  readonly check: Check;
  readonly overrides?: readonly string[];
}

/** Init containers, containers and ephemeral containers, in this order. */
export function* containersOf({ spec }: CheckedPod): Iterable<JsonObject> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) yield* objectsAt(spec, list);
}

export const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);
export const quoted = (items: Iterable<string>): string => [...items].map((i) => `"${i}"`).join(', ');
export const sorted = (items: ReadonlySet<string>): readonly string[] => [...items].sort();
export const named = (names: readonly string[]): string => `${plural('container', names.length)} ${quoted(names)}`;
export const nameOf = (c: JsonObject): string => textAt(c, 'name');
export const contextOf = (o: JsonObject): JsonObject => objectAt(o, 'securityContext');

/** Describes where a value is set: in the pod, in containers, or in both. */
export function setters(pod: boolean, containers: readonly string[], more: readonly string[] = []): string {
  return [...(pod ? ['pod'] : []), ...(containers.length > 0 ? [named(containers)] : []), ...more].join(' and ');
}

/** The names of the containers for which `bad` holds. */
export function badContainers(
  pod: CheckedPod,
  bad: (context: JsonObject, container: JsonObject) => boolean,
): readonly string[] {
  const names: string[] = [];
  for (const c of containersOf(pod)) if (bad(contextOf(c), c)) names.push(nameOf(c));
  return names;
}
