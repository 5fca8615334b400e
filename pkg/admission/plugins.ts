import type { AdmissionStep } from '../api/index.js';

/** Names of the admission plugins of the reference, so that its command lines are understood; naming one without a step is no mistake. */
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

/** What the registry does for every write, chosen or not. */
const ALWAYS_ON: readonly string[] = ['NamespaceExists', 'NamespaceLifecycle'];

/** Named for what it does: nothing. */
const NOTHING_TO_DO: readonly string[] = ['AlwaysAdmit'];

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
export function chosenSteps(steps: readonly AdmissionStep[], { disabled }: PluginChoice): readonly AdmissionStep[] {
  return steps.filter((step) => !disabled.includes(step.name));
}

/** What an operator who chose so expects and does not get: plugins that are named and check nothing, or are off and check all the same. */
export function choiceWarnings(
  steps: readonly AdmissionStep[],
  { enabled, disabled }: PluginChoice,
): readonly string[] {
  const done = new Set([...steps.map((step) => step.name), ...ALWAYS_ON, ...NOTHING_TO_DO]);
  const idle = [...new Set(enabled)].filter((name) => !done.has(name));
  const kept = ALWAYS_ON.filter((name) => disabled.includes(name));
  const warnings: string[] = [];
  if (idle.length > 0)
    warnings.push(
      `--enable-admission-plugins: this server does not have ${idle.join(', ')} yet: nothing is checked by them`,
    );
  if (kept.length > 0)
    warnings.push(
      `--disable-admission-plugins: ${kept.join(', ')} cannot be switched off: namespaces are checked all the same`,
    );
  return warnings;
}
