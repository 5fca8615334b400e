/** What the operator decides for the whole cluster and declarations must know (`--service-cluster-ip-range`, `--service-node-port-range`). */
export interface ClusterConfig {
  /** One range, or one of each family; the first one's family is the default. */
  readonly serviceIpRanges: readonly string[];
  /** Both ends inclusive. */
  readonly nodePorts: { readonly from: number; readonly to: number };
}

export const defaultCluster: ClusterConfig = {
  serviceIpRanges: ['10.96.0.0/12'],
  nodePorts: { from: 30000, to: 32767 },
};
