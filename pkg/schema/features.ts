/**
 * Features that are off until the operator turns them on (`--feature-gates`). Every gate that is not named here is of a feature that
 * is on by default, or that has been on for so long that its gate is gone.
 */
const OFF_BY_DEFAULT: ReadonlySet<string> = new Set([
  'AllowUnsafeMalformedObjectDeletion',
  'AtomicWriteVolumeUserFields',
  'CBORServingAndStorage',
  'CSIVolumeHealth',
  'ClusterTrustBundleProjection',
  'CompositePodGroup',
  'ContainerStopSignals',
  'CoordinatedLeaderElection',
  'CrossNamespaceVolumeDataSource',
  'DRADerivedAttributes',
  'DRAListTypeAttributes',
  'DRANodeAllocatableResources',
  'DRAOptionalNodeOperations',
  'DRAPartitionableDevicesType',
  'DRAWorkloadResourceClaims',
  'EmptyDirVolumeMode',
  'EvictionRequestAPI',
  'GRPCContainerProbeTLS',
  'GenericWorkload',
  'H2CContainerProbe',
  'InPlacePodVerticalScalingSchedulerPreemption',
  'MaxUnavailableStatefulSet',
  'PodCertificateProjection',
  'PodGroupPreemptionPolicy',
  'ResourceHealthStatusMessage',
  'ShardedListAndWatch',
  'TopologyAwareWorkloadScheduling',
  'VolumeBindMountOptions',
  'VolumeLimitScaling',
  'WorkloadWithJob',
]);

/** Whether a feature is on where nobody has said. */
export const isOnByDefault = (gate: string): boolean => !OFF_BY_DEFAULT.has(gate);
