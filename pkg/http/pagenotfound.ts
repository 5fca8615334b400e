import { errors } from '../api/index.js';
import type { ServedResources } from '../registry/index.js';
import { isCustom } from '../schema/index.js';

/**
 * The error for a path below `/apis/` in a group without built-in kinds. As in kube-apiserver, the response is plain text, not a
 * Status.
 */
export class PageNotFound extends Error {
  override readonly name = 'PageNotFound';

  constructor() {
    super('404 page not found');
  }
}

/** The error for a path in a group that has no resource. */
export function nothingThere(servedResources: ServedResources, group: string): Error {
  return isBuiltinGroup(servedResources, group) ? errors.noSuchPath() : new PageNotFound();
}

export function isBuiltinGroup({ kinds }: ServedResources, group: string): boolean {
  return kinds.some((k) => !isCustom(k.storage.type) && k.versions.some((v) => v.group === group));
}
