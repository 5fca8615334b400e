import { errors } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { listAt, objectAt, textAt } from '../access.js';
import type { ClusterConfig } from '../cluster.js';
import { versions } from '../form.js';
import { userInfo } from './selfsubjectreview.js';

/** Authenticates a token and checks its audiences. */
export function tokenReview({ tokens }: ClusterConfig): ResourceDeclaration<shapes.AuthenticationV1TokenReview> {
  return {
    group: 'authentication.k8s.io',
    resource: 'tokenreviews',
    singular: 'tokenreview',
    kind: 'TokenReview',
    versions: versions('v1'),
    storageVersion: 'v1',
    namespaced: false,
    verbs: ['create'],
    strategy: {},
    virtual: async ({ body }) => {
      const token = textAt(body, 'spec', 'token');
      if (token === '') throw errors.badRequest('token is required for TokenReview in authentication');
      const asked = listAt(body, 'spec', 'audiences').map(String);
      const { user, audiences, error } = await tokens.review(token, asked.length === 0 ? tokens.audiences : asked);
      return {
        ...body,
        status: {
          ...(user === undefined ? {} : { authenticated: true }),
          // kube-apiserver leaves the user of the request if it knows none
          user: user === undefined ? objectAt(objectAt(body, 'status'), 'user') : userInfo(user),
          ...(audiences.length === 0 ? {} : { audiences: [...audiences] }),
          ...(error === '' ? {} : { error }),
        },
      };
    },
  };
}
