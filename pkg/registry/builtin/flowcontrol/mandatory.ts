import { equalJson, type FieldErrors, type FieldPath, type JsonObject, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { nameOf, objectAt } from '../access.js';
import { shown } from '../rules.js';

/**
 * Objects that every server uses, stored or not: requests that match no other flow schema need a priority level, and
 * administrators must not be limited. The stored objects are equal to these.
 */

const EVERYTHING: JsonObject = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

const groups = (...names: readonly string[]): JsonObject[] => names.map((name) => ({ kind: 'Group', group: { name } }));

const FLOW_SCHEMAS: Readonly<Record<string, JsonObject>> = {
  exempt: {
    priorityLevelConfiguration: { name: 'exempt' },
    matchingPrecedence: 1,
    rules: [{ subjects: groups('system:masters'), ...EVERYTHING }],
  },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [{ subjects: groups('system:unauthenticated', 'system:authenticated'), ...EVERYTHING }],
  },
};

/** An administrator may set the shares of the level `exempt`, so `exempt` in its spec is not compared. */
const PRIORITY_LEVELS: Readonly<Record<string, JsonObject>> = {
  'catch-all': {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
  },
  exempt: { type: 'Exempt' },
};

export const mandatorySchema = (
  o: Shaped<shapes.FlowcontrolV1FlowSchema>,
  path: FieldPath<shapes.FlowcontrolV1FlowSchemaSpec | shapes.FlowcontrolV1PriorityLevelConfigurationSpec>,
  errors: FieldErrors,
): void => asFixed(o, FLOW_SCHEMAS, 'flowcontrol/v1.FlowSchemaSpec', path, errors);

export const mandatoryLevel = (
  o: Shaped<shapes.FlowcontrolV1PriorityLevelConfiguration>,
  path: FieldPath<shapes.FlowcontrolV1FlowSchemaSpec | shapes.FlowcontrolV1PriorityLevelConfigurationSpec>,
  errors: FieldErrors,
): void => asFixed(o, PRIORITY_LEVELS, 'flowcontrol/v1.PriorityLevelConfigurationSpec', path, errors);

function asFixed(
  o: Shaped<shapes.FlowcontrolV1FlowSchema | shapes.FlowcontrolV1PriorityLevelConfiguration>,
  fixed: Readonly<Record<string, JsonObject>>,
  type: string,
  path: FieldPath<shapes.FlowcontrolV1FlowSchemaSpec | shapes.FlowcontrolV1PriorityLevelConfigurationSpec>,
  errors: FieldErrors,
): void {
  const name = nameOf(o);
  const spec = objectAt(o, 'spec');
  if (!Object.hasOwn(fixed, name)) return;
  const isLevelExempt = fixed === PRIORITY_LEVELS && name === 'exempt';
  const { exempt: _, ...others } = spec as JsonObject;
  if (equalJson(isLevelExempt ? others : spec, fixed[name])) return;
  const except = isLevelExempt ? " except the 'spec.exempt' field" : '';
  errors.invalid(path, shown(type, spec), `spec of '${name}'${except} must equal the fixed value`);
}
