import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  type JsonObject,
} from '../../../api/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, nameOf, objectsAt, textAt } from '../access.js';
import { statusSubresource, versions, withStatus } from '../form.js';
import { sentences } from '../rules.js';
import { column } from '../table.js';

export const storageVersionMigration: ResourceDeclaration = {
  group: 'storagemigration.k8s.io',
  resource: 'storageversionmigrations',
  singular: 'storageversionmigration',
  kind: 'StorageVersionMigration',
  versions: versions('v1', 'v1beta1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: withStatus({ create: { validate }, update: { allowUnconditional: false, validate: validateUpdate } }),
  subresources: { status: statusSubresource() },
  table: {
    columns: [
      column('Name', 'The name of the migration.'),
      column('Resource', 'The resource that is migrated.'),
      column('Status', 'How far the migration has come.'),
    ],
    cells: (o) => {
      const group = textAt(o, 'spec', 'resource', 'group');
      const resource = textAt(o, 'spec', 'resource', 'resource');
      const state = objectsAt(o, 'status', 'conditions')
        .filter((c) => textAt(c, 'status') === 'True')
        .map((c) => textAt(c, 'type'))
        .findLast((type) => STATES.includes(type));
      return [nameOf(o), group === '' ? resource : `${resource}.${group}`, state ?? 'Unknown'];
    },
  },
};

const STATES = ['Running', 'Failed', 'Succeeded'];

function validate(o: JsonObject, errors: FieldErrors): void {
  const path = FieldPath.of('spec').child('resource');
  const [group, resource] = [textAt(o, 'spec', 'resource', 'group'), textAt(o, 'spec', 'resource', 'resource')];
  if (resource === '') errors.required(path.child('resource'), 'resource is required to be set');
  else sentences(resource, isDns1035Label, path.child('resource'), errors);
  if (group !== '') sentences(group, isDns1123Subdomain, path.child('group'), errors);
}

function validateUpdate(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  validate(o, errors);
  const resource = (of: JsonObject): JsonObject => ({
    group: textAt(of, 'spec', 'resource', 'group'),
    resource: textAt(of, 'spec', 'resource', 'resource'),
  });
  if (at(old, 'spec') !== undefined && !equalJson(resource(o), resource(old)))
    errors.invalid(FieldPath.of('spec'), { Resource: resource(o) }, 'field is immutable');
}
