import { errors } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration } from '../../resource.js';
import { textAt } from '../access.js';
import type { ClusterConfig } from '../cluster.js';
import { versions } from '../form.js';

/** Lists what the caller may do in a namespace, as far as the authorizers can enumerate it. */
export function selfSubjectRulesReview({
  rulesFor,
}: ClusterConfig): ResourceDeclaration<shapes.AuthorizationV1SelfSubjectRulesReview> {
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
      const { resourceRules, nonResourceRules, incomplete, evaluationError } = await rulesFor(context.user, namespace);
      return {
        kind: 'SelfSubjectRulesReview',
        apiVersion: 'authorization.k8s.io/v1',
        // kube-apiserver omits metadata and spec from the response.
        metadata: {},
        spec: {},
        status: {
          resourceRules: [...resourceRules],
          nonResourceRules: [...nonResourceRules],
          incomplete,
          ...(evaluationError === '' ? {} : { evaluationError }),
        },
      };
    },
  };
}
