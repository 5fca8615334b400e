import { type FieldErrors, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, objectAt, textAt } from '../access.js';
import { isExtendedResource } from '../core/pod/validation/index.js';
import { versions } from '../form.js';
import { AGE, age, table } from '../table.js';
import { configs, selectors } from './validation.js';

export const deviceClass: ResourceDeclaration<shapes.ResourceV1DeviceClass> = {
  group: 'resource.k8s.io',
  resource: 'deviceclasses',
  singular: 'deviceclass',
  kind: 'DeviceClass',
  versions: versions('v1', 'v1beta2', 'v1beta1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: { create: { validate }, update: { generation: 'spec' }, deletion: { returnsObject: true } },
  table: table([AGE], (o, now) => [age(o, now)]),
};

function validate(o: Shaped<shapes.ResourceV1DeviceClass>, errors: FieldErrors): void {
  const spec = objectAt(o, 'spec');
  const path = FieldPath.in<shapes.ResourceV1DeviceClass>().child('spec');
  selectors(spec, path, errors);
  configs(spec, path, errors);
  const name = textAt(spec, 'extendedResourceName');
  if (at(spec, 'extendedResourceName') !== undefined && !isExtendedResource(name))
    errors.invalid(path.child('extendedResourceName'), name, 'must be a valid extended resource name');
}
