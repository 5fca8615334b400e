/** The names of `--controllers`, as kube-controller-manager 1.37 has them. */

/** The controllers of this server. */
export const CONTROLLERS: ReadonlySet<string> = new Set([
  'bootstrap-signer-controller',
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'clusterrole-aggregation-controller',
  'device-taint-eviction-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'garbage-collector-controller',
  'namespace-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'replicationcontroller-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'service-cidr-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'storage-version-migrator-controller',
  'token-cleaner-controller',
  'validatingadmissionpolicy-status-controller',
  'volumeattributesclass-protection-controller',
]);

/** Controllers that `*` does not enable. */
export const DISABLED_BY_DEFAULT: ReadonlySet<string> = new Set([
  'bootstrap-signer-controller',
  'token-cleaner-controller',
]);

/** Controllers of kube-controller-manager that this server does not have. They run beside it. */
export const ELSEWHERE: ReadonlySet<string> = new Set([
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'ephemeral-volume-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'kube-apiserver-serving-clustertrustbundle-publisher-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'node-ipam-controller',
  'node-lifecycle-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
  'pod-garbage-collector-controller',
  'podcertificaterequest-cleaner-controller',
  'podgroup-protection-controller',
  'replicaset-controller',
  'resourceclaim-controller',
  'resourcepoolstatusrequest-controller',
  'selinux-warning-controller',
  'statefulset-controller',
  'storageversion-garbage-collector-controller',
  'taint-eviction-controller',
  'ttl-after-finished-controller',
  'ttl-controller',
]);

/** The names that kube-controller-manager accepts from before 1.28. */
const ALIASES: Readonly<Record<string, string>> = {
  'serviceaccount-token': 'serviceaccount-token-controller',
  endpoint: 'endpoints-controller',
  endpointslice: 'endpointslice-controller',
  endpointslicemirroring: 'endpointslice-mirroring-controller',
  replicationcontroller: 'replicationcontroller-controller',
  podgc: 'pod-garbage-collector-controller',
  resourcequota: 'resourcequota-controller',
  namespace: 'namespace-controller',
  serviceaccount: 'serviceaccount-controller',
  garbagecollector: 'garbage-collector-controller',
  daemonset: 'daemonset-controller',
  job: 'job-controller',
  deployment: 'deployment-controller',
  replicaset: 'replicaset-controller',
  horizontalpodautoscaling: 'horizontal-pod-autoscaler-controller',
  disruption: 'disruption-controller',
  statefulset: 'statefulset-controller',
  cronjob: 'cronjob-controller',
  csrsigning: 'certificatesigningrequest-signing-controller',
  csrapproving: 'certificatesigningrequest-approving-controller',
  csrcleaner: 'certificatesigningrequest-cleaner-controller',
  ttl: 'ttl-controller',
  bootstrapsigner: 'bootstrap-signer-controller',
  tokencleaner: 'token-cleaner-controller',
  nodeipam: 'node-ipam-controller',
  nodelifecycle: 'node-lifecycle-controller',
  'persistentvolume-binder': 'persistentvolume-binder-controller',
  attachdetach: 'persistentvolume-attach-detach-controller',
  'persistentvolume-expander': 'persistentvolume-expander-controller',
  'clusterrole-aggregation': 'clusterrole-aggregation-controller',
  'pvc-protection': 'persistentvolumeclaim-protection-controller',
  'pv-protection': 'persistentvolume-protection-controller',
  'ttl-after-finished': 'ttl-after-finished-controller',
  'root-ca-cert-publisher': 'root-ca-certificate-publisher-controller',
  'ephemeral-volume': 'ephemeral-volume-controller',
  'storage-version-gc': 'storageversion-garbage-collector-controller',
  'resource-claim-controller': 'resourceclaim-controller',
  svm: 'storage-version-migrator-controller',
  'legacy-service-account-token-cleaner': 'legacy-serviceaccount-token-cleaner-controller',
};

/** The current name of an entry of `--controllers`, with its `-`. */
export function controllerName(entry: string): string {
  const minus = entry.startsWith('-') ? '-' : '';
  const name = entry.slice(minus.length);
  return minus + (Object.hasOwn(ALIASES, name) ? ALIASES[name]! : name);
}
