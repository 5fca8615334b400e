import type { JsonObject } from '../../../api/index.js';

/** A ResourceSlice of one node with these devices. `more` are further fields of its spec. */
export function resourceSlice(devices: JsonObject[], more: JsonObject = {}): JsonObject {
  const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { generateName: 's-' },
    spec: { driver: 'd.io', pool, nodeName: 'n', devices, ...more },
  };
}
