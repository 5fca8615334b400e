import {
  type AdmissionRequest,
  at,
  errors,
  isInt64,
  type JsonObject,
  type LabelOperator,
  type LabelSelector,
  listAt,
  matchesLabels,
  objectAt,
  objectsAt,
  type StoredObjects,
  textAt,
} from '../api/index.js';
import { forbidden } from './step.js';

const NODES = { group: '', resource: 'nodes' } as const;
const FEATURE = 'DRANodeAllocatableResources';

/**
 * Rejects a slice with a device that takes of a node's own resources, unless every node that the device can be used from declares the
 * feature: another kubelet would not account for what the device takes.
 */
export async function checkSliceNodes(request: AdmissionRequest, objects: StoredObjects): Promise<void> {
  const spec = objectAt(request.object, 'spec');
  for (const device of objectsAt(spec, 'devices')) {
    if (Object.keys(objectAt(device, 'nodeAllocatableResources')).length === 0) continue;
    const holder = spec['perDeviceNodeSelection'] === true ? device : spec;
    const name = textAt(device, 'name');
    const nodeName = textAt(holder, 'nodeName');
    if (nodeName !== '') {
      const node = await objects.get(NODES, '', nodeName);
      if (node === undefined)
        throw forbidden(request, `node ${JSON.stringify(nodeName)} not found for device ${JSON.stringify(name)}`);
      requireFeature(request, node);
      continue;
    }
    const matches = nodeMatch(holder);
    if (matches === undefined)
      throw forbidden(
        request,
        `device ${JSON.stringify(name)} in ResourceSlice has NodeAllocatableResources but does not map to any nodes`,
      );
    for (const node of objects.each(NODES, '')) if (matches(node)) requireFeature(request, node);
  }
}

function requireFeature(request: AdmissionRequest, node: JsonObject): void {
  if (listAt(node, 'status', 'declaredFeatures').includes(FEATURE)) return;
  const name = JSON.stringify(textAt(node, 'metadata', 'name'));
  throw forbidden(request, `node ${name} does not support ${FEATURE} feature`);
}

type NodeMatch = (node: JsonObject) => boolean;

/** Undefined if the slice or device names neither a selector nor all nodes. */
function nodeMatch(holder: JsonObject): NodeMatch | undefined {
  if (at(holder, 'nodeSelector') === undefined) return holder['allNodes'] === true ? () => true : undefined;
  const terms = objectsAt(holder, 'nodeSelector', 'nodeSelectorTerms').map(termMatch);
  return (node) => terms.some((matches) => matches(node));
}

const OPERATORS: Readonly<Record<string, LabelOperator>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
  Gt: 'gt',
  Lt: 'lt',
};

/** Compiles a valid term of a node selector. An empty one matches no node. */
function termMatch(term: JsonObject, i: number): NodeMatch {
  const labels = selectorOf(term, 'matchExpressions');
  const fields = selectorOf(term, 'matchFields');
  if (labels.length + fields.length === 0) return () => false;
  const problem = boundProblem(labels);
  if (problem !== undefined)
    throw errors.badRequest(
      `failed to create node selector: nodeSelectorTerms[${i}].matchExpressions${problem}: for 'Gt', 'Lt' operators, the value must be an integer`,
    );
  return (node) =>
    matchesLabels(labels, objectAt(node, 'metadata', 'labels') as Readonly<Record<string, string>>) &&
    matchesLabels(fields, { 'metadata.name': textAt(node, 'metadata', 'name') });
}

const selectorOf = (term: JsonObject, field: string): LabelSelector =>
  objectsAt(term, field).map((requirement) => ({
    key: textAt(requirement, 'key'),
    operator: OPERATORS[textAt(requirement, 'operator')]!,
    values: listAt(requirement, 'values').map(String).sort(),
  }));

/** Validation of slices accepts any text as a bound; where it is, and the text. */
function boundProblem(labels: LabelSelector): string | undefined {
  const i = labels.findIndex(
    ({ operator, values }) => (operator === 'gt' || operator === 'lt') && !isInt64(values[0] ?? ''),
  );
  return i < 0 ? undefined : `[${i}].values[0]: Invalid value: ${JSON.stringify(labels[i]!.values[0] ?? '')}`;
}
