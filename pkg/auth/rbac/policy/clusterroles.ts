import type { RoleSpec } from './spec.js';

/** ClusterRoles of users and components, as kube-apiserver 1.37 creates them. */
export const CLUSTER_ROLES: readonly RoleSpec[] = [
  {
    name: 'admin',
    aggregates: 'admin',
    rules: [],
  },
  {
    name: 'cluster-admin',
    rules: [
      { verbs: '*', groups: '*', resources: '*' },
      { verbs: '*', urls: '*' },
    ],
  },
  {
    name: 'edit',
    aggregateTo: 'admin',
    aggregates: 'edit',
    rules: [],
  },
  {
    name: 'system:aggregate-to-admin',
    aggregateTo: 'admin',
    rules: [
      { verbs: 'create', groups: 'authorization.k8s.io', resources: 'localsubjectaccessreviews' },
      {
        verbs: 'create delete deletecollection get list patch update watch',
        groups: 'rbac.authorization.k8s.io',
        resources: 'rolebindings roles',
      },
    ],
  },
  {
    name: 'system:aggregate-to-edit',
    aggregateTo: 'edit',
    rules: [
      {
        verbs: 'get list watch',
        groups: 'core',
        resources: 'pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy',
      },
      { verbs: 'impersonate', groups: 'core', resources: 'serviceaccounts' },
      {
        verbs: 'create delete deletecollection patch update',
        groups: 'core',
        resources: 'pods pods/attach pods/exec pods/portforward pods/proxy',
      },
      { verbs: 'create', groups: 'core', resources: 'pods/eviction' },
      {
        verbs: 'create delete deletecollection patch update',
        groups: 'core',
        resources:
          'configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy',
      },
      { verbs: 'create', groups: 'core', resources: 'serviceaccounts/token' },
      { verbs: 'create delete deletecollection patch update', groups: 'core events.k8s.io', resources: 'events' },
      {
        verbs: 'create delete deletecollection patch update',
        groups: 'apps',
        resources:
          'daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale',
      },
      {
        verbs: 'create delete deletecollection patch update',
        groups: 'autoscaling',
        resources: 'horizontalpodautoscalers',
      },
      { verbs: 'create delete deletecollection patch update', groups: 'batch', resources: 'cronjobs jobs' },
      {
        verbs: 'create delete deletecollection patch update',
        groups: 'extensions',
        resources:
          'daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale',
      },
      { verbs: 'create delete deletecollection patch update', groups: 'policy', resources: 'poddisruptionbudgets' },
      {
        verbs: 'create delete deletecollection patch update',
        groups: 'networking.k8s.io',
        resources: 'ingresses networkpolicies',
      },
      {
        verbs: 'create delete deletecollection get list patch update watch',
        groups: 'coordination.k8s.io',
        resources: 'leases',
      },
      {
        verbs: 'create delete deletecollection patch update',
        groups: 'resource.k8s.io',
        resources: 'resourceclaims resourceclaimtemplates',
      },
    ],
  },
  {
    name: 'system:aggregate-to-view',
    aggregateTo: 'view',
    rules: [
      {
        verbs: 'get list watch',
        groups: 'core',
        resources:
          'configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status',
      },
      {
        verbs: 'get list watch',
        groups: 'core',
        resources:
          'bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status',
      },
      { verbs: 'get list watch', groups: 'core', resources: 'namespaces' },
      { verbs: 'get list watch', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'get list watch', groups: 'discovery.k8s.io', resources: 'endpointslices' },
      {
        verbs: 'get list watch',
        groups: 'apps',
        resources:
          'controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status',
      },
      {
        verbs: 'get list watch',
        groups: 'autoscaling',
        resources: 'horizontalpodautoscalers horizontalpodautoscalers/status',
      },
      { verbs: 'get list watch', groups: 'batch', resources: 'cronjobs cronjobs/status jobs jobs/status' },
      {
        verbs: 'get list watch',
        groups: 'extensions',
        resources:
          'daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale',
      },
      { verbs: 'get list watch', groups: 'policy', resources: 'poddisruptionbudgets poddisruptionbudgets/status' },
      { verbs: 'get list watch', groups: 'networking.k8s.io', resources: 'ingresses ingresses/status networkpolicies' },
      {
        verbs: 'get list watch',
        groups: 'resource.k8s.io',
        resources: 'resourceclaims resourceclaims/status resourceclaimtemplates',
      },
    ],
  },
  {
    name: 'system:auth-delegator',
    rules: [
      { verbs: 'create', groups: 'authentication.k8s.io', resources: 'tokenreviews' },
      { verbs: 'create', groups: 'authorization.k8s.io', resources: 'subjectaccessreviews' },
    ],
  },
  {
    name: 'system:basic-user',
    rules: [
      {
        verbs: 'create',
        groups: 'authorization.k8s.io',
        resources: 'selfsubjectaccessreviews selfsubjectrulesreviews',
      },
      { verbs: 'create', groups: 'authentication.k8s.io', resources: 'selfsubjectreviews' },
    ],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    rules: [{ verbs: 'create', groups: 'certificates.k8s.io', resources: 'certificatesigningrequests/nodeclient' }],
  },
  {
    name: 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient',
    rules: [{ verbs: 'create', groups: 'certificates.k8s.io', resources: 'certificatesigningrequests/selfnodeclient' }],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-approver',
    rules: [
      {
        verbs: 'approve',
        groups: 'certificates.k8s.io',
        resources: 'signers',
        names: 'kubernetes.io/kube-apiserver-client',
      },
    ],
  },
  {
    name: 'system:certificates.k8s.io:kube-apiserver-client-kubelet-approver',
    rules: [
      {
        verbs: 'approve',
        groups: 'certificates.k8s.io',
        resources: 'signers',
        names: 'kubernetes.io/kube-apiserver-client-kubelet',
      },
    ],
  },
  {
    name: 'system:certificates.k8s.io:kubelet-serving-approver',
    rules: [
      { verbs: 'approve', groups: 'certificates.k8s.io', resources: 'signers', names: 'kubernetes.io/kubelet-serving' },
    ],
  },
  {
    name: 'system:certificates.k8s.io:legacy-unknown-approver',
    rules: [
      { verbs: 'approve', groups: 'certificates.k8s.io', resources: 'signers', names: 'kubernetes.io/legacy-unknown' },
    ],
  },
  {
    name: 'system:cluster-trust-bundle-discovery',
    rules: [{ verbs: 'get list watch', groups: 'certificates.k8s.io', resources: 'clustertrustbundles' }],
  },
  {
    name: 'system:discovery',
    rules: [
      {
        verbs: 'get',
        urls: '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
      },
    ],
  },
  {
    name: 'system:heapster',
    rules: [
      { verbs: 'get list watch', groups: 'core', resources: 'events namespaces nodes pods' },
      { verbs: 'get list watch', groups: 'extensions', resources: 'deployments' },
    ],
  },
  {
    name: 'system:kube-aggregator',
    rules: [{ verbs: 'get list watch', groups: 'core', resources: 'endpoints services' }],
  },
  {
    name: 'system:kube-controller-manager',
    rules: [
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'create', groups: 'coordination.k8s.io', resources: 'leases' },
      { verbs: 'get update', groups: 'coordination.k8s.io', resources: 'leases', names: 'kube-controller-manager' },
      { verbs: 'create', groups: 'core', resources: 'secrets serviceaccounts' },
      { verbs: 'delete', groups: 'core', resources: 'secrets' },
      { verbs: 'get', groups: 'core', resources: 'configmaps namespaces secrets serviceaccounts' },
      { verbs: 'update', groups: 'core', resources: 'secrets serviceaccounts' },
      { verbs: 'create', groups: 'authentication.k8s.io', resources: 'tokenreviews' },
      { verbs: 'create', groups: 'authorization.k8s.io', resources: 'subjectaccessreviews' },
      { verbs: 'list watch', groups: '*', resources: '*' },
      { verbs: 'create', groups: 'core', resources: 'serviceaccounts/token' },
    ],
  },
  {
    name: 'system:kube-dns',
    rules: [{ verbs: 'list watch', groups: 'core', resources: 'endpoints services' }],
  },
  {
    name: 'system:kube-scheduler',
    rules: [
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'create', groups: 'coordination.k8s.io', resources: 'leases' },
      { verbs: 'get list update watch', groups: 'coordination.k8s.io', resources: 'leases', names: 'kube-scheduler' },
      {
        verbs: 'create delete deletecollection get list patch update watch',
        groups: 'coordination.k8s.io',
        resources: 'leasecandidates',
      },
      { verbs: 'get list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'delete get list watch', groups: 'core', resources: 'pods' },
      { verbs: 'create', groups: 'core', resources: 'bindings pods/binding' },
      { verbs: 'patch update', groups: 'core', resources: 'pods/status' },
      { verbs: 'get list watch', groups: 'core', resources: 'replicationcontrollers services' },
      { verbs: 'get list watch', groups: 'apps extensions', resources: 'replicasets' },
      { verbs: 'get list watch', groups: 'apps', resources: 'statefulsets' },
      { verbs: 'get list watch', groups: 'policy', resources: 'poddisruptionbudgets' },
      { verbs: 'get list watch', groups: 'core', resources: 'persistentvolumeclaims persistentvolumes' },
      { verbs: 'create', groups: 'authentication.k8s.io', resources: 'tokenreviews' },
      { verbs: 'create', groups: 'authorization.k8s.io', resources: 'subjectaccessreviews' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'csinodes' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'volumeattachments' },
      { verbs: 'get list watch', groups: 'core', resources: 'namespaces' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'csidrivers' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'csistoragecapacities' },
      { verbs: 'get list watch', groups: 'resource.k8s.io', resources: 'deviceclasses' },
      { verbs: 'get list patch update watch', groups: 'resource.k8s.io', resources: 'resourceclaims' },
      { verbs: 'get list patch update watch', groups: 'resource.k8s.io', resources: 'resourceclaims/status' },
      { verbs: 'update', groups: 'core', resources: 'pods/finalizers' },
      { verbs: 'get list watch', groups: 'resource.k8s.io', resources: 'resourceslices' },
      { verbs: 'create delete', groups: 'resource.k8s.io', resources: 'resourceclaims' },
      { verbs: 'get list watch', groups: 'resource.k8s.io', resources: 'devicetaintrules' },
      { verbs: 'patch update', groups: 'resource.k8s.io', resources: 'resourceclaims/binding' },
    ],
  },
  {
    name: 'system:kubelet-api-admin',
    rules: [
      { verbs: 'get list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'proxy', groups: 'core', resources: 'nodes' },
      { verbs: '*', groups: 'core', resources: 'nodes/log nodes/metrics nodes/proxy nodes/stats' },
      { verbs: '*', groups: 'core', resources: 'nodes/configz nodes/healthz nodes/pods' },
    ],
  },
  {
    name: 'system:monitoring',
    rules: [
      {
        verbs: 'get',
        urls: '/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz',
      },
      { verbs: 'get', groups: 'core', resources: 'nodes/metrics' },
    ],
  },
  {
    name: 'system:node',
    rules: [
      { verbs: 'create', groups: 'authentication.k8s.io', resources: 'tokenreviews' },
      { verbs: 'create', groups: 'authorization.k8s.io', resources: 'localsubjectaccessreviews subjectaccessreviews' },
      { verbs: 'get list watch', groups: 'core', resources: 'services' },
      { verbs: 'create get list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'patch update', groups: 'core', resources: 'nodes/status' },
      { verbs: 'patch update', groups: 'core', resources: 'nodes' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'get list watch', groups: 'core', resources: 'pods' },
      { verbs: 'create delete', groups: 'core', resources: 'pods' },
      { verbs: 'patch update', groups: 'core', resources: 'pods/status' },
      { verbs: 'create', groups: 'core', resources: 'pods/eviction' },
      { verbs: 'get list watch', groups: 'core', resources: 'configmaps secrets' },
      { verbs: 'get', groups: 'core', resources: 'persistentvolumeclaims persistentvolumes' },
      { verbs: 'get', groups: 'core', resources: 'endpoints' },
      { verbs: 'create get list watch', groups: 'certificates.k8s.io', resources: 'certificatesigningrequests' },
      { verbs: 'create delete get patch update', groups: 'coordination.k8s.io', resources: 'leases' },
      { verbs: 'get', groups: 'storage.k8s.io', resources: 'volumeattachments' },
      { verbs: 'create', groups: 'core', resources: 'serviceaccounts/token' },
      { verbs: 'get patch update', groups: 'core', resources: 'persistentvolumeclaims/status' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'csidrivers' },
      { verbs: 'create delete get patch update', groups: 'storage.k8s.io', resources: 'csinodes' },
      { verbs: 'get list watch', groups: 'node.k8s.io', resources: 'runtimeclasses' },
      { verbs: 'get', groups: 'resource.k8s.io', resources: 'resourceclaims' },
      { verbs: 'deletecollection', groups: 'resource.k8s.io', resources: 'resourceslices' },
      { verbs: 'get list watch', groups: 'certificates.k8s.io', resources: 'clustertrustbundles' },
      { verbs: 'get', groups: 'core', resources: 'serviceaccounts' },
      { verbs: 'create get list watch', groups: 'certificates.k8s.io', resources: 'podcertificaterequests' },
    ],
  },
  {
    name: 'system:node-bootstrapper',
    rules: [{ verbs: 'create get list watch', groups: 'certificates.k8s.io', resources: 'certificatesigningrequests' }],
  },
  {
    name: 'system:node-problem-detector',
    rules: [
      { verbs: 'get', groups: 'core', resources: 'nodes' },
      { verbs: 'patch', groups: 'core', resources: 'nodes/status' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:node-proxier',
    rules: [
      { verbs: 'list watch', groups: 'core', resources: 'endpoints services' },
      { verbs: 'get list watch', groups: 'core', resources: 'nodes' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
      { verbs: 'list watch', groups: 'networking.k8s.io', resources: 'servicecidrs' },
      { verbs: 'list watch', groups: 'discovery.k8s.io', resources: 'endpointslices' },
    ],
  },
  {
    name: 'system:persistent-volume-provisioner',
    rules: [
      { verbs: 'create delete get list watch', groups: 'core', resources: 'persistentvolumes' },
      { verbs: 'get list update watch', groups: 'core', resources: 'persistentvolumeclaims' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'storageclasses' },
      { verbs: 'watch', groups: 'core', resources: 'events' },
      { verbs: 'create patch update', groups: 'core events.k8s.io', resources: 'events' },
    ],
  },
  {
    name: 'system:public-info-viewer',
    rules: [{ verbs: 'get', urls: '/healthz /livez /readyz /version /version/' }],
  },
  {
    name: 'system:service-account-issuer-discovery',
    rules: [
      {
        verbs: 'get',
        urls: '/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/',
      },
    ],
  },
  {
    name: 'system:volume-scheduler',
    rules: [
      { verbs: 'get list patch update watch', groups: 'core', resources: 'persistentvolumes' },
      { verbs: 'get list watch', groups: 'storage.k8s.io', resources: 'storageclasses' },
      { verbs: 'get list patch update watch', groups: 'core', resources: 'persistentvolumeclaims' },
    ],
  },
  {
    name: 'view',
    aggregateTo: 'edit',
    aggregates: 'view',
    rules: [],
  },
];
