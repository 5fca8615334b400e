import { type FieldErrors, goFormat, goTypeName, isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import type { ScalePaths } from './scale.js';

const REPLICAS_MAX = 2 ** 31 - 1;

/**
 * Checks the fields of a Scale in a custom resource, whatever its schema allows. `parts`: a write of the status checks only the
 * fields of the status.
 */
export function checkScale(
  o: JsonObject,
  { specReplicas, statusReplicas, labelSelector }: ScalePaths,
  parts: 'all' | 'status',
  found: FieldErrors,
): void {
  if (parts === 'all') checkReplicas(o, specReplicas, found);
  checkReplicas(o, statusReplicas, found);
  if (labelSelector === undefined) return;
  const { value, problem } = nested(o, labelSelector, 'string');
  if (value === undefined && problem !== undefined) invalid(found, labelSelector, '""', problem);
}

function checkReplicas(o: JsonObject, path: readonly string[], found: FieldErrors): void {
  const { value = 0, problem } = nested(o, path, 'int64');
  if (problem !== undefined) invalid(found, path, '0', problem);
  else if (Number(value) < 0) invalid(found, path, String(value), 'should be a non-negative integer');
  else if (Number(value) > REPLICAS_MAX)
    invalid(found, path, String(value), `should be less than or equal to ${REPLICAS_MAX}`);
}

const textOf = (path: readonly string[]): string => `.${path.join('.')}`;

function invalid(found: FieldErrors, path: readonly string[], value: string, problem: string): void {
  found.add('FieldValueInvalid', textOf(path), `Invalid value: ${value}: ${problem}`);
}

interface Nested {
  readonly value?: JsonValue;
  readonly problem?: string;
}

/** The value at a path, if it is there; or the message of kube-apiserver about a value of another type. */
function nested(o: JsonObject, path: readonly string[], wanted: 'int64' | 'string'): Nested {
  let value: JsonValue = o;
  for (const [i, name] of path.entries()) {
    if (value === null) return {};
    if (!isObject(value)) return wrong(value, path.slice(0, i + 1), 'map[string]interface{}');
    if (!Object.hasOwn(value, name)) return {};
    value = value[name] as JsonValue;
  }
  return goTypeName(value) === wanted ? { value } : wrong(value, path, wanted);
}

function wrong(value: JsonValue, path: readonly string[], wanted: string): Nested {
  const [shown, type] = value === null ? ['<nil>', '<nil>'] : [goFormat(value), goTypeName(value)];
  return { problem: `${textOf(path)} accessor error: ${shown} is of the type ${type}, expected ${wanted}` };
}
