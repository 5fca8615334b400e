import { FieldPath, type Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { Subresource } from '../../resource.js';
import { objectsAt, textAt } from '../access.js';
import { statusAlone } from '../form.js';
import { conditionList } from '../status/conditions.js';

type Group = Shaped<shapes.SchedulingV1beta1PodGroup>;

const STATUS = FieldPath.in<shapes.SchedulingV1beta1PodGroup>().child('status');

/** The status of groups of pods. Only pod groups have claims. */
export const groupStatus: Subresource = statusAlone({
  update: {
    allowUnconditional: false,
    validate: (o, _old, errors) => {
      const group = o as Group;
      conditionList(objectsAt(group, 'status', 'conditions'), STATUS.child('conditions'), errors);
      const declared = new Set(objectsAt(group, 'spec', 'resourceClaims').map((c) => textAt(c, 'name')));
      for (const [i, status] of objectsAt(group, 'status', 'resourceClaimStatuses').entries()) {
        const name = textAt(status, 'name');
        if (!declared.has(name))
          errors.invalid(
            STATUS.child('resourceClaimStatuses').index(i).child('name'),
            name,
            'must match the name of an entry in `spec.resourceClaims`',
          );
      }
    },
  },
});
