import { errors } from '../../../api/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import type { ClusterConfig } from '../cluster.js';
import { versions } from '../form.js';

const EVERYTHING = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };

/** Tells a client what it may do in a namespace, as far as that can be listed. */
export function selfSubjectRulesReview({ authorize }: ClusterConfig): ResourceDeclaration {
  return {
    group: 'authorization.k8s.io',
    resource: 'selfsubjectrulesreviews',
    singular: 'selfsubjectrulesreview',
    kind: 'SelfSubjectRulesReview',
    versions: versions('v1'),
    storageVersion: 'v1',
    namespaced: false,
    verbs: ['create'],
    strategy: {},
    virtual: async ({ body, context }) => {
      const namespace = textAt(body, 'spec', 'namespace');
      if (namespace === '') throw errors.badRequest('no namespace on request');
      const everything = await authorize(context.user, {
        kind: 'resource',
        verb: '*',
        group: '*',
        version: '*',
        resource: '*',
        subresource: '',
        namespace,
        name: '',
      });
      const all = everything.kind === 'allow';
      return {
        ...body,
        status: {
          resourceRules: all ? [EVERYTHING] : [],
          nonResourceRules: all ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
          incomplete: !all,
          ...(all ? {} : { evaluationError: 'the authorizer does not list its rules' }),
        },
      };
    },
  };
}
