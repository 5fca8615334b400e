import { ApiError, equalJson, type JsonObject, nameOf, numberAt, objectAt, objectIn, textAt } from '../api/index.js';
import type { AuthObjects } from '../auth/index.js';
import type { World } from '../base/index.js';
import type { Cluster } from '../controllers/index.js';
import { AUTO_UPDATE, bootstrapFlowControl, type Fairness, flowConfig, MANDATORY } from '../fairness/index.js';
import type { Registry, ServedResource } from '../registry/index.js';
import { clusterOf } from './cluster.js';
import { ensureObjects, type Reconciliation } from './ensure.js';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const MANAGER = 'api-priority-and-fairness-config-producer-v1';

/**
 * Creates the bootstrap flow schemas and priority levels, and updates those that follow the suggestions of the server. Removes others that
 * say that they follow them: those of another release.
 */
export async function ensureFlowControl(registry: Registry, world: World): Promise<void> {
  const objects = bootstrapFlowControl();
  for (const resource of ['prioritylevelconfigurations', 'flowschemas'] as const) {
    const served = registry.servedResources.find(GROUP, 'v1', resource);
    if (served === undefined) continue;
    await ensureObjects({ registry, world, served, manager: MANAGER }, objects[resource], reconcile);
  }
  const cluster = clusterOf(registry, world, { user: 'system:apiserver', manager: MANAGER });
  for (const resource of ['flowschemas', 'prioritylevelconfigurations'] as const) {
    const served = registry.servedResources.find(GROUP, 'v1', resource);
    if (served !== undefined) await removeOthers(cluster, served, new Set(objects[resource].map(nameOf)));
  }
}

async function removeOthers(cluster: Cluster, resource: ServedResource, names: ReadonlySet<string>): Promise<void> {
  for (const stored of [...cluster.known(resource, '')]) {
    if (names.has(stored.name)) continue;
    const metadata = objectAt(stored.parse(), 'metadata');
    if (boolOf(textAt(metadata, 'annotations', AUTO_UPDATE)) !== true) continue;
    const [uid, resourceVersion] = [textAt(metadata, 'uid'), String(stored.revision)];
    try {
      await cluster.delete({ resource, namespace: '', name: stored.name }, { uid, resourceVersion });
    } catch (error) {
      // It has changed or is gone. The next run sees how it is then.
      if (!(error instanceof ApiError) || (error.status.code !== 404 && error.status.code !== 409)) throw error;
    }
  }
}

/** What Go's `strconv.ParseBool` reads from a text; undefined if it reads nothing. */
function boolOf(text: string): boolean | undefined {
  if (/^(1|t|T|true|TRUE|True)$/.test(text)) return true;
  return /^(0|f|F|false|FALSE|False)$/.test(text) ? false : undefined;
}

/**
 * Mandatory objects are always reset, except for the shares of the priority level `exempt`, which an administrator may set. Others are
 * updated if their annotation allows it; without the annotation, if no user has changed them.
 */
function reconcile(there: JsonObject, expected: JsonObject): Reconciliation {
  const annotations = objectAt(there, 'metadata', 'annotations');
  const wish = boolOf(textAt(annotations, AUTO_UPDATE));
  const isMandatory = MANDATORY.has(nameOf(expected));
  const follows = isMandatory || (wish ?? numberAt(there, 'metadata', 'generation') === 1);
  const isNamed = wish === follows;
  const isSame = !follows || equalJson(withoutShares(there), withoutShares(expected));
  if (isNamed && isSame) return { kind: 'none' };
  const object = structuredClone(there);
  const metadata = objectIn(object, 'metadata');
  metadata['annotations'] = { ...annotations, [AUTO_UPDATE]: String(follows) };
  if (!isSame) object['spec'] = structuredClone(expected['spec']!);
  return { kind: 'update', object };
}

/** The spec of an object to compare: of the priority level `exempt` without its shares. */
function withoutShares(object: JsonObject): JsonObject | undefined {
  const spec = objectAt(object, 'spec');
  return nameOf(object) === 'exempt' && objectAt(spec, 'exempt') !== undefined ? { ...spec, exempt: {} } : spec;
}

/** Applies the stored configuration to priority and fairness. Returns the function that stops it. */
export function followFlowControl(objects: AuthObjects, fairness: Fairness): () => void {
  const stored = {
    flowschemas: new Map<string, JsonObject>(),
    prioritylevelconfigurations: new Map<string, JsonObject>(),
  };
  const apply = (): void =>
    fairness.configure(flowConfig(stored.flowschemas.values(), stored.prioritylevelconfigurations.values()));
  let isFollowing = false;
  const stop = objects.follow(
    [
      { group: GROUP, resource: 'flowschemas' },
      { group: GROUP, resource: 'prioritylevelconfigurations' },
    ],
    ({ resource, name, object }) => {
      const kind = stored[resource.resource as keyof typeof stored];
      const before = kind.get(name);
      if (object === undefined) kind.delete(name);
      else kind.set(name, object);
      // A change of only the status has no effect here.
      if (isFollowing && !equalJson(before?.['spec'], object?.['spec'])) apply();
    },
  );
  isFollowing = true;
  apply();
  return stop;
}
