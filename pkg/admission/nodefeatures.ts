import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  equalJson,
  type JsonObject,
  listAt,
  objectsAt,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import { checkSliceNodes } from './slicenodes.js';
import { forbidden, isAbout } from './step.js';

const NODES = { group: '', resource: 'nodes' } as const;

/** Rejects a change of a pod, or a slice of devices, that needs a feature that its nodes do not declare. */
export function nodeFeaturesStep(objects: StoredObjects, enabled: (gate: string) => boolean): AdmissionStep {
  return {
    name: 'NodeDeclaredFeatureValidator',
    concerns: (request) =>
      enabled('NodeDeclaredFeatures') &&
      (isSlice(request)
        ? enabled('DRANodeAllocatableResources')
        : request.operation === 'update' && isPodChange(request)),
    validate: async (request) => {
      if (isSlice(request)) return checkSliceNodes(request, objects);
      const { object, old } = request;
      const name = textAt(object, 'spec', 'nodeName');
      if (name === '' || at(object, 'metadata', 'generation') === at(old, 'metadata', 'generation')) return;
      const needed = FEATURES.filter(({ gate, needs }) => enabled(gate) && needs(object!, old!)).map((f) => f.gate);
      if (needed.length === 0) return;
      const node = await objects.get(NODES, '', name);
      if (node === undefined) throw forbidden(request, `node ${JSON.stringify(name)} not found`);
      const declared = listAt(node, 'status', 'declaredFeatures');
      const missing = needed.filter((feature) => !declared.includes(feature));
      if (missing.length > 0)
        throw forbidden(
          request,
          `pod update requires features ${missing.join(', ')} which are not available on node ${JSON.stringify(name)}`,
        );
    },
  };
}

const isSlice = (request: AdmissionRequest): boolean => isAbout(request, 'resource.k8s.io', 'resourceslices');

const isPodChange = ({ groupResource, subresource, object, old }: AdmissionRequest): boolean =>
  groupResource.group === '' &&
  groupResource.resource === 'pods' &&
  (subresource === '' || subresource === 'resize') &&
  object !== undefined &&
  old !== undefined;

interface Feature {
  readonly gate: string;
  readonly needs: (pod: JsonObject, old: JsonObject) => boolean;
}

/** The features that a change of a running pod can need, in alphabetical order. */
const FEATURES: readonly Feature[] = [
  {
    gate: 'InPlacePodLevelResourcesVerticalScaling',
    needs: (pod, old) => !equalJson(at(pod, 'spec', 'resources') ?? null, at(old, 'spec', 'resources') ?? null),
  },
  {
    gate: 'InPlacePodVerticalScalingInitContainers',
    needs: (pod, old) => {
      const now = objectsAt(pod, 'spec', 'initContainers');
      return objectsAt(old, 'spec', 'initContainers').some(
        (c, i) =>
          textAt(c, 'restartPolicy') !== 'Always' && !equalJson(c['resources'] ?? {}, now[i]?.['resources'] ?? {}),
      );
    },
  },
  {
    gate: 'InPlacePodVerticalScalingMemoryBackedVolumes',
    needs: (pod, old) => {
      const before = objectsAt(old, 'spec', 'volumes');
      return objectsAt(pod, 'spec', 'volumes').some((v, i) => {
        const limit = textAt(v, 'emptyDir', 'sizeLimit');
        const earlier = textAt(before[i], 'emptyDir', 'sizeLimit');
        return textAt(v, 'emptyDir', 'medium') === 'Memory' && limit !== '' && earlier !== '' && limit !== earlier;
      });
    },
  },
];
