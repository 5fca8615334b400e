import { errors } from '../api/index.js';
import type { Catalogue } from '../registry/index.js';
import { isCustom } from '../schema/index.js';

/** A path below `/apis/` in a group that has no built-in kinds. The reference responds with a plain text, not with a Status. */
export class PageNotFound extends Error {
  override readonly name = 'PageNotFound';

  constructor() {
    super('404 page not found');
  }
}

/** The error for a path in a group that names nothing. */
export function nothingThere(catalogue: Catalogue, group: string): Error {
  const isBuiltin = catalogue.kinds.some((k) => !isCustom(k.storage.type) && k.versions.some((v) => v.group === group));
  return isBuiltin ? errors.noSuchPath() : new PageNotFound();
}
