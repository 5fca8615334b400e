import { equalJson, type FieldErrors, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../resource.js';
import { at, listAt, objectAt, textAt } from '../access.js';
import { isExtendedResource } from '../core/pod/validation/index.js';
import { versions } from '../form.js';
import { declaredName } from '../rules.js';
import { AGE, age, table } from '../table.js';
import { expressionFeatures } from './expressions.js';
import { configs, selectors } from './validation.js';

export const deviceClass: ResourceDeclaration<shapes.ResourceV1DeviceClass> = {
  group: 'resource.k8s.io',
  resource: 'deviceclasses',
  singular: 'deviceclass',
  kind: 'DeviceClass',
  versions: versions('v1', 'v1beta2', 'v1beta1'),
  storageVersion: 'v1',
  namespaced: false,
  strategy: {
    create: {
      validateName: declaredName,
      validate: (o, errors, context) => validate(o, undefined, errors, context),
    },
    update: { generation: 'spec', validate },
    deletion: { returnsObject: true },
  },
  table: table([AGE], (o, now) => [age(o, now)]),
};

function validate(
  o: Shaped<shapes.ResourceV1DeviceClass>,
  old: Shaped<shapes.ResourceV1DeviceClass> | undefined,
  errors: FieldErrors,
  context: WriteContext,
): void {
  const spec = objectAt(o, 'spec');
  // Expressions that an update does not change may use features that are disabled now.
  const isStored = old !== undefined && equalJson(listAt(spec, 'selectors'), listAt(old, 'spec', 'selectors'));
  const features = isStored ? undefined : expressionFeatures((gate) => context.featureEnabled(gate));
  const path = FieldPath.in<shapes.ResourceV1DeviceClass>().child('spec');
  selectors(spec, features, path, errors);
  const keepsConfig = old !== undefined && equalJson(listAt(spec, 'config'), listAt(old, 'spec', 'config'));
  configs(spec, path, errors, undefined, keepsConfig);
  const name = textAt(spec, 'extendedResourceName');
  if (at(spec, 'extendedResourceName') !== undefined && !isExtendedResource(name))
    errors.invalid(path.child('extendedResourceName'), name, 'must be a valid extended resource name');
}
