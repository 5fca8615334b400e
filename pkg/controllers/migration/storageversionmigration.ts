import { ApiError, type JsonObject, objectAt, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import type { ServedResource } from '../../registry/index.js';
import type { Place } from '../cluster.js';
import { type Condition, isTrue, withCondition } from '../conditions.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';
import { definitionMigrations } from './definitions.js';

const NAME = 'storage-version-migrator-controller';
const MIGRATIONS = 'storageversionmigrations.storagemigration.k8s.io';
/** A resource that is not served may be served soon: a migration waits this long for it. */
const RESOURCE_WAIT_MILLISECONDS = 60_000;
const RESOURCE_RETRY_MILLISECONDS = 5_000;
/** Objects that are written concurrently. */
const WRITES = 8;
const VERBS = ['get', 'list', 'watch', 'patch'] as const;

/**
 * Executes StorageVersionMigrations: every object of the resource is written once without a change, which stores it in
 * the current version and encoding.
 *
 * The state of a migration is in its status: first the condition Running, then the current resourceVersion, then the
 * result after all older objects are written. A new leader starts again at the first step that is not in the status;
 * objects that were already written are newer than the resourceVersion, so none is written twice.
 */
export function storageVersionMigrator({ cluster, world, log }: ControllerContext): Controller {
  const definitions = definitionMigrations(cluster, world);
  let stopped = false;
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { key, error: String(error) }),
  });
  const observer = observing({
    [MIGRATIONS]: (before, after) => {
      queue.add((after ?? before)!.name);
      // The end of one migration starts the next.
      if (after !== undefined && !hasEnded(after.parse())) return;
      for (const other of cluster.known(placeOf(cluster, MIGRATIONS, '')!.resource, '')) queue.add(other.name);
    },
  });

  async function sync(name: string): Promise<void> {
    const place = placeOf(cluster, MIGRATIONS, name);
    const migration = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || migration === undefined) return;
    if (hasEnded(migration)) return;
    if (!isTrue(migration, 'Running')) {
      if (!isTurnOf(name, migration)) return;
      await definitions.begin(migration);
      await report(place, migration, {}, [running('The migration is running')]);
      return;
    }
    const resource = resourceOf(migration);
    if (resource === undefined) {
      const age = world.clock.now() - Date.parse(textAt(migration, 'metadata', 'creationTimestamp'));
      if (age < RESOURCE_WAIT_MILLISECONDS) queue.addAfter(name, RESOURCE_RETRY_MILLISECONDS);
      else await fail(place, migration, 'resource does not exist in discovery');
      return;
    }
    const missing = VERBS.filter((verb) => !resource.verbs.includes(verb));
    if (missing.length > 0 || resource.storage.prefix === '') {
      await fail(
        place,
        migration,
        `resource "${resource.resource}" cannot be migrated: it has no ${missing.join(', ')}`,
      );
      return;
    }
    const version = textAt(migration, 'status', 'resourceVersion');
    if (version === '') {
      // The version of this read covers every object that was written before it.
      await report(place, migration, { resourceVersion: metaOf(migration).resourceVersion }, []);
      return;
    }
    await migrate(place, migration, resource, Number(version));
  }

  /** Migrations of one resource run one after the other, the oldest first. */
  function isTurnOf(name: string, migration: JsonObject): boolean {
    const of = (o: JsonObject): string => JSON.stringify(objectAt(o, 'spec', 'resource'));
    const { resource } = placeOf(cluster, MIGRATIONS, name)!;
    for (const stored of cluster.known(resource, '')) {
      if (stored.name === name) continue;
      const other = stored.parse();
      if (of(other) !== of(migration) || hasEnded(other)) continue;
      if (isTrue(other, 'Running') || isOlder(other, migration)) return false;
    }
    return true;
  }

  function resourceOf(migration: JsonObject): ServedResource | undefined {
    const { group, resource } = objectAt(migration, 'spec', 'resource');
    return cluster.servedResources().kind(String(group ?? ''), String(resource ?? ''))?.served[0];
  }

  async function migrate(
    place: Place,
    migration: JsonObject,
    resource: ServedResource,
    version: number,
  ): Promise<void> {
    const all = [...cluster.known(resource, '')];
    const due = all.filter(({ revision }) => revision <= version);
    let left = due.length;
    try {
      for (let from = 0; from < due.length && !stopped; from += WRITES) {
        const batch = due.slice(from, from + WRITES);
        const results = await Promise.allSettled(batch.map((stored) => rewrite(resource, stored)));
        left -= results.filter((result) => result.status === 'fulfilled').length;
        const failed = results.find((result) => result.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      }
    } catch (error) {
      const message = progress(left, all.length);
      if (isPassing(error)) {
        await report(place, migration, {}, [running(`${message}; transient error: ${messageOf(error)}`)]);
        throw error;
      }
      const why = `${left}/${all.length} not yet migrated. migration encountered unhandled error: ${messageOf(error)}`;
      await definitions.end(migration, false);
      await report(place, migration, {}, [COMPLETED, failure(why)]);
      return;
    }
    if (stopped) return;
    const succeeded: Condition = {
      type: 'Succeeded',
      status: 'True',
      reason: 'StorageVersionMigrationSucceeded',
      message: 'Migration completed',
    };
    await definitions.end(migration, true);
    await report(place, migration, {}, [COMPLETED, succeeded]);
  }

  /** Writes an object unchanged. If it has changed meanwhile, that change has already written it. */
  async function rewrite(resource: ServedResource, stored: StoredObject): Promise<void> {
    const { namespace, name, revision } = stored;
    const metadata = { resourceVersion: String(revision), uid: stored.uid() };
    try {
      await cluster.patch({ resource, namespace, name }, '', { metadata });
    } catch (error) {
      if (error instanceof ApiError && (error.status.code === 409 || error.status.code === 404)) return;
      throw error;
    }
  }

  const fail = (place: Place, migration: JsonObject, why: string): Promise<void> =>
    report(place, migration, {}, [COMPLETED, failure(`migration encountered unhandled error: ${why}`)]);

  async function report(
    place: Place,
    migration: JsonObject,
    more: JsonObject,
    conditions: readonly Condition[],
  ): Promise<void> {
    let next: JsonObject = { ...migration, status: { ...objectAt(migration, 'status'), ...more } };
    for (const condition of conditions) {
      const list = [...withCondition(next, condition, world.clock.now())];
      next = { ...next, status: { ...objectAt(next, 'status'), conditions: list } };
    }
    await cluster.replace(place, 'status', next);
  }

  const controller = controllerOf(NAME, cluster, queue, observer);
  return {
    name: NAME,
    get counts() {
      return controller.counts;
    },
    start: () => controller.start(),
    stop() {
      stopped = true;
      controller.stop();
    },
  };
}

const hasEnded = (migration: JsonObject): boolean => isTrue(migration, 'Succeeded') || isTrue(migration, 'Failed');

const COMPLETED: Condition = {
  type: 'Running',
  status: 'False',
  reason: 'MigrationCompleted',
  message: 'Migration completed',
};

const running = (message: string): Condition => ({
  type: 'Running',
  status: 'True',
  reason: 'MigrationRunning',
  message,
});

const failure = (message: string): Condition => ({
  type: 'Failed',
  status: 'True',
  reason: 'StorageVersionMigrationFailed',
  message,
});

function progress(left: number, all: number): string {
  const base = 'The migration is running';
  if (all === 0) return base;
  return left > 0 ? `${base}, ${left}/${all} objects not yet migrated` : `${base}, ${all} objects verified migrated`;
}

const isPassing = (error: unknown): boolean =>
  error instanceof ApiError && (error.status.code === 429 || error.status.code >= 500);

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function isOlder(a: JsonObject, b: JsonObject): boolean {
  const at = (o: JsonObject): string => `${textAt(o, 'metadata', 'creationTimestamp')} ${metaOf(o).name}`;
  return at(a) < at(b);
}
