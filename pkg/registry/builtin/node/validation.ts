import { type FieldErrors, FieldPath, isDns1123Label, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, objectAt, objectsAt, textAt } from '../access.js';
import { overhead, toleration } from '../core/pod/validation/index.js';
import { labels, sentences, shown } from '../rules.js';

export function validateRuntimeClass(o: Shaped<shapes.NodeV1RuntimeClass>, errors: FieldErrors): void {
  const handler = textAt(o, 'handler');
  if (handler === '') errors.required(FieldPath.in<shapes.NodeV1RuntimeClass>().child('handler'));
  else sentences(handler, isDns1123Label, FieldPath.in<shapes.NodeV1RuntimeClass>().child('handler'), errors);
  overhead(
    objectAt(o, 'overhead', 'podFixed'),
    false,
    FieldPath.in<shapes.NodeV1RuntimeClass>().childShownAs('overhead'),
    errors,
  );
  if (at(o, 'scheduling') === undefined) return;
  const path = FieldPath.in<shapes.NodeV1RuntimeClass>().child('scheduling');
  labels(objectAt(o, 'scheduling', 'nodeSelector'), path.child('nodeSelector'), errors);
  const tolerations = objectsAt(o, 'scheduling', 'tolerations');
  errors.each(tolerations, (t, i) => toleration(t, path.child('tolerations').index(i), errors));
  const seen = new Set<string>();
  errors.each(tolerations, (t, i) => {
    const here = path.child('tolerations').index(i);
    // The seconds do not make two tolerations different.
    const same = JSON.stringify((['key', 'operator', 'value', 'effect'] as const).map((field) => textAt(t, field)));
    if (seen.has(same)) errors.duplicate(here, shown('core/v1.Toleration', t));
    seen.add(same);
  });
}

export function validateRuntimeClassUpdate(
  o: Shaped<shapes.NodeV1RuntimeClass>,
  old: Shaped<shapes.NodeV1RuntimeClass>,
  errors: FieldErrors,
): void {
  if (textAt(o, 'handler') !== textAt(old, 'handler'))
    errors.invalid(
      FieldPath.in<shapes.NodeV1RuntimeClass>().child('handler'),
      textAt(o, 'handler'),
      'field is immutable',
    );
  validateRuntimeClass(o, errors);
}
