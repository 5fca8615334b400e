import { ApiError, type JsonObject } from '../../api/index.js';
import type { ControllerContext } from '../controller.js';
import { metaOf } from '../meta.js';
import { servedResource } from '../observe.js';
import { SLICES, type SliceChanges } from './slices.js';

export interface SliceWrites {
  /** The Service or Endpoints to which the slices belong. */
  readonly service: JsonObject;
  readonly changes: SliceChanges;
  readonly mayCreate: boolean;
}

/** Creates, then updates, then removes slices. Updates and removals fail if a slice has changed meanwhile. */
export async function writeSlices(
  { cluster }: ControllerContext,
  { service, changes, mayCreate }: SliceWrites,
): Promise<void> {
  const resource = servedResource(cluster.servedResources(), SLICES)!;
  const { namespace } = metaOf(service);
  try {
    if (mayCreate) for (const slice of changes.create) await cluster.create(resource, namespace, slice);
  } catch (error) {
    if (isNamespaceEnding(error)) return;
    throw error;
  }
  for (const slice of changes.update)
    await cluster.replace({ resource, namespace, name: metaOf(slice).name }, '', slice);
  for (const slice of changes.remove) {
    const { name, uid, resourceVersion } = metaOf(slice);
    await cluster.delete({ resource, namespace, name }, { uid, resourceVersion }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status.code !== 404) throw error;
    });
  }
}

/** Reports whether a create was refused because its namespace is being deleted: it is then not needed. */
export const isNamespaceEnding = (error: unknown): boolean =>
  error instanceof ApiError && (error.status.details?.causes ?? []).some((c) => c.reason === 'NamespaceTerminating');
