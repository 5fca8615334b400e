import { FieldPath, type Shaped } from '../../../api/index.js';
import { equalAs, type shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { at, listAt, objectAt, textAt } from '../access.js';
import type { ClusterConfig } from '../cluster.js';
import { statusAlone, withoutTable, withStatus } from '../form.js';
import { shown } from '../rules.js';
import { AGE, age, column, table } from '../table.js';
import { authorizeClaimStatus } from './claimauthorization.js';
import { adminAccessInStatus, dropDeallocatedDevices, validateClaimStatus } from './claimstatus.js';
import { claimVersions } from './conversion.js';
import { expressionFeatures } from './expressions.js';
import { ADMIN_LABEL, adminAccess, claimSpec, fillClaim } from './validation.js';

export const resourceClaim = ({
  authorize,
}: Pick<ClusterConfig, 'authorize'>): ResourceDeclaration<shapes.ResourceV1ResourceClaim> => ({
  group: 'resource.k8s.io',
  resource: 'resourceclaims',
  singular: 'resourceclaim',
  kind: 'ResourceClaim',
  versions: claimVersions,
  storageVersion: 'v1',
  namespaced: true,
  strategy: withStatus({
    defaults: (o) => fillClaim(o['spec']),
    create: {
      validate: (o, errors, context) => {
        adminAccess(o['spec'], context, errors);
        const features = expressionFeatures((gate) => context.featureEnabled(gate));
        claimSpec(o['spec'], features, FieldPath.in<shapes.ResourceV1ResourceClaim>().child('spec'), errors);
      },
    },
    update: {
      generation: 'none',
      validate: (o, old, errors) => {
        if (!equalAs('resource/v1.ResourceClaimSpec', o['spec'] ?? null, old['spec'] ?? null))
          errors.invalid(
            FieldPath.in<shapes.ResourceV1ResourceClaim>().child('spec'),
            shown('resource/v1.ResourceClaimSpec', objectAt(o, 'spec')),
            'field is immutable',
          );
      },
    },
    deletion: { returnsObject: true },
    compatibility: { checksUpdateLikeNew: true },
  }),
  subresources: {
    status: withoutTable(
      statusAlone({
        update: {
          prepare: (o, old) => {
            dropDeallocatedDevices(o, old);
          },
          validate: async (o, old, errors, context) => {
            adminAccessInStatus(o, old, context.namespaceLabel(ADMIN_LABEL), errors);
            await authorizeClaimStatus(o, old, { errors, context, authorize });
            validateClaimStatus(o, old, errors);
          },
        },
      }),
    ),
  },
  table: table([column('State', 'Pending, allocated, reserved or being deleted.'), AGE], (o, now) => [
    state(o),
    age(o, now),
  ]),
});

function state(o: Shaped<shapes.ResourceV1ResourceClaim>): string {
  const states: string[] = [];
  if (textAt(o, 'metadata', 'deletionTimestamp') !== '') states.push('deleted');
  if (at(o, 'status', 'allocation') === undefined) {
    if (states.length === 0) states.push('pending');
  } else {
    states.push('allocated');
    states.push(listAt(o, 'status', 'reservedFor').length > 0 ? 'reserved' : '');
  }
  return states.filter((s) => s !== '').join(',');
}
