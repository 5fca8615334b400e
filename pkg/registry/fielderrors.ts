import { cloneJson, errors, type FieldError, FieldErrors, type JsonObject } from '../api/index.js';
import type { Slice, Steps } from '../base/index.js';
import { declarativeErrors, hasDeclarative } from '../schema/index.js';
import type { Core } from './core.js';
import { metaOf, text } from './meta.js';
import type { Target } from './requests.js';

/** Errors that are compared in one step. */
const AT_ONCE = 500;

/** The errors of one write: those of the rules of the kind, and those of the markers of its schema. */

/**
 * Adds the errors of the validation markers of the schema, in steps. If a marker and a rule of the kind report the same fault, only the error of the
 * marker is kept. Duplicate errors of the rules of the kind are removed, unless the kind repeats those of an update.
 */
export function* addDeclarative(
  core: Core,
  { resource }: Target,
  { object: o, old }: { readonly object: JsonObject; readonly old: JsonObject | undefined },
  found: FieldErrors,
): Steps<FieldErrors> {
  if (old !== undefined && resource.strategy.compatibility?.repeatsErrors) return found;
  const options = {
    enabled: (gate: string) => resource.strategy.validationOption?.(gate, old) ?? core.featureEnabled(gate),
  };
  const { conversion, schema } = resource;
  // The markers are those of the version of the request, and so are the paths and values of their errors.
  const requested = (value: JsonObject | undefined): JsonObject | undefined => {
    if (value === undefined || conversion === undefined || !hasDeclarative(schema)) return value;
    const copy = cloneJson(value);
    conversion.fromStorage(copy);
    return copy;
  };
  const declared = yield* declarativeErrors(requested(o) ?? o, requested(old), schema, options);
  if (declared.length === 0 && found.list.length < 2) return found;
  const { fieldPath = (stored: string) => stored } = conversion ?? {};
  const seen = new Set(declared.map(faultOf));
  const kept = new FieldErrors();
  for (const [i, e] of found.list.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    const whole = `${e.field}: ${e.message}`;
    if (seen.has(whole) || seen.has(faultOf({ ...e, field: fieldPath(e.field) }))) continue;
    seen.add(whole);
    kept.addAll([e]);
  }
  return kept.addAll(declared);
}

/** Returns the same text for errors of one field from two rules of the same type, whatever their messages. */
function faultOf({ type, field, message }: FieldError): string {
  return `${type} ${field} ${type === 'FieldValueInvalid' ? sortOfRule(message) : ''}`;
}

/** Words that identify the type of a rule in its message; every other rule is a format. */
const SORTS: readonly (readonly [string, string])[] = [
  ['field is immutable', 'immutable'],
  ['must be greater than or equal to ', 'minimum'],
  ['must be less than or equal to ', 'maximum'],
  ['field cannot be ', 'update'],
  ['must specify one of', 'union'],
  ['must specify exactly one of', 'union'],
  ['exactly one value must be specified', 'union'],
  ['must be referenced by', 'reference'],
  ['may only be set on a slice', 'slice'],
];

function sortOfRule(message: string): string {
  const found = SORTS.find(([words]) => message.includes(words));
  if (found === undefined) return 'format';
  const [words, sort] = found;
  if (sort !== 'minimum' && sort !== 'maximum') return sort;
  // A bound that is another field belongs to a rule of the kind.
  const bound = message.slice(message.indexOf(words) + words.length);
  return Number.isNaN(Number(bound)) ? message : sort;
}

/** Waits for a validation that did not finish at once. */
export async function inTurns(validation: Promise<void> | Steps<void>, slice: Slice): Promise<void> {
  if (validation instanceof Promise) await validation;
  else await slice.run(validation);
}

/** Finishes the checks of long lists that a validator put off. */
export async function finishChecks(found: FieldErrors, slice: Slice): Promise<void> {
  while (found.pending) {
    found.step();
    if (slice.spent()) await slice.yield();
  }
}

/** Throws the collected errors, if any. */
export function refuse({ resource }: Target, o: JsonObject, found: FieldErrors): void {
  if (found.empty) return;
  // The group of the stored kind: an event is of the core group, whatever group the request is in.
  const { group, kind } = resource.declaration;
  throw errors.invalid({ group, kind }, text(metaOf(o), 'name'), found.list);
}
