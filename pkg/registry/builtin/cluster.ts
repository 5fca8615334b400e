import type { UserInfo } from '../../api/index.js';

/** What the operator decides for the whole cluster and declarations must know (`--service-cluster-ip-range`, `--service-node-port-range`). */
export interface ClusterConfig {
  /** One range, or one of each family; the first one's family is the default. */
  readonly serviceIpRanges: readonly string[];
  /** Both ends inclusive. */
  readonly nodePorts: { readonly from: number; readonly to: number };
  /** The authorizer that requests go through: reviews of access answer with what it says. */
  authorize(user: UserInfo, attributes: AccessAttributes): AccessDecision | Promise<AccessDecision>;
}

export type AccessAttributes =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

export interface AccessDecision {
  readonly kind: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
}

export const defaultCluster: ClusterConfig = {
  serviceIpRanges: ['10.96.0.0/12'],
  nodePorts: { from: 30000, to: 32767 },
  authorize: () => ({ kind: 'noOpinion', reason: '' }),
};
