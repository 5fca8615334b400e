import { formatTime, type JsonObject, setOwn, type UserInfo } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { objectIn } from '../access.js';
import { versions } from '../form.js';

/** Reports the authenticated user of the request. Clients set no field of the object. */
export const selfSubjectReview: ResourceDeclaration<shapes.AuthenticationV1SelfSubjectReview> = {
  group: 'authentication.k8s.io',
  resource: 'selfsubjectreviews',
  singular: 'selfsubjectreview',
  kind: 'SelfSubjectReview',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: false,
  verbs: ['create'],
  strategy: {},
  virtual: async ({ context }) => ({
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: formatTime(context.world.clock.now()) },
    status: { userInfo: userInfo(context.user) },
  }),
};

export function userInfo(user: UserInfo): JsonObject {
  const out: JsonObject = { username: user.name };
  if (user.uid !== undefined && user.uid !== '') out['uid'] = user.uid;
  if (user.groups.length > 0) out['groups'] = [...user.groups];
  for (const [k, v] of Object.entries(user.extra ?? {})) setOwn(objectIn(out, 'extra'), k, [...v]);
  return out;
}
