import type { BindingSpec } from './spec.js';

/** ClusterRoleBindings, as kube-apiserver 1.37 creates them. */
export const CLUSTER_ROLE_BINDINGS: readonly BindingSpec[] = [
  { name: 'cluster-admin', subjects: ['Group system:masters'] },
  { name: 'system:basic-user', subjects: ['Group system:authenticated'] },
  { name: 'system:cluster-trust-bundle-discovery', subjects: ['Group system:serviceaccounts'] },
  {
    name: 'system:controller:attachdetach-controller',
    subjects: ['ServiceAccount kube-system attachdetach-controller'],
  },
  { name: 'system:controller:certificate-controller', subjects: ['ServiceAccount kube-system certificate-controller'] },
  {
    name: 'system:controller:clusterrole-aggregation-controller',
    subjects: ['ServiceAccount kube-system clusterrole-aggregation-controller'],
  },
  { name: 'system:controller:cronjob-controller', subjects: ['ServiceAccount kube-system cronjob-controller'] },
  { name: 'system:controller:daemon-set-controller', subjects: ['ServiceAccount kube-system daemon-set-controller'] },
  { name: 'system:controller:deployment-controller', subjects: ['ServiceAccount kube-system deployment-controller'] },
  {
    name: 'system:controller:device-taint-eviction-controller',
    subjects: ['ServiceAccount kube-system device-taint-eviction-controller'],
  },
  { name: 'system:controller:disruption-controller', subjects: ['ServiceAccount kube-system disruption-controller'] },
  { name: 'system:controller:endpoint-controller', subjects: ['ServiceAccount kube-system endpoint-controller'] },
  {
    name: 'system:controller:endpointslice-controller',
    subjects: ['ServiceAccount kube-system endpointslice-controller'],
  },
  {
    name: 'system:controller:endpointslicemirroring-controller',
    subjects: ['ServiceAccount kube-system endpointslicemirroring-controller'],
  },
  {
    name: 'system:controller:ephemeral-volume-controller',
    subjects: ['ServiceAccount kube-system ephemeral-volume-controller'],
  },
  { name: 'system:controller:expand-controller', subjects: ['ServiceAccount kube-system expand-controller'] },
  {
    name: 'system:controller:generic-garbage-collector',
    subjects: ['ServiceAccount kube-system generic-garbage-collector'],
  },
  {
    name: 'system:controller:horizontal-pod-autoscaler',
    subjects: ['ServiceAccount kube-system horizontal-pod-autoscaler'],
  },
  { name: 'system:controller:job-controller', subjects: ['ServiceAccount kube-system job-controller'] },
  {
    name: 'system:controller:kube-apiserver-serving-clustertrustbundle-publisher',
    subjects: ['ServiceAccount kube-system kube-apiserver-serving-clustertrustbundle-publisher'],
  },
  {
    name: 'system:controller:legacy-service-account-token-cleaner',
    subjects: ['ServiceAccount kube-system legacy-service-account-token-cleaner'],
  },
  { name: 'system:controller:namespace-controller', subjects: ['ServiceAccount kube-system namespace-controller'] },
  { name: 'system:controller:node-controller', subjects: ['ServiceAccount kube-system node-controller'] },
  {
    name: 'system:controller:persistent-volume-binder',
    subjects: ['ServiceAccount kube-system persistent-volume-binder'],
  },
  { name: 'system:controller:pod-garbage-collector', subjects: ['ServiceAccount kube-system pod-garbage-collector'] },
  {
    name: 'system:controller:podcertificaterequestcleaner',
    subjects: ['ServiceAccount kube-system podcertificaterequestcleaner'],
  },
  {
    name: 'system:controller:pv-protection-controller',
    subjects: ['ServiceAccount kube-system pv-protection-controller'],
  },
  {
    name: 'system:controller:pvc-protection-controller',
    subjects: ['ServiceAccount kube-system pvc-protection-controller'],
  },
  { name: 'system:controller:replicaset-controller', subjects: ['ServiceAccount kube-system replicaset-controller'] },
  { name: 'system:controller:replication-controller', subjects: ['ServiceAccount kube-system replication-controller'] },
  {
    name: 'system:controller:resource-claim-controller',
    subjects: ['ServiceAccount kube-system resource-claim-controller'],
  },
  {
    name: 'system:controller:resourcequota-controller',
    subjects: ['ServiceAccount kube-system resourcequota-controller'],
  },
  { name: 'system:controller:root-ca-cert-publisher', subjects: ['ServiceAccount kube-system root-ca-cert-publisher'] },
  { name: 'system:controller:route-controller', subjects: ['ServiceAccount kube-system route-controller'] },
  {
    name: 'system:controller:selinux-warning-controller',
    subjects: ['ServiceAccount kube-system selinux-warning-controller'],
  },
  {
    name: 'system:controller:service-account-controller',
    subjects: ['ServiceAccount kube-system service-account-controller'],
  },
  {
    name: 'system:controller:service-cidrs-controller',
    subjects: ['ServiceAccount kube-system service-cidrs-controller'],
  },
  { name: 'system:controller:service-controller', subjects: ['ServiceAccount kube-system service-controller'] },
  { name: 'system:controller:statefulset-controller', subjects: ['ServiceAccount kube-system statefulset-controller'] },
  {
    name: 'system:controller:storage-version-migrator-controller',
    subjects: ['ServiceAccount kube-system storage-version-migrator-controller'],
  },
  {
    name: 'system:controller:ttl-after-finished-controller',
    subjects: ['ServiceAccount kube-system ttl-after-finished-controller'],
  },
  { name: 'system:controller:ttl-controller', subjects: ['ServiceAccount kube-system ttl-controller'] },
  {
    name: 'system:controller:validatingadmissionpolicy-status-controller',
    subjects: ['ServiceAccount kube-system validatingadmissionpolicy-status-controller'],
  },
  {
    name: 'system:controller:volumeattributesclass-protection-controller',
    subjects: ['ServiceAccount kube-system volumeattributesclass-protection-controller'],
  },
  { name: 'system:discovery', subjects: ['Group system:authenticated'] },
  { name: 'system:kube-controller-manager', subjects: ['User system:kube-controller-manager'] },
  { name: 'system:kube-dns', subjects: ['ServiceAccount kube-system kube-dns'] },
  { name: 'system:kube-scheduler', subjects: ['User system:kube-scheduler'] },
  { name: 'system:monitoring', subjects: ['Group system:monitoring'] },
  { name: 'system:node', subjects: [] },
  { name: 'system:node-proxier', subjects: ['User system:kube-proxy'] },
  { name: 'system:public-info-viewer', subjects: ['Group system:authenticated', 'Group system:unauthenticated'] },
  { name: 'system:service-account-issuer-discovery', subjects: ['Group system:serviceaccounts'] },
  { name: 'system:volume-scheduler', subjects: ['User system:kube-scheduler'] },
];

/** RoleBindings in namespaces of the system. */
export const ROLE_BINDINGS: readonly BindingSpec[] = [
  {
    name: 'system:controller:bootstrap-signer',
    namespace: 'kube-public',
    role: 'Role',
    subjects: ['ServiceAccount kube-system bootstrap-signer'],
  },
  {
    name: 'system::extension-apiserver-authentication-reader',
    namespace: 'kube-system',
    role: 'Role',
    roleName: 'extension-apiserver-authentication-reader',
    subjects: ['User system:kube-controller-manager', 'User system:kube-scheduler'],
  },
  {
    name: 'system::leader-locking-kube-controller-manager',
    namespace: 'kube-system',
    role: 'Role',
    subjects: [
      'User system:kube-controller-manager',
      'ServiceAccount kube-system kube-controller-manager',
      'ServiceAccount kube-system leader-election-controller',
    ],
  },
  {
    name: 'system::leader-locking-kube-scheduler',
    namespace: 'kube-system',
    role: 'Role',
    subjects: ['User system:kube-scheduler', 'ServiceAccount kube-system kube-scheduler'],
  },
  {
    name: 'system:controller:bootstrap-signer',
    namespace: 'kube-system',
    role: 'Role',
    subjects: ['ServiceAccount kube-system bootstrap-signer'],
  },
  {
    name: 'system:controller:cloud-provider',
    namespace: 'kube-system',
    role: 'Role',
    subjects: ['ServiceAccount kube-system cloud-provider'],
  },
  {
    name: 'system:controller:token-cleaner',
    namespace: 'kube-system',
    role: 'Role',
    subjects: ['ServiceAccount kube-system token-cleaner'],
  },
];
