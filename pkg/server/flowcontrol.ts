import { equalJson, type JsonObject, nameOf, numberAt, objectAt, objectIn, textAt } from '../api/index.js';
import type { AuthObjects } from '../auth/index.js';
import type { World } from '../base/index.js';
import { AUTO_UPDATE, bootstrapFlowControl, type Fairness, flowConfig, MANDATORY } from '../fairness/index.js';
import type { Registry } from '../registry/index.js';
import { ensureObjects, type Reconciliation } from './ensure.js';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const MANAGER = 'api-priority-and-fairness-config-producer-v1';

/** Creates the bootstrap flow schemas and priority levels, and updates those that follow the suggestions of the server. */
export async function ensureFlowControl(registry: Registry, world: World): Promise<void> {
  const objects = bootstrapFlowControl();
  for (const resource of ['prioritylevelconfigurations', 'flowschemas'] as const) {
    const served = registry.servedResources.find(GROUP, 'v1', resource);
    if (served === undefined) continue;
    await ensureObjects({ registry, world, served, manager: MANAGER }, objects[resource], reconcile);
  }
}

/**
 * Mandatory objects are always reset. Others are updated if their annotation allows it; without the annotation, if no
 * user has changed them.
 */
function reconcile(there: JsonObject, expected: JsonObject): Reconciliation {
  const annotations = objectAt(there, 'metadata', 'annotations');
  const wish = textAt(annotations, AUTO_UPDATE);
  const isMandatory = MANDATORY.has(nameOf(expected));
  const follows =
    isMandatory || wish === 'true' || (wish !== 'false' && numberAt(there, 'metadata', 'generation') <= 1);
  const isNamed = wish === String(follows) || (isMandatory && wish === 'true');
  const isSame = !follows || equalJson(objectAt(there, 'spec'), objectAt(expected, 'spec'));
  if (isNamed && isSame) return { kind: 'none' };
  const object = structuredClone(there);
  const metadata = objectIn(object, 'metadata');
  metadata['annotations'] = { ...annotations, [AUTO_UPDATE]: String(follows) };
  if (!isSame) object['spec'] = structuredClone(expected['spec']!);
  return { kind: 'update', object };
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
