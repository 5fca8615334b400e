import type { RoleSpec } from './spec.js';

/** Roles of the controllers of kube-controller-manager, as kube-apiserver 1.37 creates them. */
export const CONTROLLER_ROLES: readonly RoleSpec[] = [
  {
    name: 'system:controller:attachdetach-controller',
    rules: [
      { verbs: 'list watch', groups: 'core', resources: 'persistentvolumeclaims persistentvolumes' },
      { verbs: 'get list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'patch update', groups: 'core', resources: 'nodes/status' },
      { verbs: 'list watch', groups: 'core', resources: 'pods' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'create delete get list watch', groups: 'storage.k8s.io', resources: 'volumeattachments' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'csidrivers' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'csinodes' },
    ],
  },
  {
    name: 'system:controller:certificate-controller',
    rules: [
      { verbs: 'delete get list watch', groups: 'certificates.k8s.io', resources: 'certificatesigningrequests' },
      {
        verbs: 'update',
        groups: 'certificates.k8s.io',
        resources: 'certificatesigningrequests/approval certificatesigningrequests/status',
      },
      {
        verbs: 'approve',
        groups: 'certificates.k8s.io',
        resources: 'signers',
        names: 'kubernetes.io/kube-apiserver-client-kubelet',
      },
      {
        verbs: 'sign',
        groups: 'certificates.k8s.io',
        resources: 'signers',
        names:
          'kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown',
      },
      { verbs: 'create', groups: 'authorization.k8s.io', resources: 'subjectaccessreviews' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:clusterrole-aggregation-controller',
    rules: [
      { verbs: 'escalate get list patch update watch', groups: 'rbac.authorization.k8s.io', resources: 'clusterroles' },
    ],
  },
  {
    name: 'system:controller:cronjob-controller',
    rules: [
      { verbs: 'get list update watch', groups: 'batch', resources: 'cronjobs' },
      { verbs: 'create delete get list patch update watch', groups: 'batch', resources: 'jobs' },
      { verbs: 'update', groups: 'batch', resources: 'cronjobs/status' },
      { verbs: 'update', groups: 'batch', resources: 'cronjobs/finalizers' },
      { verbs: 'delete list watch', groups: 'core', resources: 'pods' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:daemon-set-controller',
    rules: [
      { verbs: 'get list watch', groups: 'apps extensions', resources: 'daemonsets' },
      { verbs: 'update', groups: 'apps extensions', resources: 'daemonsets/status' },
      { verbs: 'update', groups: 'apps extensions', resources: 'daemonsets/finalizers' },
      { verbs: 'list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'create delete list patch watch', groups: 'core', resources: 'pods' },
      { verbs: 'create', groups: 'core', resources: 'pods/binding' },
      { verbs: 'create delete get list patch update watch', groups: 'apps', resources: 'controllerrevisions' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:deployment-controller',
    rules: [
      { verbs: 'get list update watch', groups: 'apps extensions', resources: 'deployments' },
      { verbs: 'update', groups: 'apps extensions', resources: 'deployments/status' },
      { verbs: 'update', groups: 'apps extensions', resources: 'deployments/finalizers' },
      { verbs: 'create delete get list patch update watch', groups: 'apps extensions', resources: 'replicasets' },
      { verbs: 'get list update watch', groups: 'core', resources: 'pods' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:device-taint-eviction-controller',
    rules: [
      { verbs: 'delete get list watch', groups: 'core', resources: 'pods' },
      { verbs: 'patch update', groups: 'core', resources: 'pods/status' },
      { verbs: 'get list watch', groups: 'resource.k8s.io', resources: 'resourceclaims' },
      { verbs: 'get list watch', groups: 'resource.k8s.io', resources: 'resourceslices' },
      { verbs: 'get list watch', groups: 'resource.k8s.io', resources: 'deviceclasses' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'patch update', groups: 'resource.k8s.io', resources: 'devicetaintrules/status' },
      { verbs: 'get list watch', groups: 'resource.k8s.io', resources: 'devicetaintrules' },
    ],
  },
  {
    name: 'system:controller:disruption-controller',
    rules: [
      { verbs: 'get list watch', groups: 'apps extensions', resources: 'deployments' },
      { verbs: 'get list watch', groups: 'apps extensions', resources: 'replicasets' },
      { verbs: 'get list watch', groups: 'core', resources: 'replicationcontrollers' },
      { verbs: 'get list watch', groups: 'policy', resources: 'poddisruptionbudgets' },
      { verbs: 'get list watch', groups: 'apps', resources: 'statefulsets' },
      { verbs: 'update', groups: 'policy', resources: 'poddisruptionbudgets/status' },
      { verbs: 'patch update', groups: 'core', resources: 'pods/status' },
      { verbs: 'get', groups: '*', resources: '*/scale' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:endpoint-controller',
    rules: [
      { verbs: 'get list watch', groups: 'core', resources: 'pods services' },
      { verbs: 'create delete get list update watch', groups: 'core', resources: 'endpoints' },
      { verbs: 'create', groups: 'core', resources: 'endpoints/restricted' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:endpointslice-controller',
    rules: [
      { verbs: 'get list watch', groups: 'core', resources: 'nodes pods services' },
      { verbs: 'update', groups: 'core', resources: 'services/finalizers' },
      { verbs: 'create delete get list update watch', groups: 'discovery.k8s.io', resources: 'endpointslices' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:endpointslicemirroring-controller',
    rules: [
      { verbs: 'get list watch', groups: 'core', resources: 'endpoints services' },
      { verbs: 'update', groups: 'core', resources: 'services/finalizers' },
      { verbs: 'update', groups: 'core', resources: 'endpoints/finalizers' },
      { verbs: 'create delete get list update watch', groups: 'discovery.k8s.io', resources: 'endpointslices' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:ephemeral-volume-controller',
    rules: [
      { verbs: 'get list watch', groups: 'core', resources: 'pods' },
      { verbs: 'update', groups: 'core', resources: 'pods/finalizers' },
      { verbs: 'create get list watch', groups: 'core', resources: 'persistentvolumeclaims' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:expand-controller',
    rules: [
      { verbs: 'get list patch update watch', groups: 'core', resources: 'persistentvolumes' },
      { verbs: 'patch update', groups: 'core', resources: 'persistentvolumeclaims/status' },
      { verbs: 'get list watch', groups: 'core', resources: 'persistentvolumeclaims' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:generic-garbage-collector',
    rules: [
      { verbs: 'delete get list patch update watch', groups: '*', resources: '*' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:horizontal-pod-autoscaler',
    rules: [
      { verbs: 'get list watch', groups: 'autoscaling', resources: 'horizontalpodautoscalers' },
      { verbs: 'update', groups: 'autoscaling', resources: 'horizontalpodautoscalers/status' },
      { verbs: 'get update', groups: '*', resources: '*/scale' },
      { verbs: 'list watch', groups: 'core', resources: 'pods' },
      { verbs: 'list watch', groups: 'metrics.k8s.io', resources: 'pods' },
      { verbs: 'get list watch', groups: 'custom.metrics.k8s.io', resources: '*' },
      { verbs: 'get list watch', groups: 'external.metrics.k8s.io', resources: '*' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:job-controller',
    rules: [
      { verbs: 'get list patch update watch', groups: 'batch', resources: 'jobs' },
      { verbs: 'update', groups: 'batch', resources: 'jobs/status' },
      { verbs: 'update', groups: 'batch', resources: 'jobs/finalizers' },
      { verbs: 'create delete list patch watch', groups: 'core', resources: 'pods' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:kube-apiserver-serving-clustertrustbundle-publisher',
    rules: [
      {
        verbs: 'attest',
        groups: 'certificates.k8s.io',
        resources: 'signers',
        names: 'kubernetes.io/kube-apiserver-serving',
      },
      { verbs: 'create delete list update watch', groups: 'certificates.k8s.io', resources: 'clustertrustbundles' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:legacy-service-account-token-cleaner',
    rules: [
      {
        verbs: 'get',
        groups: 'core',
        resources: 'configmaps',
        names: 'kube-apiserver-legacy-service-account-token-tracking',
      },
      { verbs: 'delete patch', groups: 'core', resources: 'secrets' },
    ],
  },
  {
    name: 'system:controller:namespace-controller',
    rules: [
      { verbs: 'delete get list watch', groups: 'core', resources: 'namespaces' },
      { verbs: 'update', groups: 'core', resources: 'namespaces/finalize namespaces/status' },
      { verbs: 'delete deletecollection get list watch', groups: '*', resources: '*' },
    ],
  },
  {
    name: 'system:controller:node-controller',
    rules: [
      { verbs: 'delete get list patch update watch', groups: 'core', resources: 'nodes' },
      { verbs: 'patch update', groups: 'core', resources: 'nodes/status' },
      { verbs: 'patch update', groups: 'core', resources: 'pods/status' },
      { verbs: 'delete get list watch', groups: 'core', resources: 'pods' },
      { verbs: 'get list watch', groups: 'coordination.k8s.io', resources: 'leases' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:persistent-volume-binder',
    rules: [
      { verbs: 'create delete get list update watch', groups: 'core', resources: 'persistentvolumes' },
      { verbs: 'update', groups: 'core', resources: 'persistentvolumes/status' },
      { verbs: 'get list update watch', groups: 'core', resources: 'persistentvolumeclaims' },
      { verbs: 'update', groups: 'core', resources: 'persistentvolumeclaims/status' },
      { verbs: 'create delete get list watch', groups: 'core', resources: 'pods' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'storageclasses' },
      { verbs: 'list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'watch', groups: 'core', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:pod-garbage-collector',
    rules: [
      { verbs: 'delete list watch', groups: 'core', resources: 'pods' },
      { verbs: 'get list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'patch', groups: 'core', resources: 'pods/status' },
    ],
  },
  {
    name: 'system:controller:podcertificaterequestcleaner',
    rules: [{ verbs: 'delete get list watch', groups: 'certificates.k8s.io', resources: 'podcertificaterequests' }],
  },
  {
    name: 'system:controller:pv-protection-controller',
    rules: [
      { verbs: 'get list update watch', groups: 'core', resources: 'persistentvolumes' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:pvc-protection-controller',
    rules: [
      { verbs: 'get list update watch', groups: 'core', resources: 'persistentvolumeclaims' },
      { verbs: 'update', groups: 'core', resources: 'persistentvolumeclaims/status' },
      { verbs: 'get list watch', groups: 'core', resources: 'pods' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:replicaset-controller',
    rules: [
      { verbs: 'get list update watch', groups: 'apps extensions', resources: 'replicasets' },
      { verbs: 'update', groups: 'apps extensions', resources: 'replicasets/status' },
      { verbs: 'update', groups: 'apps extensions', resources: 'replicasets/finalizers' },
      { verbs: 'create delete list patch watch', groups: 'core', resources: 'pods' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:replication-controller',
    rules: [
      { verbs: 'get list update watch', groups: 'core', resources: 'replicationcontrollers' },
      { verbs: 'update', groups: 'core', resources: 'replicationcontrollers/status' },
      { verbs: 'update', groups: 'core', resources: 'replicationcontrollers/finalizers' },
      { verbs: 'create delete list patch watch', groups: 'core', resources: 'pods' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:resource-claim-controller',
    rules: [
      { verbs: 'get list watch', groups: 'core', resources: 'pods' },
      { verbs: 'update', groups: 'core', resources: 'pods/finalizers' },
      { verbs: 'create delete get list watch', groups: 'resource.k8s.io', resources: 'resourceclaims' },
      { verbs: 'patch update', groups: 'resource.k8s.io', resources: 'resourceclaims resourceclaims/status' },
      { verbs: 'patch update', groups: 'core', resources: 'pods/status' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'patch update', groups: 'resource.k8s.io', resources: 'resourceclaims/binding' },
    ],
  },
  {
    name: 'system:controller:resourcequota-controller',
    rules: [
      { verbs: 'list watch', groups: '*', resources: '*' },
      { verbs: 'update', groups: 'core', resources: 'resourcequotas/status' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:root-ca-cert-publisher',
    rules: [
      { verbs: 'create update', groups: 'core', resources: 'configmaps' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:route-controller',
    rules: [
      { verbs: 'list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'patch', groups: 'core', resources: 'nodes/status' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:selinux-warning-controller',
    rules: [
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'get list watch', groups: 'core', resources: 'persistentvolumes' },
      { verbs: 'get list watch', groups: 'core', resources: 'persistentvolumeclaims' },
      { verbs: 'get list watch', groups: 'core', resources: 'pods' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'csidrivers' },
    ],
  },
  {
    name: 'system:controller:service-account-controller',
    rules: [
      { verbs: 'create', groups: 'core', resources: 'serviceaccounts' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:service-cidrs-controller',
    rules: [
      { verbs: 'get list patch update watch', groups: 'networking.k8s.io', resources: 'servicecidrs' },
      { verbs: 'patch update', groups: 'networking.k8s.io', resources: 'servicecidrs/finalizers' },
      { verbs: 'patch update', groups: 'networking.k8s.io', resources: 'servicecidrs/status' },
      { verbs: 'get list watch', groups: 'networking.k8s.io', resources: 'ipaddresses' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:service-controller',
    rules: [
      { verbs: 'get list watch', groups: 'core', resources: 'services' },
      { verbs: 'patch update', groups: 'core', resources: 'services/status' },
      { verbs: 'list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:statefulset-controller',
    rules: [
      { verbs: 'list watch', groups: 'core', resources: 'pods' },
      { verbs: 'get list watch', groups: 'apps', resources: 'statefulsets' },
      { verbs: 'update', groups: 'apps', resources: 'statefulsets/status' },
      { verbs: 'update', groups: 'apps', resources: 'statefulsets/finalizers' },
      { verbs: 'create delete get patch update', groups: 'core', resources: 'pods' },
      { verbs: 'create delete get list patch update watch', groups: 'apps', resources: 'controllerrevisions' },
      { verbs: 'create get list watch', groups: 'core', resources: 'persistentvolumeclaims' },
      { verbs: 'delete update', groups: 'core', resources: 'persistentvolumeclaims' },
      { verbs: 'update', groups: 'core', resources: 'pods/finalizers' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:storage-version-migrator-controller',
    rules: [
      { verbs: 'list patch', groups: '*', resources: '*' },
      { verbs: 'get', groups: 'apiextensions.k8s.io', resources: 'customresourcedefinitions' },
      { verbs: 'patch', groups: 'apiextensions.k8s.io', resources: 'customresourcedefinitions/status' },
      { verbs: 'update', groups: 'storagemigration.k8s.io', resources: 'storageversionmigrations/status' },
    ],
  },
  {
    name: 'system:controller:ttl-after-finished-controller',
    rules: [
      { verbs: 'delete get list watch', groups: 'batch', resources: 'jobs' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:ttl-controller',
    rules: [
      { verbs: 'list patch update watch', groups: 'core', resources: 'nodes' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:validatingadmissionpolicy-status-controller',
    rules: [
      { verbs: 'get list watch', groups: 'admissionregistration.k8s.io', resources: 'validatingadmissionpolicies' },
      {
        verbs: 'get patch update',
        groups: 'admissionregistration.k8s.io',
        resources: 'validatingadmissionpolicies/status',
      },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:controller:volumeattributesclass-protection-controller',
    rules: [
      { verbs: 'get list watch', groups: 'core', resources: 'persistentvolumeclaims' },
      { verbs: 'get list watch', groups: 'core', resources: 'persistentvolumes' },
      { verbs: 'get list update watch', groups: 'storage.k8s.io', resources: 'volumeattributesclasses' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
];
