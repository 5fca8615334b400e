import { cloneJson, equalJson, type FieldErrors, FieldPath, type JsonObject } from '../../../../api/index.js';
import type { Strategy, Subresource } from '../../../resource.js';
import { objectAt, objectIn, objectsAt, textAt } from '../../access.js';
import { keep } from '../../form.js';
import { validatePodSpec } from './validation/index.js';

/** Subresources that change an otherwise immutable pod: ephemeral containers here, resources in `resize.ts`. */

const SPEC = FieldPath.of('spec');

export function part(strategy: Strategy): Subresource {
  return {
    verbs: ['get', 'patch', 'update'],
    behaviour: { kind: 'status', strategy: { ...strategy, update: { generation: 'spec', ...strategy.update } } },
  };
}

/** Restores the old object, except for what `f` changes in the copied spec. */
export function keepAllBut(o: JsonObject, old: JsonObject, f: (spec: JsonObject, wanted: JsonObject) => void): void {
  const wanted = objectAt(o, 'spec');
  const spec = cloneJson(objectAt(old, 'spec'));
  f(spec, wanted);
  o['spec'] = spec;
  keep('status', o, old);
  const meta = objectIn(o, 'metadata');
  for (const field of ['labels', 'annotations', 'ownerReferences', 'finalizers'] as const)
    keep(field, meta, objectAt(old, 'metadata'));
}

export const ephemeralContainers: Subresource = part({
  update: {
    prepare: (o, old) =>
      keepAllBut(o, old, (spec, wanted) => {
        if (wanted['ephemeralContainers'] === undefined) delete spec['ephemeralContainers'];
        else spec['ephemeralContainers'] = cloneJson(wanted['ephemeralContainers']);
      }),
    validate: (o, old, errors) => {
      validatePodSpec(o, old, errors);
      onlyAdded(o, old, errors);
    },
  },
});

function onlyAdded(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const path = SPEC.child('ephemeralContainers');
  const now = new Map(objectsAt(o, 'spec', 'ephemeralContainers').map((c, i) => [textAt(c, 'name'), [c, i] as const]));
  for (const before of objectsAt(old, 'spec', 'ephemeralContainers')) {
    const name = textAt(before, 'name');
    const found = now.get(name);
    if (found === undefined)
      errors.forbidden(path, `existing ephemeral containers ${JSON.stringify(name)} may not be removed\n`);
    else if (!equalJson(found[0], before))
      errors.forbidden(path, `existing ephemeral containers ${JSON.stringify(name)} may not be changed\n`);
  }
}
