import {
  type AdmissionStep,
  ApiError,
  at,
  compareQuantities,
  type JsonObject,
  milliUnitsOf,
  type Quantity,
  type StoredObjects,
  textAt,
  unitsOf,
  zeroQuantity,
} from '../api/index.js';
import { type Amounts, amountsAt, podAmounts } from './podamounts.js';
import { forbidden } from './step.js';

const NODES = { group: '', resource: 'nodes' } as const;

/** A pod on a node may be resized only if the node runs Linux and has enough allocatable resources. */
export function podResizeStep(objects: StoredObjects): AdmissionStep {
  return {
    name: 'PodResizeValidator',
    concerns: ({ operation, subresource, groupResource: { group, resource } }) =>
      operation === 'update' && subresource === 'resize' && group === '' && resource === 'pods',
    validate: async (request) => {
      const { object, old } = request;
      if (object === undefined) return;
      const name = textAt(object, 'spec', 'nodeName');
      if (name === '' || at(object, 'metadata', 'generation') === at(old, 'metadata', 'generation')) return;
      const node = await objects.get(NODES, '', name);
      if (node === undefined) throw forbidden(request, `node ${JSON.stringify(name)} not found`);
      const os = textAt(node, 'metadata', 'labels', 'kubernetes.io/os');
      if (os !== '' && os !== 'linux')
        throw withCause(
          forbidden(
            request,
            `pod resize is only supported on linux nodes, node ${JSON.stringify(name)} is ${JSON.stringify(os)}`,
          ),
          'UnsupportedPlatform',
        );
      const lacking = lackOf(podAmounts(object, 'requests'), node);
      if (lacking.length > 0)
        throw withCause(
          forbidden(request, `node didn't have enough allocatable resources: ${lacking.join('; ')}`),
          'NodeCapacity',
        );
    },
  };
}

function lackOf(requests: Amounts, node: JsonObject): readonly string[] {
  const allocatable = amountsAt(node, 'status', 'allocatable');
  const compare = (name: 'cpu' | 'memory', shown: (q: Quantity) => bigint): readonly string[] => {
    const [wanted, there] = [requests.get(name) ?? zeroQuantity, allocatable.get(name) ?? zeroQuantity];
    if (compareQuantities(wanted, there) <= 0) return [];
    return [`${name}, requested: ${shown(wanted)}, allocatable: ${shown(there)}`];
  };
  return [...compare('cpu', milliUnitsOf), ...compare('memory', unitsOf)];
}

function withCause({ status }: ApiError, reason: string): ApiError {
  return new ApiError(status.code, status.reason, status.message ?? '', {
    ...status.details,
    causes: [...(status.details?.causes ?? []), { reason }],
  });
}
