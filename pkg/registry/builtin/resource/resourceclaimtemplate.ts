import { type FieldErrors, FieldPath, type Shaped } from '../../../api/index.js';
import { equalAs, type shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../resource.js';
import { at, objectAt } from '../access.js';
import { claimTemplateMeta, shown } from '../rules.js';
import { AGE, age, table } from '../table.js';
import { claimTemplateVersions } from './conversion.js';
import { expressionFeatures } from './expressions.js';
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
    compatibility: { checksUpdateLikeNew: true },
    defaults: (o) => fillClaim(at(o, 'spec', 'spec')),
    create: {
      validate: (o, errors, context) => {
        adminAccess(at(o, 'spec', 'spec'), context, errors);
        validate(o, errors, context);
      },
    },
    update: {
      generation: 'none',
      validate: (o, old, errors, context) => {
        validate(o, errors, context);
        if (!equalAs('resource/v1.ResourceClaimTemplateSpec', o['spec'] ?? null, old['spec'] ?? null))
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

function validate(o: Shaped<shapes.ResourceV1ResourceClaimTemplate>, errors: FieldErrors, context: WriteContext): void {
  const path = FieldPath.in<shapes.ResourceV1ResourceClaimTemplate>().child('spec');
  claimTemplateMeta(objectAt(o, 'spec', 'metadata'), path.child('metadata'), errors);
  const features = expressionFeatures((gate) => context.featureEnabled(gate));
  claimSpec(at(o, 'spec', 'spec'), features, path.child('spec'), errors);
}
