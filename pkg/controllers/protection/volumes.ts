import { type JsonObject, numberAt, objectAt, objectsAt, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import { conditionOf, withCondition } from '../conditions.js';
import type { Controller, ControllerContext } from '../controller.js';
import { metaOf } from '../meta.js';
import { servedResource } from '../observe.js';
import { controllerReferenceOf, hasEnded, isDeleting } from '../pods.js';
import { type Protection, protectionController } from './protection.js';

/** Pods without this text in their bytes use no claim. */
const CLAIMS = [Buffer.from('"persistentVolumeClaim":'), Buffer.from('"ephemeral":')];
const UNUSED = 'Unused';

/**
 * Keeps claims that a pod on a node uses; with `unusedSince`, reports in the status of a bound claim whether a pod uses
 * it.
 */
export function claimProtection(
  context: ControllerContext,
  { unusedSince }: { readonly unusedSince: boolean },
): Controller {
  const { cluster, world } = context;
  const pods = (namespace: string): Iterable<StoredObject> =>
    cluster.known(servedResource(cluster.servedResources(), 'pods')!, namespace);
  const users = async (claim: JsonObject, uses: (pod: JsonObject, claim: JsonObject) => boolean): Promise<boolean> => {
    const { namespace } = metaOf(claim);
    let n = 0;
    for (const stored of pods(namespace)) {
      if (++n % 500 === 0) await new Promise<void>((resolve) => void world.timers.after(0, resolve));
      const { json } = stored;
      if (!CLAIMS.some((text) => json.includes(text))) continue;
      if (uses(stored.value(), claim)) return true;
    }
    return false;
  };
  const protection: Protection = {
    name: 'persistentvolumeclaim-protection-controller',
    resource: 'persistentvolumeclaims',
    finalizer: 'kubernetes.io/pvc-protection',
    isUsed: (claim) => users(claim, keeps),
    watched: (look) => ({
      pods: (before, after) => {
        const stored = (after ?? before)!;
        const { json } = stored;
        if (!CLAIMS.some((text) => json.includes(text))) return;
        const pod = stored.value();
        for (const { claim } of claimsOf(pod)) look(`${stored.namespace}/${claim}`);
      },
    }),
    ...(unusedSince ? { alive } : {}),
  };

  async function alive(claim: JsonObject, place: Parameters<NonNullable<Protection['alive']>>[1]): Promise<void> {
    if (textAt(claim, 'status', 'phase') !== 'Bound') return;
    const used = await users(claim, refersTo);
    const status = used ? 'False' : 'True';
    if (textAt(conditionOf(claim, UNUSED), 'status') === status) return;
    const condition = used
      ? ({ type: UNUSED, status, reason: 'PodUsingPVC', message: 'A pod is currently referencing this PVC' } as const)
      : ({
          type: UNUSED,
          status,
          reason: 'NoPodsUsingPVC',
          message: 'No pods are currently referencing this PVC',
        } as const);
    const conditions = [...withCondition(claim, condition, world.clock.now())];
    await cluster.replace(place, 'status', { ...claim, status: { ...objectAt(claim, 'status'), conditions } });
  }

  return protectionController(context, protection);
}

interface UsedClaim {
  readonly claim: string;
  /** The claim was created for this volume of this pod. */
  readonly ephemeral: boolean;
}

function claimsOf(pod: JsonObject): readonly UsedClaim[] {
  return objectsAt(pod, 'spec', 'volumes').flatMap((volume): readonly UsedClaim[] => {
    const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
    if (claim !== '') return [{ claim, ephemeral: false }];
    if (volume['ephemeral'] === undefined) return [];
    return [{ claim: `${textAt(pod, 'metadata', 'name')}-${textAt(volume, 'name')}`, ephemeral: true }];
  });
}

const isMadeFor = (claim: JsonObject, pod: JsonObject): boolean =>
  controllerReferenceOf(claim)?.uid === metaOf(pod).uid;

/**
 * Reports whether a pod keeps a claim: kubelets do not start pods with claims that are being deleted, so only pods on a
 * node count.
 */
function keeps(pod: JsonObject, claim: JsonObject): boolean {
  if (textAt(pod, 'spec', 'nodeName') === '') return false;
  const { name } = metaOf(claim);
  return claimsOf(pod).some(
    (used) => used.claim === name && (!used.ephemeral || (!isShutDown(pod) && isMadeFor(claim, pod))),
  );
}

function refersTo(pod: JsonObject, claim: JsonObject): boolean {
  if (hasEnded(pod)) return false;
  const { name } = metaOf(claim);
  return claimsOf(pod).some((used) => used.claim === name && (!used.ephemeral || isMadeFor(claim, pod)));
}

/** Reports whether the kubelet has finished with a pod, or it was force deleted. */
const isShutDown = (pod: JsonObject): boolean =>
  isDeleting(pod) && numberAt(pod, 'metadata', 'deletionGracePeriodSeconds') === 0;

/** Keeps volumes that are bound. */
export function volumeProtection(context: ControllerContext): Controller {
  return protectionController(context, {
    name: 'persistentvolume-protection-controller',
    resource: 'persistentvolumes',
    finalizer: 'kubernetes.io/pv-protection',
    isUsed: (volume) => textAt(volume, 'status', 'phase') === 'Bound',
    watched: () => ({}),
  });
}

/** Keeps classes that a volume or a claim refers to. */
export function attributesClassProtection(context: ControllerContext): Controller {
  const { cluster } = context;
  const namesOf = (o: JsonObject): readonly string[] =>
    [
      textAt(o, 'spec', 'volumeAttributesClassName'),
      textAt(o, 'status', 'currentVolumeAttributesClassName'),
      textAt(o, 'status', 'modifyVolumeStatus', 'targetVolumeAttributesClassName'),
    ].filter((name) => name !== '');
  const mark = Buffer.from('olumeAttributesClassName":');
  const named = (stored: StoredObject | undefined): readonly string[] =>
    stored?.json.includes(mark) === true ? namesOf(stored.value()) : [];
  return protectionController(context, {
    name: 'volumeattributesclass-protection-controller',
    resource: 'volumeattributesclasses.storage.k8s.io',
    finalizer: 'kubernetes.io/vac-protection',
    isUsed: (object) => {
      const { name } = metaOf(object);
      return ['persistentvolumes', 'persistentvolumeclaims'].some((plural) => {
        for (const stored of cluster.known(servedResource(cluster.servedResources(), plural)!, ''))
          if (named(stored).includes(name)) return true;
        return false;
      });
    },
    watched: (look) => {
      const changed = (before: StoredObject | undefined, after: StoredObject | undefined): void => {
        const still = named(after);
        for (const name of named(before)) if (!still.includes(name)) look(name);
      };
      return { persistentvolumes: changed, persistentvolumeclaims: changed };
    },
  });
}
