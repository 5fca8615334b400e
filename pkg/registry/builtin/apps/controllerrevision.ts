import { type FieldErrors, FieldPath, goJson, isObject, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, boolAt, objectsAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { nonNegative } from '../rules.js';
import { AGE, age, column, table } from '../table.js';

export const controllerRevision: ResourceDeclaration<shapes.AppsV1ControllerRevision> = {
  group: 'apps',
  resource: 'controllerrevisions',
  singular: 'controllerrevision',
  kind: 'ControllerRevision',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    create: {
      validate: (o, errors) => {
        const data = o['data'];
        if (data === undefined || data === null)
          errors.required(FieldPath.in<shapes.AppsV1ControllerRevision>().child('data'), 'data is mandatory');
        else if (!isObject(data))
          errors.required(
            FieldPath.in<shapes.AppsV1ControllerRevision>().child('data'),
            'data must be a valid JSON object',
          );
        notNegative(o, errors);
      },
    },
    update: {
      generation: 'none',
      validate: (o, old, errors) => {
        notNegative(o, errors);
        // kube-apiserver compares the text, and so another order of keys is a change.
        if (goJson(o['data'] ?? null, 'asTheyStand') !== goJson(old['data'] ?? null, 'asTheyStand'))
          errors.invalid(
            FieldPath.in<shapes.AppsV1ControllerRevision>().child('data'),
            o['data'] ?? null,
            'field is immutable',
          );
      },
    },
    compatibility: { checksUpdateLikeNew: true },
  },
  table: table(
    [column('Controller', 'The object that owns the revision.'), column('Revision', 'Number of the revision.'), AGE],
    (o, now) => {
      const owner = objectsAt(o, 'metadata', 'ownerReferences').find((r) => boolAt(r, 'controller'));
      const group = textAt(owner, 'apiVersion').split('/').slice(0, -1).join('/');
      const kind = textAt(owner, 'kind').toLowerCase();
      return [
        owner === undefined ? '<none>' : `${group === '' ? kind : `${kind}.${group}`}/${textAt(owner, 'name')}`,
        at(o, 'revision') ?? 0,
        age(o, now),
      ];
    },
  ),
};

function notNegative(o: Shaped<shapes.AppsV1ControllerRevision>, errors: FieldErrors): void {
  nonNegative(o['revision'], FieldPath.in<shapes.AppsV1ControllerRevision>().child('revision'), errors);
}
