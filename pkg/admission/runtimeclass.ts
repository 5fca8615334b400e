import {
  type AdmissionStep,
  at,
  equalJson,
  givenAt,
  type JsonObject,
  objectAt,
  objectIn,
  objectsAt,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import { forbidden, newPod } from './step.js';

const CLASSES = { group: 'node.k8s.io', resource: 'runtimeclasses' } as const;

/** Applies the overhead, node selector and tolerations of a pod's runtime class. */
export function runtimeClassStep(objects: StoredObjects): AdmissionStep {
  const classOf = async (pod: JsonObject): Promise<JsonObject | undefined> => {
    const name = textAt(pod, 'spec', 'runtimeClassName');
    return name === '' ? undefined : objects.get(CLASSES, '', name);
  };
  return {
    name: 'RuntimeClass',
    concerns: (request) => {
      const spec = at(newPod(request), 'spec');
      return textAt(spec, 'runtimeClassName') !== '' || givenAt(spec, 'overhead') !== undefined;
    },
    mutate: async (request) => {
      const pod = newPod(request);
      if (pod === undefined) return;
      const name = textAt(pod, 'spec', 'runtimeClassName');
      const found = await classOf(pod);
      const refuse = (why: string): Error => forbidden(request, why);
      if (name !== '' && found === undefined) throw refuse(`pod rejected: RuntimeClass "${name}" not found`);
      if (found === undefined) return;
      const spec = objectIn(pod, 'spec');
      const overhead = at(found, 'overhead', 'podFixed');
      if (overhead !== undefined) {
        const given = at(spec, 'overhead');
        if (given !== undefined && !equalJson(given, overhead))
          throw refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
        spec['overhead'] = { ...objectAt(found, 'overhead', 'podFixed') };
      }
      schedule(spec, found, refuse);
    },
    validate: async (request) => {
      const pod = newPod(request);
      if (pod === undefined || givenAt(pod, 'spec', 'overhead') === undefined) return;
      const found = await classOf(pod);
      if (at(found, 'overhead', 'podFixed') === undefined)
        throw forbidden(request, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    },
  };
}

function schedule(spec: JsonObject, runtimeClass: JsonObject, refuse: (why: string) => Error): void {
  const selector = objectAt(runtimeClass, 'scheduling', 'nodeSelector');
  if (Object.keys(selector).length > 0) {
    const own = objectAt(spec, 'nodeSelector');
    for (const [k, v] of Object.entries(selector))
      if (Object.hasOwn(own, k) && own[k] !== v)
        throw refuse(
          `conflict: runtimeClass.scheduling.nodeSelector[${k}] = ${String(v)}; pod.spec.nodeSelector[${k}] = ${String(own[k])}`,
        );
    spec['nodeSelector'] = { ...own, ...selector };
  }
  const tolerations = objectsAt(spec, 'tolerations');
  const added = objectsAt(runtimeClass, 'scheduling', 'tolerations').filter(
    (t) => !tolerations.some((o) => equalJson(o, t)),
  );
  if (added.length > 0) spec['tolerations'] = [...tolerations, ...added];
}
