import { ApiError, isObject, type JsonObject } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from '../registry/index.js';
import type { Place } from './cluster.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { metaOf } from './meta.js';
import { WorkQueue } from './queue.js';
import { NO_REMOTE_CONTENT, type RemoteResource } from './remotecontent.js';

const FINALIZER = 'kubernetes';
const WORKERS = 4;
/** The delay after a change of content in a namespace that is being deleted, so that several changes cause one round. */
const CHANGED_MILLISECONDS = 100;
/**
 * The delays between rounds without a change of content: the first one is doubled each time up to the longest. Normally
 * changes drive the deletion; these rounds cover failures without an event, such as a deletion that admission rejects.
 */
const RESYNC_FIRST_MILLISECONDS = 500;
const RESYNC_LONGEST_MILLISECONDS = 300_000;

const DELETING = Buffer.from('"deletionTimestamp":');

/**
 * Deletes the content of namespaces that are being deleted, of every kind here and at aggregated servers, and finalizes the namespaces once they are
 * empty. The conditions of a namespace list the remaining content and the finalizers that it waits for.
 */
export function namespaceController(context: ControllerContext, remote = NO_REMOTE_CONTENT): Controller {
  const { cluster, world } = context;
  const queue = new WorkQueue({
    world,
    workers: WORKERS,
    sync,
    failed: (key, error) => context.log('namespace controller: will retry', { namespace: key, error: String(error) }),
  });

  /** The next delay of each namespace with remaining content, in milliseconds. */
  const remaining = new Map<string, number>();

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (resource.group === '' && resource.resource === 'namespaces') {
      if (after === undefined) remaining.delete(before!.name);
      else if (after.json.includes(DELETING)) queue.add(after.name);
      return;
    }
    const namespace = (after ?? before)!.namespace;
    if (!remaining.has(namespace)) return;
    remaining.set(namespace, RESYNC_FIRST_MILLISECONDS);
    queue.addAfter(namespace, CHANGED_MILLISECONDS);
  }

  async function sync(name: string): Promise<void> {
    const namespaces = cluster.servedResources().find('', 'v1', 'namespaces')!;
    const place = { resource: namespaces, namespace: '', name };
    const namespace = await cluster.get(place);
    if (namespace === undefined || !metaOf(namespace).deleting) return;
    if (!finalizersOf(namespace).includes(FINALIZER)) return;
    // Set before the content is read, so that no change is missed.
    const delay = remaining.get(name) ?? RESYNC_FIRST_MILLISECONDS;
    remaining.set(name, Math.min(delay * 2, RESYNC_LONGEST_MILLISECONDS));
    const { uid } = metaOf(namespace);
    /** The same namespace as of now, while its deletion is not complete. The next leader may have completed it. */
    const current = async (): Promise<JsonObject | undefined> => {
      const now = await cluster.get(place);
      return now !== undefined && metaOf(now).uid === uid && metaOf(now).deleting ? now : undefined;
    };
    const content = await empty(name, async () => (await current()) !== undefined);
    await report(place, await current(), content);
    if (!isDone(content)) {
      queue.addAfter(name, delay);
      return;
    }
    remaining.delete(name);
    const fresh = await current();
    if (fresh === undefined) return;
    const finalizers = finalizersOf(fresh).filter((f) => f !== FINALIZER);
    await cluster.replace(place, 'finalize', {
      ...fresh,
      spec: finalizers.length === 0 ? {} : { finalizers: [...finalizers] },
    });
  }

  /** Deletes all content, pods first because they may use the rest, and returns what remains. */
  async function empty(name: string, isDue: () => Promise<boolean>): Promise<Content> {
    const content: Content = { objects: new Map(), finalizers: new Map(), failures: [], undiscovered: [] };
    const resources = deletable();
    const pods = resources.filter((r) => r.resource === 'pods' && r.group === '');
    for (const r of pods) await emptyOf(r, name, isDue, content);
    if (content.objects.size > 0 || content.failures.length > 0) return content;
    for (const r of resources) if (!pods.includes(r)) await emptyOf(r, name, isDue, content);
    const { known, unknown } = remote.resources();
    content.undiscovered.push(...unknown);
    for (const r of known) await emptyRemote(r, name, isDue, content);
    return content;
  }

  async function emptyRemote(
    resource: RemoteResource,
    namespace: string,
    isDue: () => Promise<boolean>,
    content: Content,
  ): Promise<void> {
    try {
      if ((await resource.finalizers(namespace)).length === 0 || !(await isDue())) return;
      await resource.deleteAll(namespace);
      count(content, resource.name, await resource.finalizers(namespace));
    } catch (e) {
      if (!(e instanceof ApiError)) throw e;
      content.failures.push(e.message);
    }
  }

  async function emptyOf(
    resource: ServedResource,
    namespace: string,
    isDue: () => Promise<boolean>,
    content: Content,
  ): Promise<void> {
    try {
      if ((await cluster.list(resource, namespace)).length === 0) return;
      await cluster.deleteCollection(resource, namespace, isDue);
      const left = await cluster.list(resource, namespace);
      const id = resource.group === '' ? `${resource.resource}.` : `${resource.resource}.${resource.group}`;
      count(
        content,
        id,
        left.map((o) => metaOf(o).finalizers),
      );
    } catch (e) {
      if (!(e instanceof ApiError)) throw e;
      content.failures.push(e.message);
    }
  }

  /** Every namespaced kind, once, in one of its versions. */
  function deletable(): readonly ServedResource[] {
    const byStorage = new Map<string, ServedResource>();
    for (const group of cluster.servedResources().groups) {
      for (const version of group.versions) {
        for (const r of version.resources) {
          if (!r.namespaced || !r.verbs.includes('list') || !r.verbs.includes('deletecollection')) continue;
          if (!byStorage.has(r.storage.prefix)) byStorage.set(r.storage.prefix, r);
        }
      }
    }
    return [...byStorage.values()];
  }

  async function report(place: Place, namespace: JsonObject | undefined, content: Content): Promise<void> {
    if (namespace === undefined) return;
    const before =
      isObject(namespace['status']) && Array.isArray(namespace['status']['conditions'])
        ? namespace['status']['conditions'].filter(isObject)
        : [];
    const now = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    const conditions = conditionsOf(content).map((c) => {
      const old = before.find((b) => b['type'] === c.type);
      const unchanged = old !== undefined && old['status'] === c.status;
      return { ...c, lastTransitionTime: unchanged ? old['lastTransitionTime']! : now };
    });
    const same = conditions.every((c) =>
      before.some(
        (b) =>
          b['type'] === c.type && b['status'] === c.status && b['message'] === c.message && b['reason'] === c.reason,
      ),
    );
    if (same) return;
    // An empty namespace that never waited gets no conditions: it is finalized next.
    if (before.length === 0 && isDone(content)) return;
    const { uid, resourceVersion } = metaOf(namespace);
    await cluster.patch(place, 'status', {
      metadata: { uid, resourceVersion },
      status: { phase: 'Terminating', conditions: conditions as unknown as JsonObject[] },
    });
  }

  return controllerOf('namespace-controller', cluster, queue, { changed });
}

interface Content {
  /** The number of remaining objects by resource and group: `configmaps.`, `deployments.apps`. */
  readonly objects: Map<string, number>;
  readonly finalizers: Map<string, number>;
  readonly failures: string[];
  /** Group versions of aggregated servers whose resources are unknown. */
  readonly undiscovered: string[];
}

const isDone = ({ objects, failures, undiscovered }: Content): boolean =>
  objects.size === 0 && failures.length === 0 && undiscovered.length === 0;

/** Adds remaining objects of a resource, each with its finalizers. */
function count(content: Content, resource: string, left: readonly (readonly string[])[]): void {
  if (left.length > 0) content.objects.set(resource, left.length);
  for (const f of left.flat()) content.finalizers.set(f, (content.finalizers.get(f) ?? 0) + 1);
}

interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

function conditionsOf(content: Content): readonly Condition[] {
  const counts = (m: ReadonlyMap<string, number>, text: (k: string, n: number) => string) =>
    [...m]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, n]) => text(k, n))
      .join(', ');
  const condition = (
    type: string,
    holds: boolean,
    yes: readonly [string, string],
    no: readonly [string, string],
  ): Condition => {
    const [reason, message] = holds ? yes : no;
    return { type, status: holds ? 'True' : 'False', reason, message };
  };
  return [
    condition(
      'NamespaceDeletionDiscoveryFailure',
      content.undiscovered.length > 0,
      ['DiscoveryFailed', discoveryFailure(content.undiscovered)],
      ['ResourcesDiscovered', 'All resources successfully discovered'],
    ),
    condition(
      'NamespaceDeletionGroupVersionParsingFailure',
      false,
      ['', ''],
      ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
    ),
    condition(
      'NamespaceDeletionContentFailure',
      content.failures.length > 0,
      [
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${content.failures.length} remaining: ${content.failures.join(', ')}`,
      ],
      ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ),
    condition(
      'NamespaceContentRemaining',
      content.objects.size > 0,
      [
        'SomeResourcesRemain',
        `Some resources are remaining: ${counts(content.objects, (k, n) => `${k} has ${n} resource instances`)}`,
      ],
      ['ContentRemoved', 'All content successfully removed'],
    ),
    condition(
      'NamespaceFinalizersRemaining',
      content.finalizers.size > 0,
      [
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${counts(content.finalizers, (k, n) => `${k} in ${n} resource instances`)}`,
      ],
      ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    ),
  ];
}

function discoveryFailure(versions: readonly string[]): string {
  const each = versions.map((v) => `${v}: stale GroupVersion discovery: ${v}`).join(', ');
  return `Discovery failed for some groups, ${versions.length} failing: unable to retrieve the complete list of server APIs: ${each}`;
}

function finalizersOf(namespace: JsonObject): readonly string[] {
  const spec = namespace['spec'];
  const list = isObject(spec) ? spec['finalizers'] : undefined;
  return Array.isArray(list) ? list.filter((f): f is string => typeof f === 'string') : [];
}
