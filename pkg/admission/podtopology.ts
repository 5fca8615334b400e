import {
  type AdmissionRequest,
  type AdmissionStep,
  type JsonObject,
  objectIn,
  type StoredObjects,
  setOwn,
  textAt,
} from '../api/index.js';
import { isAbout } from './step.js';

const TOPOLOGY = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'] as const;

/** Copies the topology labels of a node to the pods that are bound to it. */
export function podTopologyStep(objects: StoredObjects): AdmissionStep {
  return {
    name: 'PodTopologyLabels',
    mutate: (request) => {
      const { operation, object } = request;
      if (operation !== 'create' || object === undefined) return;
      const node = isAbout(request, '', 'pods') ? textAt(object, 'spec', 'nodeName') : boundTo(request);
      return node === '' ? undefined : label(object, node, objects);
    },
  };
}

/** The node that a Binding names; '' for other requests. */
function boundTo({ groupResource, subresource, object }: AdmissionRequest): string {
  const { group, resource } = groupResource;
  const binds = group === '' && ((resource === 'pods' && subresource === 'binding') || resource === 'bindings');
  return binds ? textAt(object, 'target', 'name') : '';
}

async function label(object: JsonObject, node: string, objects: StoredObjects): Promise<void> {
  const labels = await objects.labels({ group: '', resource: 'nodes' }, '', node);
  if (labels === undefined) return;
  for (const key of TOPOLOGY) {
    const value = labels[key];
    if (value !== undefined) setOwn(objectIn(objectIn(object, 'metadata'), 'labels'), key, value);
  }
}
