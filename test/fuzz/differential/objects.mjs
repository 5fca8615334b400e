// Objects of kinds, and of versions of kinds, that the recordings do not have.

const AUTHORITY = `-----BEGIN CERTIFICATE-----
MIIBcDCCARWgAwIBAgIUX+D/Ibe4MkvMv0JIKoZfdogTnX8wCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBbjAgFw0yNjExMjIyMzIwMTBaGA8yMTI2MTAyOTIzMjAxMFow
DDEKMAgGA1UEAwwBbjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKMVDI9ugAu2
4nFB5g/RH8lN31Cpvn1HJhnwfy+PZINp+1BZi+vXhrslwrUPMC0bQ7UdWsvEE8x8
UTjKAC7TG/yjUzBRMB0GA1UdDgQWBBT1Lon+BA1bwGb/BlUFLy5yrft/VjAfBgNV
HSMEGDAWgBT1Lon+BA1bwGb/BlUFLy5yrft/VjAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0kAMEYCIQDNPF+G2o2Mgg782J3+ehhSxS/3yEYEuHh0Xeyt1384
9QIhAP4Ov7wtYIcq+4Bkw4CB9DZR+MskGr0IzJksjqpi0HpO
-----END CERTIFICATE-----
`;
const STUB = 'MIG5MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABHm5UScv8C4xREvhFVWSOZr+wPJkiJnp0vL7lCVPuABYSjdFCg/ENqodwAz1RYIInNjoDN4ENZLDSiSCLzof+tSgADAKBggqhkjOPQQDAgNHADBEAiBr/rimOWN4PwCq9bKNMmeAGZvOzLMbFSitKCLVjBI0pQIgTgyglqSIGfk0JhvEJIoGMqxYi7C3iI1wEsuPV+KN1po=';

const groupPath = (apiVersion) => (apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`);
const inNamespace = (resource, object) => ({ path: `${groupPath(object.apiVersion)}/namespaces/{{ns}}/${resource}`, object });
const inCluster = (resource, object) => ({ path: `${groupPath(object.apiVersion)}/${resource}`, object });

const request = (apiVersion) =>
  inNamespace('podcertificaterequests', {
    apiVersion,
    kind: 'PodCertificateRequest',
    metadata: { name: 'fuzz' },
    spec: {
      signerName: 'example.com/signer',
      podName: 'p',
      podUID: 'a',
      serviceAccountName: 'default',
      serviceAccountUID: 'b',
      nodeName: 'n',
      nodeUID: 'c',
      maxExpirationSeconds: 86400,
      stubPKCS10Request: STUB,
      unverifiedUserAnnotations: { 'example.com/a': 'b' },
    },
  });
const workload = (spec) => inNamespace('workloads', { apiVersion: 'scheduling.k8s.io/v1alpha3', kind: 'Workload', metadata: { name: 'fuzz' }, spec });
const group = (spec) => inNamespace('podgroups', { apiVersion: 'scheduling.k8s.io/v1alpha3', kind: 'PodGroup', metadata: { name: 'fuzz' }, spec });
const POD = { containers: [{ name: 'c', image: 'nginx' }] };
const claim = (apiVersion, spec) => inNamespace('resourceclaims', { apiVersion, kind: 'ResourceClaim', metadata: { name: 'fuzz' }, spec });

/** By id, like the recorded objects: `{path, object}`. */
export const OBJECTS = {
  'clustertrustbundle/plain': inCluster('clustertrustbundles', { apiVersion: 'certificates.k8s.io/v1', kind: 'ClusterTrustBundle', metadata: { name: 'fuzz' }, spec: { trustBundle: AUTHORITY } }),
  'clustertrustbundle/signer': inCluster('clustertrustbundles', {
    apiVersion: 'certificates.k8s.io/v1beta1',
    kind: 'ClusterTrustBundle',
    metadata: { name: 'example.com:signer:fuzz' },
    spec: { signerName: 'example.com/signer', trustBundle: AUTHORITY },
  }),
  'podcertificaterequest/v1': request('certificates.k8s.io/v1'),
  'podcertificaterequest/v1beta1': request('certificates.k8s.io/v1beta1'),
  'apiservice/remote': inCluster('apiservices', {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: 'v1.fuzz.example.com' },
    spec: { group: 'fuzz.example.com', version: 'v1', service: { namespace: 'default', name: 'x', port: 443 }, groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true },
  }),
  'workload/groups': workload({ podGroupTemplates: [{ name: 'a', schedulingPolicy: { gang: { minCount: 2 } } }, { name: 'b', schedulingPolicy: { basic: {} } }], controllerRef: { kind: 'Job', apiGroup: 'batch', name: 'j' } }),
  'podgroup/gang': group({ schedulingPolicy: { gang: { minCount: 2 } }, resourceClaims: [{ name: 'c', resourceClaimName: 'x' }] }),
  'podgroup/basic': group({ schedulingPolicy: { basic: {} }, workloadRef: { workloadName: 'w', templateName: 'a' } }),
  'compositepodgroup/basic': inNamespace('compositepodgroups', { apiVersion: 'scheduling.k8s.io/v1alpha3', kind: 'CompositePodGroup', metadata: { name: 'fuzz' }, spec: { schedulingPolicy: { basic: {} }, workloadRef: { workloadName: 'w', templateName: 'a' } } }),
  'evictionrequest/pod': inNamespace('evictionrequests', {
    apiVersion: 'lifecycle.k8s.io/v1alpha1',
    kind: 'EvictionRequest',
    metadata: { name: '0f0e0d0c-0b0a-4908-8706-050403020100' },
    spec: { target: { pod: { name: 'p', uid: '0f0e0d0c-0b0a-4908-8706-050403020100' } }, requester: 'example.com/x', intent: 'Eviction' },
  }),
  'svm/v1': inCluster('storageversionmigrations', { apiVersion: 'storagemigration.k8s.io/v1', kind: 'StorageVersionMigration', metadata: { name: 'fuzz' }, spec: { resource: { group: 'example.com', resource: 'things' } } }),
  'devicetaintrule/v1': inCluster('devicetaintrules', {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'DeviceTaintRule',
    metadata: { name: 'fuzz' },
    spec: { deviceSelector: { driver: 'example.com', pool: 'p', device: 'd' }, taint: { key: 'example.com/t', value: 'v', effect: 'NoSchedule' } },
  }),
  'resourceclaim/v1beta1': claim('resource.k8s.io/v1beta1', { devices: { requests: [{ name: 'r', deviceClassName: 'c', count: 2 }], constraints: [{ requests: ['r'], matchAttribute: 'example.com/a' }] } }),
  'resourceclaim/v1beta2': claim('resource.k8s.io/v1beta2', { devices: { requests: [{ name: 'r', firstAvailable: [{ name: 's', deviceClassName: 'c' }] }] } }),
  'hpa/v1': inNamespace('horizontalpodautoscalers', { apiVersion: 'autoscaling/v1', kind: 'HorizontalPodAutoscaler', metadata: { name: 'fuzz' }, spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' }, targetCPUUtilizationPercentage: 50 } }),
  'cronjob/full': inNamespace('cronjobs', {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'fuzz' },
    spec: { schedule: '*/5 * * * *', timeZone: 'Europe/Berlin', jobTemplate: { spec: { backoffLimit: 3, completionMode: 'Indexed', completions: 3, parallelism: 2, template: { spec: { restartPolicy: 'Never', ...POD } } } } },
  }),
  'policy/mutatingbeta': inCluster('mutatingadmissionpolicies', {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: 'fuzz.example.com' },
    spec: {
      failurePolicy: 'Ignore',
      reinvocationPolicy: 'Never',
      matchConstraints: { resourceRules: [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['things'] }] },
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' } }],
    },
  }),
};
