import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  type JsonObject,
  type Shaped,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, nameOf, objectsAt, textAt } from '../access.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { sentences } from '../rules.js';
import { conditionList } from '../status/conditions.js';
import { column } from '../table.js';

export const storageVersionMigration: ResourceDeclaration<shapes.StoragemigrationV1StorageVersionMigration> = {
  group: 'storagemigration.k8s.io',
  resource: 'storageversionmigrations',
  singular: 'storageversionmigration',
  kind: 'StorageVersionMigration',
  versions: versions('v1', 'v1beta1'),
  storageVersion: 'v1beta1',
  namespaced: false,
  strategy: withStatus({
    compatibility: { checksUpdateLikeNew: true },
    create: { validate },
    update: { allowUnconditional: false, generation: 'none', validate: validateUpdate },
  }),
  subresources: {
    status: statusAlone({
      update: {
        allowUnconditional: false,
        validate: validateStatus,
      },
    }),
  },
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

function validate(o: Shaped<shapes.StoragemigrationV1StorageVersionMigration>, errors: FieldErrors): void {
  const path = FieldPath.in<shapes.StoragemigrationV1StorageVersionMigration>().child('spec').child('resource');
  const [group, resource] = [textAt(o, 'spec', 'resource', 'group'), textAt(o, 'spec', 'resource', 'resource')];
  if (resource === '') errors.required(path.child('resource'), 'resource is required to be set');
  else sentences(resource, isDns1035Label, path.child('resource'), errors);
  if (group !== '') sentences(group, isDns1123Subdomain, path.child('group'), errors);
}

function validateUpdate(
  o: Shaped<shapes.StoragemigrationV1StorageVersionMigration>,
  old: Shaped<shapes.StoragemigrationV1StorageVersionMigration>,
  errors: FieldErrors,
): void {
  validate(o, errors);
  const resource = (of: Shaped<shapes.StoragemigrationV1StorageVersionMigration>): JsonObject => ({
    group: textAt(of, 'spec', 'resource', 'group'),
    resource: textAt(of, 'spec', 'resource', 'resource'),
  });
  if (at(old, 'spec') !== undefined && !equalJson(resource(o), resource(old)))
    errors.invalid(
      FieldPath.in<shapes.StoragemigrationV1StorageVersionMigration>().child('spec'),
      { Resource: resource(o) },
      'field is immutable',
    );
}

const STATUS = FieldPath.in<shapes.StoragemigrationV1StorageVersionMigration>().child('status');

/** A migration ends once, in one way, and keeps its resource version. */
function validateStatus(
  o: Shaped<shapes.StoragemigrationV1StorageVersionMigration>,
  old: Shaped<shapes.StoragemigrationV1StorageVersionMigration>,
  errors: FieldErrors,
): void {
  const version = textAt(o, 'status', 'resourceVersion');
  if (version !== '') {
    const bad = badVersion(version);
    if (bad !== undefined) errors.invalid(STATUS.child('resourceVersion'), version, bad);
  }
  const conditions = objectsAt(o, 'status', 'conditions');
  const path = STATUS.child('conditions');
  conditionList(conditions, path, errors);
  const before = textAt(old, 'status', 'resourceVersion');
  if (before !== '' && before !== version)
    errors.invalid(STATUS.child('resourceVersion'), version, 'field is immutable');
  const given = [...conditions];
  const [success, failed] = [is(o, 'Succeeded'), is(o, 'Failed')];
  if (success && failed)
    errors.invalid(path, given, 'Both success and failed conditions cannot be true at the same time');
  if (is(old, 'Succeeded') && !success)
    errors.invalid(path, given, 'Success condition cannot be set to false once it is true');
  if (is(old, 'Failed') && !failed)
    errors.invalid(path, given, 'Failed condition cannot be set to false once it is true');
}

const is = (o: Shaped<shapes.StoragemigrationV1StorageVersionMigration>, type: string): boolean =>
  textAt(
    objectsAt(o, 'status', 'conditions').find((c) => textAt(c, 'type') === type),
    'status',
  ) === 'True';

/** The error of a resource version that is not a number, or undefined. */
function badVersion(version: string): string | undefined {
  if (/^(0|[1-9][0-9]*)$/.test(version)) return undefined;
  return `resource version is not well formed: ${version}`;
}
