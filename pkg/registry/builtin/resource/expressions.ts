import type { FieldErrors, FieldPath } from '../../../api/index.js';
import {
  BIND_MACRO,
  BOOL,
  COMPATIBLE,
  compile,
  DYN,
  type Environment,
  estimateCost,
  failed,
  includesLibrary,
  kubernetesEnvironment,
  mapOf,
  opaque,
  runtimeText,
  type SizeOf,
  STRING,
  struct,
  type Type,
} from '../../../cel/index.js';

/**
 * The `device` in CEL selectors of devices: its driver, and its attributes and capacities by the domain of their names.
 * Attributes are dynamic: each is a string, a number, a boolean, a version, or a list of these.
 */
const DEVICE = 'kubernetes.DRADevice';
const FIELDS: Readonly<Record<string, Type>> = {
  driver: STRING,
  attributes: mapOf(STRING, mapOf(STRING, DYN)),
  capacity: mapOf(STRING, mapOf(STRING, opaque('kubernetes.Quantity'))),
};

/** The features that decide what an expression may use. */
export interface ExpressionFeatures {
  /** DRAListTypeAttributes: attributes may be lists; `includes` tests a list or a single value. */
  readonly lists: boolean;
  /** DRAConsumableCapacity: `device.allowMultipleAllocations`. */
  readonly sharing: boolean;
}

export function expressionFeatures(enabled: (gate: string) => boolean): ExpressionFeatures {
  return { lists: enabled('DRAListTypeAttributes'), sharing: enabled('DRAConsumableCapacity') };
}

/** Environments by their features. */
const environments = new Map<string, Environment>();

function environmentOf(features: ExpressionFeatures): Environment {
  const key = `${features.lists} ${features.sharing}`;
  const found = environments.get(key);
  if (found !== undefined) return found;
  const fields = features.sharing ? { ...FIELDS, allowMultipleAllocations: BOOL } : FIELDS;
  const made = kubernetesEnvironment(COMPATIBLE)
    .withLibraries([{ macros: [BIND_MACRO] }, ...(features.lists ? [includesLibrary] : [])])
    .extend({ device: struct(DEVICE) }, [
      { name: DEVICE, field: (f) => (Object.hasOwn(fields, f) ? fields[f as keyof typeof fields] : undefined) },
    ]);
  environments.set(key, made);
  return made;
}

/** Limits of the names and values of devices, which bound the cost of an expression. */
const DOMAIN_MAX = 63;
const NAME_MAX = 32;
const PARTS_MAX = 32;
const VALUE_MAX = 64;
/** The limit of the estimated cost of one expression, and of all derived attributes of a claim. */
export const EXPRESSION_COST_MAX = 1_000_000n;

/** The maximum size of a part of `device`: of `device.attributes`, of one domain in it, of one attribute. */
const sizeOfPart: SizeOf = (path) => {
  const [root, field, domain, name, ...rest] = path;
  if (root !== 'device' || rest.length > 0) return undefined;
  if (field === undefined) return 0;
  if (field === 'driver' || field === 'allowMultipleAllocations') {
    if (domain !== undefined) return undefined;
    return field === 'driver' ? DOMAIN_MAX : 1;
  }
  if (field !== 'attributes' && field !== 'capacity') return undefined;
  if (domain === undefined) return PARTS_MAX;
  if (domain === '@keys') return name === undefined ? DOMAIN_MAX : undefined;
  if (domain !== '@items' && domain !== '@values') return undefined;
  if (name === undefined) return PARTS_MAX;
  if (name === '@keys') return NAME_MAX;
  if (field === 'attributes') return VALUE_MAX;
  return name === '@items' || name === '@values' ? 0 : undefined;
};

/**
 * Validates the expression of a device selector, which returns a bool, or of a derived attribute, which returns an
 * attribute or a list of them. Returns the estimated cost; 0 if the expression does not compile.
 */
export function checkExpression(
  expression: string,
  of: 'selector' | 'derived attribute',
  features: ExpressionFeatures,
  path: FieldPath,
  errors: FieldErrors,
): bigint {
  if (errors.full) return 0n;
  const compiled = compile(expression, environmentOf(features));
  if (failed(compiled)) {
    errors.invalid(path, expression, compiled.error);
    return 0n;
  }
  const problem = typeProblem(compiled.checked.type, of, features);
  if (problem !== undefined) {
    errors.invalid(path, expression, problem);
    return 0n;
  }
  const cost = estimateCost(compiled, sizeOfPart);
  if (cost > EXPRESSION_COST_MAX) errors.forbidden(path, 'too complex, exceeds cost limit');
  return cost;
}

function typeProblem(
  type: Type,
  of: 'selector' | 'derived attribute',
  { lists }: ExpressionFeatures,
): string | undefined {
  if (of === 'selector') {
    if (type.kind === 'bool' || type.kind === 'dyn') return undefined;
    return `must evaluate to bool or the unknown type, not ${runtimeText(type)}`;
  }
  if (isAttribute(type) || (lists && type.kind === 'list' && isAttribute(type.element))) return undefined;
  const wanted = 'a primitive scalar (string, integer, boolean, semver)';
  return `must evaluate to ${lists ? `${wanted} or a list of these scalars` : wanted}, not ${runtimeText(type)}`;
}

function isAttribute(t: Type): boolean {
  return ['bool', 'int', 'string', 'dyn'].includes(t.kind) || (t.kind === 'opaque' && t.name === 'kubernetes.Semver');
}
