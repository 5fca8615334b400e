import type { AdmissionOperation, AdmissionStep } from '../api/index.js';

/**
 * The admission plug-ins of kube-apiserver 1.37, in the order in which they run. Quotas come after all plug-ins that
 * may change or refuse an object.
 */
export const PLUGIN_ORDER = [
  'AlwaysAdmit',
  'NamespaceAutoProvision',
  'NamespaceLifecycle',
  'NamespaceExists',
  'LimitPodHardAntiAffinityTopology',
  'LimitRanger',
  'ServiceAccount',
  'NodeRestriction',
  'TaintNodesByCondition',
  'AlwaysPullImages',
  'ImagePolicyWebhook',
  'PodSecurity',
  'PodNodeSelector',
  'Priority',
  'DefaultTolerationSeconds',
  'PodTolerationRestriction',
  'EventRateLimit',
  'ExtendedResourceToleration',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'PodGroupProtection',
  'OwnerReferencesPermissionEnforcement',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'DenyServiceExternalIPs',
  'PodTopologyLabels',
  'NodeDeclaredFeatureValidator',
  'PodResizeValidator',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
  'AlwaysDeny',
] as const;

export type PluginName = (typeof PLUGIN_ORDER)[number];

const DEFAULT_ON: ReadonlySet<string> = new Set<PluginName>([
  'NamespaceLifecycle',
  'LimitRanger',
  'ServiceAccount',
  'TaintNodesByCondition',
  'PodSecurity',
  'Priority',
  'DefaultTolerationSeconds',
  'DefaultStorageClass',
  'StorageObjectInUseProtection',
  'PodGroupProtection',
  'PersistentVolumeClaimResize',
  'RuntimeClass',
  'CertificateApproval',
  'CertificateSigning',
  'ClusterTrustBundleAttest',
  'CertificateSubjectRestriction',
  'DefaultIngressClass',
  'PodTopologyLabels',
  'NodeDeclaredFeatureValidator',
  'PodResizeValidator',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionWebhook',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionWebhook',
  'ResourceQuota',
]);

const ALL: readonly AdmissionOperation[] = ['create', 'update', 'delete', 'connect'];
const WRITES: readonly AdmissionOperation[] = ['create', 'update', 'delete'];
const CHANGES: readonly AdmissionOperation[] = ['create', 'update'];
const CREATES: readonly AdmissionOperation[] = ['create'];
const UPDATES: readonly AdmissionOperation[] = ['update'];

/** The operations that the plug-ins of kube-apiserver handle. */
const OPERATIONS: Readonly<Record<PluginName, readonly AdmissionOperation[]>> = {
  AlwaysAdmit: ALL,
  NamespaceAutoProvision: CREATES,
  NamespaceLifecycle: WRITES,
  NamespaceExists: WRITES,
  LimitPodHardAntiAffinityTopology: CHANGES,
  LimitRanger: CHANGES,
  ServiceAccount: CHANGES,
  NodeRestriction: WRITES,
  TaintNodesByCondition: CREATES,
  AlwaysPullImages: CHANGES,
  ImagePolicyWebhook: CHANGES,
  PodSecurity: CHANGES,
  PodNodeSelector: CREATES,
  Priority: WRITES,
  DefaultTolerationSeconds: CHANGES,
  PodTolerationRestriction: CHANGES,
  EventRateLimit: CHANGES,
  ExtendedResourceToleration: CHANGES,
  DefaultStorageClass: CREATES,
  StorageObjectInUseProtection: CREATES,
  PodGroupProtection: CREATES,
  OwnerReferencesPermissionEnforcement: CHANGES,
  PersistentVolumeClaimResize: UPDATES,
  RuntimeClass: CREATES,
  CertificateApproval: UPDATES,
  CertificateSigning: UPDATES,
  ClusterTrustBundleAttest: CHANGES,
  CertificateSubjectRestriction: CREATES,
  DefaultIngressClass: CREATES,
  DenyServiceExternalIPs: CHANGES,
  PodTopologyLabels: CREATES,
  NodeDeclaredFeatureValidator: CHANGES,
  PodResizeValidator: UPDATES,
  MutatingAdmissionPolicy: ['create', 'update', 'connect'],
  MutatingAdmissionWebhook: ALL,
  ValidatingAdmissionPolicy: ALL,
  ValidatingAdmissionWebhook: ALL,
  ResourceQuota: CHANGES,
  AlwaysDeny: ALL,
};

/** Plug-ins that the registry implements for every write. */
const ALWAYS_ON: ReadonlySet<string> = new Set<PluginName>(['NamespaceExists', 'NamespaceLifecycle']);

/** AlwaysAdmit does nothing by definition. */
const WITHOUT_STEP: ReadonlySet<string> = new Set<PluginName>(['AlwaysAdmit']);

export interface PluginChoice {
  readonly enabled: readonly string[];
  readonly disabled: readonly string[];
}

/** Errors in `--enable-admission-plugins` and `--disable-admission-plugins`, with the texts of kube-apiserver. */
export function choiceProblem({ enabled, disabled }: PluginChoice): string | undefined {
  const known: ReadonlySet<string> = new Set(PLUGIN_ORDER);
  const unknown = (flag: string, names: readonly string[]): readonly string[] =>
    names.filter((name) => !known.has(name)).map((name) => `${flag} plugin "${name}" is unknown`);
  const problems = [...unknown('enable-admission-plugins', enabled), ...unknown('disable-admission-plugins', disabled)];
  const both = [...new Set(enabled)].filter((name) => disabled.includes(name)).sort();
  if (both.length > 0)
    problems.push(`[${both.join(' ')}] in enable-admission-plugins and disable-admission-plugins overlapped`);
  return problems.length > 1 ? `[${problems.join(', ')}]` : problems[0];
}

export const isChosen = (name: string, { enabled, disabled }: PluginChoice): boolean =>
  !disabled.includes(name) && (DEFAULT_ON.has(name) || enabled.includes(name));

/** The chosen steps, in the order of the plug-ins. */
export function chosenSteps(steps: readonly AdmissionStep[], choice: PluginChoice): readonly AdmissionStep[] {
  const order: readonly string[] = PLUGIN_ORDER;
  return steps
    .filter((step) => isChosen(step.name, choice))
    .sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
    .map((step) => ({ ...step, operations: OPERATIONS[step.name as PluginName] }));
}

/** Warnings about enabled plug-ins that this server does not have, and disabled ones that it cannot disable. */
export function choiceWarnings(
  steps: readonly AdmissionStep[],
  { enabled, disabled }: PluginChoice,
): readonly string[] {
  const present = new Set([...steps.map((step) => step.name), ...ALWAYS_ON, ...WITHOUT_STEP]);
  const missing = [...new Set(enabled)].filter((name) => !present.has(name));
  const kept = [...ALWAYS_ON].filter((name) => disabled.includes(name));
  const warnings: string[] = [];
  if (missing.length > 0)
    warnings.push(`--enable-admission-plugins: not implemented, no effect: ${missing.join(', ')}`);
  if (kept.length > 0) warnings.push(`--disable-admission-plugins: cannot be disabled, no effect: ${kept.join(', ')}`);
  return warnings;
}
