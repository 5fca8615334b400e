import { errors } from '../../../api/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import { versions } from '../form.js';

/** Asks whose token this is. No authenticator of tokens is configured: it is nobody's. */
export const tokenReview: ResourceDeclaration = {
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
    if (textAt(body, 'spec', 'token') === '')
      throw errors.badRequest('token is required for TokenReview in authentication');
    return { ...body, status: { user: {}, error: 'invalid bearer token' } };
  },
};
