import { equalJson, type FieldErrors, type FieldPath, type JsonObject } from '../../../api/index.js';
import { nameOf, objectAt } from '../access.js';
import { shown } from '../rules.js';

/**
 * Objects that every server works with, whether they are stored or not: requests that match nothing else must go somewhere, and
 * administrators must get through. Stored ones say the same.
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

/** The level `exempt` may be given seats; its type is a rule of its own. */
const PRIORITY_LEVELS: Readonly<Record<string, JsonObject>> = {
  'catch-all': {
    type: 'Limited',
    limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
  },
};

export const mandatorySchema = (o: JsonObject, path: FieldPath, errors: FieldErrors): void =>
  asFixed(o, FLOW_SCHEMAS, 'flowcontrol/v1.FlowSchemaSpec', path, errors);

export const mandatoryLevel = (o: JsonObject, path: FieldPath, errors: FieldErrors): void =>
  asFixed(o, PRIORITY_LEVELS, 'flowcontrol/v1.PriorityLevelConfigurationSpec', path, errors);

function asFixed(
  o: JsonObject,
  fixed: Readonly<Record<string, JsonObject>>,
  type: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const name = nameOf(o);
  const spec = objectAt(o, 'spec');
  if (Object.hasOwn(fixed, name) && !equalJson(spec, fixed[name]))
    errors.invalid(path, shown(type, spec), `spec of '${name}' must equal the fixed value`);
}
