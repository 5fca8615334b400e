import { FieldPath } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { objectsAt } from '../access.js';
import { statusAlone, versions, withStatus } from '../form.js';
import { conditionList } from '../status/conditions.js';
import { AGE, age, table } from '../table.js';

export const evictionRequest: ResourceDeclaration<shapes.LifecycleV1alpha1EvictionRequest> = {
  group: 'lifecycle.k8s.io',
  resource: 'evictionrequests',
  singular: 'evictionrequest',
  kind: 'EvictionRequest',
  versions: versions('v1alpha1'),
  storageVersion: 'v1alpha1',
  namespaced: true,
  featureGate: 'EvictionRequestAPI',
  strategy: withStatus({ update: { allowUnconditional: false } }),
  subresources: {
    status: statusAlone({
      update: {
        validate: (o, _old, errors) =>
          conditionList(
            objectsAt(o, 'status', 'conditions'),
            FieldPath.in<shapes.LifecycleV1alpha1EvictionRequest>().child('status', 'conditions'),
            errors,
          ),
      },
    }),
  },
  table: table([AGE], (o, now) => [age(o, now)]),
};
