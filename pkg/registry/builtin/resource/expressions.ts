import {
  BIND_MACRO,
  BOOL,
  COMPATIBLE,
  compile,
  DYN,
  failed,
  includesLibrary,
  kubernetesEnvironment,
  mapOf,
  opaque,
  STRING,
  showType,
  struct,
} from '../../../cel/index.js';

/**
 * The `device` in CEL selectors of devices: its driver, and its attributes and capacities by the domain of their names.
 * Attributes are dynamic: each is a string, a number, a boolean, a version, or a list of these.
 */
const DEVICE = 'kubernetes.DRADevice';
const FIELDS = {
  driver: STRING,
  attributes: mapOf(STRING, mapOf(STRING, DYN)),
  capacity: mapOf(STRING, mapOf(STRING, opaque('kubernetes.Quantity'))),
  allowMultipleAllocations: BOOL,
};

const environment = kubernetesEnvironment(COMPATIBLE)
  .withLibraries([{ macros: [BIND_MACRO] }, includesLibrary])
  .extend({ device: struct(DEVICE) }, [
    { name: DEVICE, field: (f) => (Object.hasOwn(FIELDS, f) ? FIELDS[f as keyof typeof FIELDS] : undefined) },
  ]);

/** Returns what is wrong with the expression of a device selector; undefined if it is valid. */
export function selectorProblem(expression: string): string | undefined {
  const compiled = compile(expression, environment);
  if (failed(compiled)) return compiled.error;
  const { type } = compiled.checked;
  if (type.kind === 'bool' || type.kind === 'dyn') return undefined;
  return `must evaluate to bool or the unknown type, not ${showType(type)}`;
}
