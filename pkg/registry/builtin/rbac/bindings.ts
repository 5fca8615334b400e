import type { Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { objectIn, objectsAt, textAt } from '../access.js';
import { whenEmpty } from '../defaults.js';
import { AGE, age, column, table, wide } from '../table.js';

const GROUP = 'rbac.authorization.k8s.io';

/** Users and groups belong to the API group rbac.authorization.k8s.io, service accounts to the core group. */
export function defaultBinding(o: Shaped<shapes.RbacV1ClusterRoleBinding | shapes.RbacV1RoleBinding>): void {
  whenEmpty(objectIn(o, 'roleRef'), 'apiGroup', GROUP);
  for (const subject of objectsAt(o, 'subjects'))
    if (textAt(subject, 'kind') === 'User' || textAt(subject, 'kind') === 'Group')
      whenEmpty(subject, 'apiGroup', GROUP);
}

/** The table of both kinds of binding shows the role and, with -o wide, the subjects. */
export const bindingTable = table(
  [
    column('Role', 'The role that is bound.'),
    AGE,
    wide('Users', 'Users who get the role.'),
    wide('Groups', 'Groups that get the role.'),
    wide('ServiceAccounts', 'Service accounts that get the role.'),
  ],
  (o, now) => {
    const subjects = objectsAt(o, 'subjects');
    const names = (kind: string) =>
      subjects
        .filter((s) => textAt(s, 'kind') === kind)
        .map((s) =>
          kind === 'ServiceAccount' && textAt(s, 'namespace') !== ''
            ? `${textAt(s, 'namespace')}/${textAt(s, 'name')}`
            : textAt(s, 'name'),
        )
        .join(', ');
    return [
      `${textAt(o, 'roleRef', 'kind')}/${textAt(o, 'roleRef', 'name')}`,
      age(o, now),
      names('User'),
      names('Group'),
      names('ServiceAccount'),
    ];
  },
);
