// A status for each kind that has one: what its controllers write. The sweep changes it field by field.

const TIME = '2026-01-02T03:04:05Z';
const condition = (type) => ({ type, status: 'True', reason: 'Fuzz', message: 'm', lastTransitionTime: TIME });
const observed = (type) => ({ ...condition(type), observedGeneration: 1 });
const counts = { observedGeneration: 1, replicas: 2, readyReplicas: 1, availableReplicas: 1 };
const ingress = { loadBalancer: { ingress: [{ ip: '10.1.2.3', ports: [{ port: 80, protocol: 'TCP', error: 'example.com/odd' }] }, { hostname: 'lb.example.com' }] } };
const container = (name, state) => ({ name, state, lastState: {}, ready: false, restartCount: 1, image: 'nginx', imageID: 'x', started: false });
const allocated = (request) => ({ request, driver: 'driver.example.com', pool: 'p', device: 'd', tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }] });

/** By kind, as `apiVersion kind` or `kind`. */
export const STATUSES = {
  Pod: {
    phase: 'Running',
    conditions: [observed('Ready'), { ...condition('PodScheduled'), lastProbeTime: TIME }],
    message: 'm',
    reason: 'Fuzz',
    hostIP: '10.1.2.3',
    hostIPs: [{ ip: '10.1.2.3' }, { ip: 'fd00::1' }],
    podIP: '10.2.3.4',
    podIPs: [{ ip: '10.2.3.4' }, { ip: 'fd00::2' }],
    startTime: TIME,
    containerStatuses: [container('c', { running: { startedAt: TIME } })],
    initContainerStatuses: [container('i', { terminated: { exitCode: 1, reason: 'Error', startedAt: TIME, finishedAt: TIME } })],
    resize: 'InProgress',
  },
  Node: {
    capacity: { cpu: '4', memory: '1Gi' },
    allocatable: { cpu: '3', memory: '1Gi' },
    phase: 'Running',
    conditions: [{ ...condition('Ready'), lastHeartbeatTime: TIME }],
    addresses: [{ type: 'InternalIP', address: '10.1.2.3' }, { type: 'Hostname', address: 'n' }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: { machineID: 'm', systemUUID: 's', bootID: 'b', kernelVersion: 'k', osImage: 'o', containerRuntimeVersion: 'c', kubeletVersion: 'v1.37.2', kubeProxyVersion: '', operatingSystem: 'linux', architecture: 'amd64' },
    images: [{ names: ['a'], sizeBytes: 5 }],
    volumesInUse: ['a'],
    volumesAttached: [{ name: 'a', devicePath: '/d' }],
    runtimeHandlers: [{ name: 'r', features: { recursiveReadOnlyMounts: true, userNamespaces: false } }],
    features: { supplementalGroupsPolicy: true },
  },
  Namespace: { phase: 'Active', conditions: [condition('NamespaceDeletionContentFailure')] },
  Service: { ...ingress, conditions: [observed('Ready')] },
  Ingress: ingress,
  ReplicationController: { ...counts, fullyLabeledReplicas: 1, conditions: [condition('ReplicaFailure')] },
  ReplicaSet: { ...counts, fullyLabeledReplicas: 1, terminatingReplicas: 1, conditions: [condition('ReplicaFailure')] },
  Deployment: { ...counts, updatedReplicas: 1, unavailableReplicas: 1, collisionCount: 1, conditions: [{ ...condition('Available'), lastUpdateTime: TIME }] },
  StatefulSet: { ...counts, currentReplicas: 1, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b', collisionCount: 1, conditions: [condition('Fuzz')] },
  DaemonSet: {
    currentNumberScheduled: 1,
    numberMisscheduled: 1,
    desiredNumberScheduled: 1,
    numberReady: 1,
    observedGeneration: 1,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
    collisionCount: 1,
    conditions: [condition('Fuzz')],
  },
  Job: { startTime: TIME, active: 1, ready: 1, failed: 1, terminating: 0, conditions: [{ ...condition('Suspended'), status: 'False', lastProbeTime: TIME }], uncountedTerminatedPods: { succeeded: ['a'], failed: ['b'] } },
  CronJob: { active: [{ apiVersion: 'batch/v1', kind: 'Job', name: 'j', namespace: 'x', uid: 'u' }], lastScheduleTime: TIME, lastSuccessfulTime: TIME },
  'autoscaling/v1 HorizontalPodAutoscaler': { observedGeneration: 1, lastScaleTime: TIME, currentReplicas: 1, desiredReplicas: 2, currentCPUUtilizationPercentage: 5 },
  'autoscaling/v2 HorizontalPodAutoscaler': {
    observedGeneration: 1,
    lastScaleTime: TIME,
    currentReplicas: 1,
    desiredReplicas: 2,
    currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 5, averageValue: '1' } } }],
    conditions: [condition('AbleToScale')],
  },
  PodDisruptionBudget: { observedGeneration: 1, disruptedPods: { a: TIME }, disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, conditions: [observed('DisruptionAllowed')] },
  PersistentVolume: { phase: 'Available', message: 'm', reason: 'Fuzz', lastPhaseTransitionTime: TIME },
  PersistentVolumeClaim: {
    phase: 'Bound',
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    conditions: [{ ...condition('Resizing'), lastProbeTime: TIME }],
    allocatedResources: { storage: '1Gi' },
    allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
    currentVolumeAttributesClassName: 'a',
    modifyVolumeStatus: { targetVolumeAttributesClassName: 'b', status: 'Pending' },
  },
  ResourceQuota: { hard: { pods: '5' }, used: { pods: '1' } },
  CertificateSigningRequest: { conditions: [{ ...condition('Failed'), lastUpdateTime: TIME }] },
  PodCertificateRequest: { conditions: [condition('Denied')] },
  FlowSchema: { conditions: [condition('Dangling')] },
  PriorityLevelConfiguration: { conditions: [condition('Fuzz')] },
  ServiceCIDR: { conditions: [observed('Ready')] },
  StorageVersionMigration: { conditions: [observed('Running')], resourceVersion: '5' },
  StorageVersion: { storageVersions: [{ apiServerID: 'a', encodingVersion: 'v1', decodableVersions: ['v1'], servedVersions: ['v1'] }], commonEncodingVersion: 'v1', conditions: [observed('AllEncodingVersionsEqual')] },
  VolumeAttachment: { attached: true, attachmentMetadata: { a: 'b' }, attachError: { time: TIME, message: 'm', errorCode: 5 }, detachError: { time: TIME, message: 'm' } },
  APIService: { conditions: [condition('Available')] },
  ValidatingAdmissionPolicy: { observedGeneration: 1, typeChecking: { expressionWarnings: [{ fieldRef: 'spec', warning: 'w' }] }, conditions: [observed('Fuzz')] },
  DeviceTaintRule: { conditions: [observed('EvictionInProgress')] },
  ResourceClaim: {
    allocation: {
      devices: {
        results: [{ ...allocated('r'), adminAccess: false, consumedCapacity: { a: '1' }, bindingConditions: ['a'], bindingFailureConditions: ['b'] }],
        config: [{ source: 'FromClass', requests: ['r'], opaque: { driver: 'driver.example.com', parameters: { a: 1 } } }],
      },
      nodeSelector: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }] },
      allocationTimestamp: TIME,
    },
    reservedFor: [{ resource: 'pods', name: 'a', uid: 'u' }],
    devices: [{ driver: 'driver.example.com', pool: 'p', device: 'd', conditions: [observed('Ready')], data: { a: 1 }, networkData: { interfaceName: 'eth0', ips: ['10.0.0.1/8'], hardwareAddress: 'x' } }],
  },
  ResourcePoolStatusRequest: { poolCount: 1, pools: [{ driver: 'driver.example.com', poolName: 'p', generation: 1, resourceSliceCount: 1, totalDevices: 1, allocatedDevices: 0, availableDevices: 1, unavailableDevices: 0, nodeName: 'n' }], conditions: [observed('Complete')] },
  Workload: {},
  PodGroup: { conditions: [observed('PodGroupScheduled')], resourceClaimStatuses: [{ name: 'c', resourceClaimName: 'x' }] },
  CompositePodGroup: { conditions: [observed('Scheduled')] },
  EvictionRequest: { conditions: [observed('Evicted')], observedGeneration: 1 },
  LeaseCandidate: {},
};

/** The status of an object, as far as its spec allows it; undefined if none is known. */
export function statusOf({ apiVersion, kind, spec }) {
  const status = structuredClone(STATUSES[`${apiVersion} ${kind}`] ?? STATUSES[kind]);
  if (kind === 'Service' && spec.type !== 'LoadBalancer') delete status.loadBalancer;
  if (kind !== 'ResourceClaim') return status;
  const [request] = spec.devices?.requests ?? [];
  if (request === undefined) return undefined;
  const name = request.firstAvailable === undefined ? request.name : `${request.name}/${request.firstAvailable[0].name}`;
  for (const part of [...status.allocation.devices.results, ...status.allocation.devices.config]) {
    if (part.request !== undefined) part.request = name;
    if (part.requests !== undefined) part.requests = [name];
  }
  return status;
}
