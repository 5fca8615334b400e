import type { Step } from './step.js';

/**
 * Names of the admission plugins of the reference, so that its command lines are understood. Those without a step here are part of
 * something else (the namespace's life is the registry's) or come later; naming them is no mistake.
 */
export const PLUGINS: readonly string[] = [
  'AlwaysAdmit',
  'AlwaysDeny',
  'AlwaysPullImages',
  'CertificateApproval',
  'CertificateSigning',
  'CertificateSubjectRestriction',
  'ClusterTrustBundleAttest',
  'DefaultIngressClass',
  'DefaultStorageClass',
  'DefaultTolerationSeconds',
  'DenyServiceExternalIPs',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'ImagePolicyWebhook',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'NamespaceAutoProvision',
  'NamespaceExists',
  'NamespaceLifecycle',
  'NodeDeclaredFeatureValidator',
  'NodeRestriction',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'PodNodeSelector',
  'PodSecurity',
  'PodTolerationRestriction',
  'PodTopologyLabels',
  'Priority',
  'ResourceQuota',
  'RuntimeClass',
  'ServiceAccount',
  'StorageObjectInUseProtection',
  'TaintNodesByCondition',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
];

export interface PluginChoice {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** What is wrong with a choice, or undefined: names that nobody knows, or one on both sides. */
export function choiceProblem({ enabled, disabled }: PluginChoice): string | undefined {
  const unknown = [...enabled, ...disabled].find((name) => !PLUGINS.includes(name));
  if (unknown !== undefined) return `there is no admission plugin ${JSON.stringify(unknown)}`;
  const both = enabled.find((name) => disabled.includes(name));
  return both === undefined ? undefined : `the admission plugin ${both} is enabled and disabled`;
}

/** The steps that are on: all that this server has are on by default. */
export function chosenSteps(steps: readonly Step[], { disabled }: PluginChoice): readonly Step[] {
  return steps.filter((step) => !disabled.includes(step.name));
}
