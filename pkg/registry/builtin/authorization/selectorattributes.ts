import { type FieldErrors, type FieldPath, isLabelKey, type JsonObject, type JsonValue } from '../../../api/index.js';
import { at, listAt, objectsAt, textAt } from '../access.js';
import { sentences } from '../rules.js';

/** The selectors that a review of access may carry: each as requirements or as text, not as both. */
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
      if (ofLabels) found.invalid(path.child('operator'), textAt(r, 'operator'), 'not a valid selector operator');
  }
  const key = textAt(r, 'key');
  if (ofLabels) sentences(key, isLabelKey, path.child('key'), found);
  else if (key === '') found.required(path.child('key'), 'must be specified');
}
