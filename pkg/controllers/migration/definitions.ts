import { equalJson, formatTime, type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../../api/index.js';
import type { World } from '../../base/index.js';
import type { Cluster } from '../cluster.js';
import { metaOf } from '../meta.js';
import { placeOf } from '../observe.js';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
const TYPE = 'StorageMigrating';

/** Shows the migration of a custom resource in the status of its definition. */
export interface DefinitionMigrations {
  begin(migration: JsonObject): Promise<void>;
  /**
   * After a success, only the current storage version is left in `storedVersions`, unless the definition has changed
   * meanwhile.
   */
  end(migration: JsonObject, succeeded: boolean): Promise<void>;
}

export function definitionMigrations(cluster: Cluster, world: World): DefinitionMigrations {
  const update = async (migration: JsonObject, next: (definition: JsonObject) => JsonObject): Promise<void> => {
    const { group, resource } = objectAt(migration, 'spec', 'resource');
    const place = placeOf(cluster, DEFINITIONS, `${String(resource ?? '')}.${String(group ?? '')}`);
    const definition = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || definition === undefined) return;
    const status = next(definition);
    if (equalJson(status, objectAt(definition, 'status'))) return;
    await cluster.replace(place, 'status', { ...definition, status });
  };

  const withMigrating = (
    definition: JsonObject,
    {
      status,
      reason,
      message,
    }: { readonly status: 'True' | 'False'; readonly reason: string; readonly message: string },
  ): JsonObject => {
    const conditions = objectsAt(definition, 'status', 'conditions');
    const old = conditions.find((c) => textAt(c, 'type') === TYPE);
    const same = textAt(old, 'status') === status && textAt(old, 'reason') === reason;
    const made: JsonObject = {
      type: TYPE,
      status,
      lastTransitionTime: same ? textAt(old, 'lastTransitionTime') : formatTime(world.clock.now()),
      reason,
      message,
      observedGeneration: numberAt(definition, 'metadata', 'generation'),
    };
    return {
      ...objectAt(definition, 'status'),
      conditions: [...conditions.filter((c) => c !== old), made],
    };
  };

  return {
    begin: (migration) =>
      update(migration, (definition) =>
        withMigrating(definition, {
          status: 'True',
          reason: 'MigrationRunning',
          message: `Migration ${metaOf(migration).name} is running`,
        }),
      ),
    end: (migration, succeeded) =>
      update(migration, (definition) => {
        const condition = objectsAt(definition, 'status', 'conditions').find((c) => textAt(c, 'type') === TYPE);
        // The last leader may have got this far.
        if (textAt(condition, 'status') === 'False') return objectAt(definition, 'status');
        const unchanged = numberAt(condition, 'observedGeneration') === numberAt(definition, 'metadata', 'generation');
        const message = unchanged
          ? 'The migration has succeeded and the stored versions have been updated'
          : 'The migration has succeeded but the stored versions have not been updated due to a generation mismatch';
        const status = withMigrating(
          definition,
          succeeded
            ? { status: 'False', reason: 'MigrationSucceeded', message }
            : { status: 'False', reason: 'MigrationFailed', message: 'The migration has failed' },
        );
        const storage = objectsAt(definition, 'spec', 'versions').find((v) => v['storage'] === true);
        return succeeded && unchanged && storage !== undefined
          ? { ...status, storedVersions: [textAt(storage, 'name')] }
          : status;
      }),
  };
}
