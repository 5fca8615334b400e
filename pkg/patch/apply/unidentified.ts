import { isObject, type JsonValue } from '../../api/index.js';
import { type ListSchema, planner, type Schema } from '../../schema/index.js';
import { isAtomic, keysHaveDefaults } from './shape.js';
import { elementOf } from './to-set.js';

/** Lists whose items may lack an identity. Most keys are always written or have a default, so few kinds have such lists. */
const isLoose = (schema: Schema): schema is ListSchema =>
  schema.kind === 'list' && schema.listType === 'map' && !isAtomic(schema) && !keysHaveDefaults(schema);

const { plan, reaches } = planner((field) => isLoose(field.schema));

/**
 * Reports whether an object has an item of an associative list without any of its keys (`secrets: [{}]` of a service account). Fields
 * of such an object cannot be tracked at all.
 */
export function hasUnidentifiedItem(value: JsonValue | undefined, schema: Schema): boolean {
  if (!reaches(schema)) return false;
  if (Array.isArray(value)) return schema.kind === 'list' && value.some((v) => hasUnidentifiedItem(v, schema.items));
  if (!isObject(value)) return false;
  if (schema.kind === 'map') return Object.values(value).some((v) => hasUnidentifiedItem(v, schema.values));
  if (schema.kind !== 'struct') return false;
  return plan(schema).all.some(({ name, schema: field }) => {
    const member = value[name];
    if (isLoose(field) && Array.isArray(member) && member.some((item) => elementOf(field, item) === undefined))
      return true;
    return hasUnidentifiedItem(member, field);
  });
}
