import { type FieldErrors, FieldPath, isDns1123Label, JsonCounter, type JsonObject } from '../../../api/index.js';
import { at, objectAt, objectsAt, textAt } from '../access.js';
import { containerResourceName, resourceAmount, toleration } from '../core/pod/validation/index.js';
import { labels, sentences, shown } from '../rules.js';

export function validateRuntimeClass(o: JsonObject, errors: FieldErrors): void {
  const handler = textAt(o, 'handler');
  if (handler === '') errors.required(FieldPath.of('handler'));
  else sentences(handler, isDns1123Label, FieldPath.of('handler'), errors);
  for (const [name, amount] of Object.entries(objectAt(o, 'overhead', 'podFixed'))) {
    const path = FieldPath.of('overhead', 'limits').key(name);
    containerResourceName(name, path, errors);
    resourceAmount(name, amount, path, errors);
  }
  if (at(o, 'scheduling') === undefined) return;
  const path = FieldPath.of('scheduling');
  labels(objectAt(o, 'scheduling', 'nodeSelector'), path.child('nodeSelector'), errors);
  const seen = new JsonCounter();
  for (const [i, t] of objectsAt(o, 'scheduling', 'tolerations').entries()) {
    const here = path.child('tolerations').index(i);
    toleration(t, here, errors);
    if (seen.add(t) > 0) errors.duplicate(here, shown('core/v1.Toleration', t));
  }
}

export function validateRuntimeClassUpdate(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  if (textAt(o, 'handler') !== textAt(old, 'handler'))
    errors.invalid(FieldPath.of('handler'), textAt(o, 'handler'), 'field is immutable');
  validateRuntimeClass(o, errors);
}
