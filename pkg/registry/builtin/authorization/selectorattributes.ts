import {
  type FieldErrors,
  type FieldPath,
  isLabelKey,
  isLabelValue,
  type JsonObject,
  type JsonValue,
  type LabelRequirement,
  parseFieldSelector,
  parseLabelSelector,
  type ResourceAttributes,
} from '../../../api/index.js';
import { at, listAt, objectsAt, textAt } from '../access.js';
import { sentences } from '../rules.js';

/** Selectors of an access review. Each is given as requirements or as text, not as both. */
export function selectorAttributes(resource: JsonValue, path: FieldPath, found: FieldErrors): void {
  for (const field of ['fieldSelector', 'labelSelector'] as const) {
    const selector = at(resource, field);
    if (selector === undefined) continue;
    const here = path.child(field);
    const raw = textAt(selector, 'rawSelector');
    const requirements = objectsAt(selector, 'requirements');
    if (raw !== '' && requirements.length > 0)
      found.invalid(here.child('rawSelector'), raw, 'may not specified at the same time as requirements');
    if (raw === '' && requirements.length === 0)
      found.required(
        here.child('requirements'),
        `when ${here.toString()} is specified, requirements or rawSelector is required`,
      );
    for (const [i, r] of requirements.entries())
      requirement(r, here.child('requirements').index(i), field === 'labelSelector', found);
  }
}

function requirement(r: JsonObject, path: FieldPath, ofLabels: boolean, found: FieldErrors): void {
  const values = listAt(r, 'values');
  switch (textAt(r, 'operator')) {
    case 'In':
    case 'NotIn':
      if (values.length === 0)
        found.required(path.child('values'), "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0)
        found.forbidden(path.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      break;
    default:
    // operators of a later release are valid: their requirements are ignored (see `ignoredSelectors`)
  }
  const key = textAt(r, 'key');
  if (ofLabels) {
    sentences(key, isLabelKey, path.child('key'), found);
    for (const [i, value] of values.entries())
      sentences(String(value), isLabelValue, path.child('values').index(i), found);
  } else if (key === '') found.required(path.child('key'), 'must be specified');
}

/**
 * Reports selectors, or requirements of them, that the server ignores, such as operators of a newer release and text
 * that does not parse. The review then covers more objects than requested, and its status says so.
 */
export function ignoredSelectors(resource: JsonValue | undefined): readonly string[] {
  const told: string[] = [];
  for (const field of ['fieldSelector', 'labelSelector'] as const) {
    const selector = at(resource, field);
    const usable = objectsAt(selector, 'requirements').map(field === 'labelSelector' ? isUsableLabel : isUsableField);
    const raw = textAt(selector, 'rawSelector');
    const broken = raw !== '' && !parses(raw, field === 'labelSelector' ? parseLabelSelector : parseFieldSelector);
    if (broken || usable.includes(false))
      told.push(
        `spec.resourceAttributes.${field} ${usable.includes(true) ? 'partially ' : ''}ignored due to parse error`,
      );
  }
  return told;
}

const isUsableLabel = (r: JsonObject): boolean =>
  ['In', 'NotIn', 'Exists', 'DoesNotExist'].includes(textAt(r, 'operator'));

/** A field has one value, so a field selector supports only equality with one value. */
const isUsableField = (r: JsonObject): boolean =>
  ['In', 'NotIn'].includes(textAt(r, 'operator')) && listAt(r, 'values').length === 1;

function parses(text: string, parse: (text: string) => unknown): boolean {
  return parsed(text, parse) !== undefined;
}

function parsed<T>(text: string, parse: (text: string) => T): T | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The selectors that the authorizers see: what `ignoredSelectors` does not report. Absent if nothing of a selector can be used. */
export function reviewedSelectors(resource: JsonValue): Pick<ResourceAttributes, 'fieldSelector' | 'labelSelector'> {
  const fields = reviewed(at(resource, 'fieldSelector'), parseFieldSelector, (all) =>
    all.filter(isUsableField).map((r) => ({
      field: textAt(r, 'key'),
      equal: textAt(r, 'operator') === 'In',
      value: String(listAt(r, 'values')[0]),
    })),
  );
  const labels = reviewed(at(resource, 'labelSelector'), parseLabelSelector, (all) =>
    all.filter(isUsableLabel).map((r) => ({
      key: textAt(r, 'key'),
      operator: LABEL_OPERATORS[textAt(r, 'operator')]!,
      values: [...new Set(listAt(r, 'values').map(String))].sort(),
    })),
  );
  return {
    ...(fields === undefined ? {} : { fieldSelector: fields }),
    ...(labels === undefined ? {} : { labelSelector: labels }),
  };
}

function reviewed<T>(
  selector: JsonValue | undefined,
  parse: (text: string) => readonly T[],
  convert: (requirements: readonly JsonObject[]) => readonly T[],
): readonly T[] | undefined {
  if (selector === undefined) return undefined;
  const raw = textAt(selector, 'rawSelector');
  const found = raw === '' ? convert(objectsAt(selector, 'requirements')) : parsed(raw, parse);
  return found === undefined || found.length === 0 ? undefined : found;
}

const LABEL_OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};
