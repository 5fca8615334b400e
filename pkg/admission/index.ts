import type { AdmissionStep, StoredObjects } from '../api/index.js';
import { Scheduler, type World } from '../base/index.js';
import { alwaysDenyStep } from './alwaysdeny.js';
import { alwaysPullImagesStep } from './alwayspullimages.js';
import { antiAffinityStep } from './antiaffinity.js';
import { certificateSubjectStep } from './certificatesubject.js';
import { claimResizeStep } from './claimresize.js';
import { defaultIngressClassStep } from './defaultingressclass.js';
import { defaultStorageClassStep } from './defaultstorageclass.js';
import { defaultTolerationsStep, type TolerationSeconds } from './defaulttolerations.js';
import { denyExternalIpsStep } from './denyexternalips.js';
import { type EventLimit, eventRateLimitStep } from './eventratelimit.js';
import { extendedResourceTolerationStep } from './extendedresources.js';
import { type ImagePolicyParts, imagePolicyStep } from './imagepolicy.js';
import { limitRangerStep } from './limitranger.js';
import { type CreateNamespace, namespaceProvisionStep } from './namespaceprovision.js';
import { nodeFeaturesStep } from './nodefeatures.js';
import { nodeRestrictionStep } from './noderestriction.js';
import { ownerReferencesStep } from './ownerreferences.js';
import { type NodeSelectors, podNodeSelectorStep } from './podnodeselector.js';
import { podResizeStep } from './podresize.js';
import { type PodSecurityConfig, podSecurityStep } from './podsecurity.js';
import type { PodSecurityMetrics } from './podsecuritymetrics.js';
import { podTolerationsStep, type TolerationLists } from './podtolerations.js';
import { podTopologyStep } from './podtopology.js';
import type { AuthorizeCheck } from './policy/checks.js';
import { PolicyMetrics } from './policy/metrics.js';
import { mutatingPolicyStep } from './policy/mutating.js';
import { validatingPolicyStep } from './policy/validating.js';
import { priorityStep } from './priority.js';
import { type LimitedResource, resourceQuotaStep } from './resourcequota.js';
import { runtimeClassStep } from './runtimeclass.js';
import { serviceAccountStep } from './serviceaccount.js';
import { certificateApprovalStep, certificateSigningStep, trustBundleStep } from './signers.js';
import { podGroupProtectionStep, storageProtectionStep } from './storageprotection.js';
import { taintNodesStep } from './taintnodes.js';
import type { WebhookWorld } from './webhook/call.js';
import { mutatingWebhookStep } from './webhook/mutating.js';
import { validatingWebhookStep } from './webhook/validating.js';

export type { TolerationSeconds } from './defaulttolerations.js';
export type { EventLimit } from './eventratelimit.js';
export type { ImagePolicyConfig } from './imagepolicy.js';
export type { CreateNamespace } from './namespaceprovision.js';
export {
  choiceProblem,
  choiceWarnings,
  chosenSteps,
  isChosen,
  PLUGIN_ORDER,
  type PluginChoice,
  type PluginName,
} from './plugins.js';
export { CLUSTER_DEFAULT, type NodeSelectors, parseSelector } from './podnodeselector.js';
export { defaultPodSecurity, type PodSecurityConfig } from './podsecurity.js';
export { PodSecurityMetrics } from './podsecuritymetrics.js';
export { MODES as SECURITY_MODES, parseLevel, parseMinor, type SecurityPolicy } from './podsecuritypolicy.js';
export type { TolerationLists } from './podtolerations.js';
export type { AuthorizeCheck } from './policy/checks.js';
export { type CompiledPolicy, compileConditions, compilePolicy, type ExpressionIssue } from './policy/compile.js';
export { PolicyMetrics } from './policy/metrics.js';
export { mutationRules } from './policy/mutations.js';
export { paramRightsStep } from './policy/paramrights.js';
export { type ExpressionWarning, type KnownKind, type KnownKinds, typeCheck } from './policy/typecheck.js';
export { evaluatorOf, isInScope, type QuotaEvaluator, sumUsage, usageObject } from './quotausage.js';
export type { LimitedResource } from './resourcequota.js';
export { podCertificateSigningStep } from './signers.js';
export { nameShown } from './step.js';
export { WebhookMetrics } from './webhook/metrics.js';

/** Options of single plug-ins, from flags and the admission configuration. */
export interface AdmissionSettings {
  readonly tolerationSeconds?: TolerationSeconds;
  readonly podSecurity?: PodSecurityConfig;
  readonly podSecurityMetrics?: PodSecurityMetrics;
  readonly policyMetrics?: PolicyMetrics;
  readonly nodeSelectors?: NodeSelectors;
  readonly eventLimits?: readonly EventLimit[];
  readonly limitedResources?: readonly LimitedResource[];
  /** The scheduler of policies; absent: policies get a separate one. */
  readonly scheduler?: Scheduler;
  readonly tolerations?: TolerationLists;
  /** Whether a feature gate is enabled; by default none is. */
  readonly enabled?: (gate: string) => boolean;
  /** How webhooks are called; without it the plug-ins of webhooks are absent. */
  readonly webhooks?: Readonly<Record<'mutating' | 'validating', WebhookCalls>>;
  /** Its configuration, and how its service is called; without it the plug-in is absent. */
  readonly imagePolicy?: Omit<ImagePolicyParts, 'clock'>;
  /** Without it NamespaceAutoProvision is absent. */
  readonly createNamespace?: CreateNamespace;
}

/** How the webhooks of one plug-in are called. */
export type WebhookCalls = Pick<WebhookWorld, 'clients' | 'metrics' | 'note'>;

/** How long policies are evaluated in one turn before they yield. */
const EVALUATION_MILLISECONDS = 8;

/** The steps of all supported plug-ins. `chosenSteps` selects and orders them. */
export function builtinAdmission(
  objects: StoredObjects,
  world: World,
  authorize: AuthorizeCheck,
  settings: AdmissionSettings = {},
): readonly AdmissionStep[] {
  const pace = settings.scheduler ?? new Scheduler(world, EVALUATION_MILLISECONDS);
  const {
    tolerationSeconds,
    podSecurity,
    podSecurityMetrics,
    policyMetrics = new PolicyMetrics(world.clock),
    nodeSelectors,
    eventLimits = [],
    limitedResources,
    tolerations,
    webhooks,
    imagePolicy,
    createNamespace,
  } = settings;
  const { conditions } = policyMetrics;
  const enabled = settings.enabled ?? (() => false);
  return [
    ...(createNamespace === undefined ? [] : [namespaceProvisionStep(objects, createNamespace)]),
    antiAffinityStep,
    limitRangerStep(objects),
    serviceAccountStep(objects, world),
    nodeRestrictionStep(objects, authorize, enabled),
    taintNodesStep,
    alwaysPullImagesStep,
    ...(imagePolicy === undefined ? [] : [imagePolicyStep({ ...imagePolicy, clock: world.clock })]),
    podSecurityStep(objects, world, podSecurity, podSecurityMetrics),
    podNodeSelectorStep(objects, nodeSelectors),
    priorityStep(objects, enabled),
    defaultTolerationsStep(tolerationSeconds),
    podTolerationsStep(objects, tolerations),
    eventRateLimitStep(world, eventLimits),
    extendedResourceTolerationStep,
    defaultStorageClassStep(objects),
    storageProtectionStep,
    podGroupProtectionStep(enabled('GenericWorkload')),
    ownerReferencesStep(objects, authorize),
    claimResizeStep(objects),
    runtimeClassStep(objects),
    certificateApprovalStep(authorize),
    certificateSigningStep(authorize),
    trustBundleStep(authorize, enabled('ClusterTrustBundle')),
    certificateSubjectStep,
    defaultIngressClassStep(objects),
    denyExternalIpsStep,
    podTopologyStep(objects),
    nodeFeaturesStep(objects, enabled),
    podResizeStep(objects),
    mutatingPolicyStep({ objects, authorize, pace, conditions }),
    validatingPolicyStep({ objects, authorize, pace }, policyMetrics),
    ...(webhooks === undefined
      ? []
      : [
          mutatingWebhookStep({ objects, authorize, world, pace, conditions, ...webhooks.mutating }),
          validatingWebhookStep({ objects, authorize, world, pace, conditions, ...webhooks.validating }),
        ]),
    resourceQuotaStep(objects, world, limitedResources),
    alwaysDenyStep,
  ];
}
