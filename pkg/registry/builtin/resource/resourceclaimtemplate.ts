import { equalJson, type FieldErrors, FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, objectAt } from '../access.js';
import { claimTemplateMeta, shown } from '../rules.js';
import { AGE, age, table } from '../table.js';
import { claimTemplateVersions } from './conversion.js';
import { adminAccess, claimSpec, fillClaim } from './validation.js';

export const resourceClaimTemplate: ResourceDeclaration<shapes.ResourceV1ResourceClaimTemplate> = {
  group: 'resource.k8s.io',
  resource: 'resourceclaimtemplates',
  singular: 'resourceclaimtemplate',
  kind: 'ResourceClaimTemplate',
  versions: claimTemplateVersions,
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    defaults: (o) => fillClaim(at(o, 'spec', 'spec')),
    create: {
      validate: (o, errors, context) => {
        adminAccess(at(o, 'spec', 'spec'), context, errors);
        validate(o, errors);
      },
    },
    update: {
      generation: 'none',
      validate: (o, old, errors) => {
        validate(o, errors);
        if (!equalJson(o['spec'] ?? null, old['spec'] ?? null))
          errors.invalid(
            FieldPath.in<shapes.ResourceV1ResourceClaimTemplate>().child('spec'),
            shown('resource/v1.ResourceClaimTemplateSpec', objectAt(o, 'spec')),
            'field is immutable',
          );
      },
    },
    deletion: { returnsObject: true },
  },
  table: table([AGE], (o, now) => [age(o, now)]),
};

function validate(o: Shaped<shapes.ResourceV1ResourceClaimTemplate>, errors: FieldErrors): void {
  const path = FieldPath.in<shapes.ResourceV1ResourceClaimTemplate>().child('spec');
  claimTemplateMeta(objectAt(o, 'spec', 'metadata'), path.child('metadata'), errors);
  claimSpec(at(o, 'spec', 'spec'), path.child('spec'), errors);
}
