// Generated from the schemas by scripts/generate-shapes.mjs. Do not edit.
// The fields of the built-in types, for the compiler alone: see pkg/api/shape.ts.

export interface AdmissionV1AdmissionRequest {
  readonly uid?: string;
  readonly kind?: MetaV1GroupVersionKind;
  readonly resource?: MetaV1GroupVersionResource;
  readonly subResource?: string;
  readonly requestKind?: MetaV1GroupVersionKind;
  readonly requestResource?: MetaV1GroupVersionResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation?: string;
  readonly userInfo?: AuthenticationV1UserInfo;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: string;
  readonly options?: unknown;
}

export interface AdmissionV1AdmissionResponse {
  readonly uid?: string;
  readonly allowed?: string;
  readonly status?: MetaV1Status;
  readonly patch?: string;
  readonly patchType?: string;
  readonly auditAnnotations?: { readonly [key: string]: string };
  readonly warnings?: readonly string[];
}

export interface AdmissionV1AdmissionReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly request?: AdmissionV1AdmissionRequest;
  readonly response?: AdmissionV1AdmissionResponse;
}

export interface AdmissionV1beta1AdmissionRequest {
  readonly uid?: string;
  readonly kind?: MetaV1GroupVersionKind;
  readonly resource?: MetaV1GroupVersionResource;
  readonly subResource?: string;
  readonly requestKind?: MetaV1GroupVersionKind;
  readonly requestResource?: MetaV1GroupVersionResource;
  readonly requestSubResource?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly operation?: string;
  readonly userInfo?: AuthenticationV1UserInfo;
  readonly object?: unknown;
  readonly oldObject?: unknown;
  readonly dryRun?: string;
  readonly options?: unknown;
}

export interface AdmissionV1beta1AdmissionResponse {
  readonly uid?: string;
  readonly allowed?: string;
  readonly status?: MetaV1Status;
  readonly patch?: string;
  readonly patchType?: string;
  readonly auditAnnotations?: { readonly [key: string]: string };
  readonly warnings?: readonly string[];
}

export interface AdmissionV1beta1AdmissionReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly request?: AdmissionV1beta1AdmissionRequest;
  readonly response?: AdmissionV1beta1AdmissionResponse;
}

export interface AdmissionregistrationV1ApplyConfiguration {
  readonly expression?: string;
}

export interface AdmissionregistrationV1AuditAnnotation {
  readonly key?: string;
  readonly valueExpression?: string;
}

export interface AdmissionregistrationV1ExpressionWarning {
  readonly fieldRef?: string;
  readonly warning?: string;
}

export interface AdmissionregistrationV1JSONPatch {
  readonly expression?: string;
}

export interface AdmissionregistrationV1MatchCondition {
  readonly name?: string;
  readonly expression?: string;
}

export interface AdmissionregistrationV1MatchResources {
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly objectSelector?: MetaV1LabelSelector;
  readonly resourceRules?: readonly AdmissionregistrationV1NamedRuleWithOperations[];
  readonly excludeResourceRules?: readonly AdmissionregistrationV1NamedRuleWithOperations[];
  readonly matchPolicy?: string;
}

export interface AdmissionregistrationV1MutatingAdmissionPolicy {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1MutatingAdmissionPolicySpec;
}

export interface AdmissionregistrationV1MutatingAdmissionPolicyBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1MutatingAdmissionPolicyBindingSpec;
}

export interface AdmissionregistrationV1MutatingAdmissionPolicyBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1MutatingAdmissionPolicyBinding[];
}

export interface AdmissionregistrationV1MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: AdmissionregistrationV1ParamRef;
  readonly matchResources?: AdmissionregistrationV1MatchResources;
}

export interface AdmissionregistrationV1MutatingAdmissionPolicyList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1MutatingAdmissionPolicy[];
}

export interface AdmissionregistrationV1MutatingAdmissionPolicySpec {
  readonly paramKind?: AdmissionregistrationV1ParamKind;
  readonly matchConstraints?: AdmissionregistrationV1MatchResources;
  readonly variables?: readonly AdmissionregistrationV1Variable[];
  readonly mutations?: readonly AdmissionregistrationV1Mutation[];
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly AdmissionregistrationV1MatchCondition[];
  readonly reinvocationPolicy?: string;
}

export interface AdmissionregistrationV1MutatingWebhook {
  readonly name?: string;
  readonly clientConfig?: AdmissionregistrationV1WebhookClientConfig;
  readonly rules?: readonly AdmissionregistrationV1RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly objectSelector?: MetaV1LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: string;
  readonly admissionReviewVersions?: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly AdmissionregistrationV1MatchCondition[];
}

export interface AdmissionregistrationV1MutatingWebhookConfiguration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly webhooks?: readonly AdmissionregistrationV1MutatingWebhook[];
}

export interface AdmissionregistrationV1MutatingWebhookConfigurationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1MutatingWebhookConfiguration[];
}

export interface AdmissionregistrationV1Mutation {
  readonly patchType?: string;
  readonly applyConfiguration?: AdmissionregistrationV1ApplyConfiguration;
  readonly jsonPatch?: AdmissionregistrationV1JSONPatch;
}

export interface AdmissionregistrationV1NamedRuleWithOperations {
  readonly resourceNames?: readonly string[];
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface AdmissionregistrationV1ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface AdmissionregistrationV1ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly parameterNotFoundAction?: string;
}

export interface AdmissionregistrationV1RuleWithOperations {
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface AdmissionregistrationV1ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: string;
}

export interface AdmissionregistrationV1TypeChecking {
  readonly expressionWarnings?: readonly AdmissionregistrationV1ExpressionWarning[];
}

export interface AdmissionregistrationV1ValidatingAdmissionPolicy {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1ValidatingAdmissionPolicySpec;
  readonly status?: AdmissionregistrationV1ValidatingAdmissionPolicyStatus;
}

export interface AdmissionregistrationV1ValidatingAdmissionPolicyBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec;
}

export interface AdmissionregistrationV1ValidatingAdmissionPolicyBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1ValidatingAdmissionPolicyBinding[];
}

export interface AdmissionregistrationV1ValidatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: AdmissionregistrationV1ParamRef;
  readonly matchResources?: AdmissionregistrationV1MatchResources;
  readonly validationActions?: readonly string[];
}

export interface AdmissionregistrationV1ValidatingAdmissionPolicyList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1ValidatingAdmissionPolicy[];
}

export interface AdmissionregistrationV1ValidatingAdmissionPolicySpec {
  readonly paramKind?: AdmissionregistrationV1ParamKind;
  readonly matchConstraints?: AdmissionregistrationV1MatchResources;
  readonly validations?: readonly AdmissionregistrationV1Validation[];
  readonly failurePolicy?: string;
  readonly auditAnnotations?: readonly AdmissionregistrationV1AuditAnnotation[];
  readonly matchConditions?: readonly AdmissionregistrationV1MatchCondition[];
  readonly variables?: readonly AdmissionregistrationV1Variable[];
}

export interface AdmissionregistrationV1ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: string;
  readonly typeChecking?: AdmissionregistrationV1TypeChecking;
  readonly conditions?: readonly MetaV1Condition[];
}

export interface AdmissionregistrationV1ValidatingWebhook {
  readonly name?: string;
  readonly clientConfig?: AdmissionregistrationV1WebhookClientConfig;
  readonly rules?: readonly AdmissionregistrationV1RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly objectSelector?: MetaV1LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: string;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly AdmissionregistrationV1MatchCondition[];
}

export interface AdmissionregistrationV1ValidatingWebhookConfiguration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly webhooks?: readonly AdmissionregistrationV1ValidatingWebhook[];
}

export interface AdmissionregistrationV1ValidatingWebhookConfigurationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1ValidatingWebhookConfiguration[];
}

export interface AdmissionregistrationV1Validation {
  readonly expression?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: string;
}

export interface AdmissionregistrationV1Variable {
  readonly name?: string;
  readonly expression?: string;
}

export interface AdmissionregistrationV1WebhookClientConfig {
  readonly url?: string;
  readonly service?: AdmissionregistrationV1ServiceReference;
  readonly caBundle?: string;
}

export interface AdmissionregistrationV1alpha1ApplyConfiguration {
  readonly expression?: string;
}

export interface AdmissionregistrationV1alpha1AuditAnnotation {
  readonly key?: string;
  readonly valueExpression?: string;
}

export interface AdmissionregistrationV1alpha1ExpressionWarning {
  readonly fieldRef?: string;
  readonly warning?: string;
}

export interface AdmissionregistrationV1alpha1JSONPatch {
  readonly expression?: string;
}

export interface AdmissionregistrationV1alpha1MatchResources {
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly objectSelector?: MetaV1LabelSelector;
  readonly resourceRules?: readonly AdmissionregistrationV1alpha1NamedRuleWithOperations[];
  readonly excludeResourceRules?: readonly AdmissionregistrationV1alpha1NamedRuleWithOperations[];
  readonly matchPolicy?: string;
}

export interface AdmissionregistrationV1alpha1MutatingAdmissionPolicy {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1alpha1MutatingAdmissionPolicySpec;
}

export interface AdmissionregistrationV1alpha1MutatingAdmissionPolicyBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1alpha1MutatingAdmissionPolicyBindingSpec;
}

export interface AdmissionregistrationV1alpha1MutatingAdmissionPolicyBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1alpha1MutatingAdmissionPolicyBinding[];
}

export interface AdmissionregistrationV1alpha1MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: AdmissionregistrationV1alpha1ParamRef;
  readonly matchResources?: AdmissionregistrationV1alpha1MatchResources;
}

export interface AdmissionregistrationV1alpha1MutatingAdmissionPolicyList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1alpha1MutatingAdmissionPolicy[];
}

export interface AdmissionregistrationV1alpha1MutatingAdmissionPolicySpec {
  readonly paramKind?: AdmissionregistrationV1alpha1ParamKind;
  readonly matchConstraints?: AdmissionregistrationV1alpha1MatchResources;
  readonly variables?: readonly AdmissionregistrationV1alpha1Variable[];
  readonly mutations?: readonly AdmissionregistrationV1alpha1Mutation[];
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly AdmissionregistrationV1MatchCondition[];
  readonly reinvocationPolicy?: string;
}

export interface AdmissionregistrationV1alpha1Mutation {
  readonly patchType?: string;
  readonly applyConfiguration?: AdmissionregistrationV1alpha1ApplyConfiguration;
  readonly jsonPatch?: AdmissionregistrationV1alpha1JSONPatch;
}

export interface AdmissionregistrationV1alpha1NamedRuleWithOperations {
  readonly resourceNames?: readonly string[];
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface AdmissionregistrationV1alpha1ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface AdmissionregistrationV1alpha1ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly parameterNotFoundAction?: string;
}

export interface AdmissionregistrationV1alpha1TypeChecking {
  readonly expressionWarnings?: readonly AdmissionregistrationV1alpha1ExpressionWarning[];
}

export interface AdmissionregistrationV1alpha1ValidatingAdmissionPolicy {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1alpha1ValidatingAdmissionPolicySpec;
  readonly status?: AdmissionregistrationV1alpha1ValidatingAdmissionPolicyStatus;
}

export interface AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBindingSpec;
}

export interface AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBinding[];
}

export interface AdmissionregistrationV1alpha1ValidatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: AdmissionregistrationV1alpha1ParamRef;
  readonly matchResources?: AdmissionregistrationV1alpha1MatchResources;
  readonly validationActions?: readonly string[];
}

export interface AdmissionregistrationV1alpha1ValidatingAdmissionPolicyList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1alpha1ValidatingAdmissionPolicy[];
}

export interface AdmissionregistrationV1alpha1ValidatingAdmissionPolicySpec {
  readonly paramKind?: AdmissionregistrationV1alpha1ParamKind;
  readonly matchConstraints?: AdmissionregistrationV1alpha1MatchResources;
  readonly validations?: readonly AdmissionregistrationV1alpha1Validation[];
  readonly failurePolicy?: string;
  readonly auditAnnotations?: readonly AdmissionregistrationV1alpha1AuditAnnotation[];
  readonly matchConditions?: readonly AdmissionregistrationV1MatchCondition[];
  readonly variables?: readonly AdmissionregistrationV1alpha1Variable[];
}

export interface AdmissionregistrationV1alpha1ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: string;
  readonly typeChecking?: AdmissionregistrationV1alpha1TypeChecking;
  readonly conditions?: readonly MetaV1Condition[];
}

export interface AdmissionregistrationV1alpha1Validation {
  readonly expression?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: string;
}

export interface AdmissionregistrationV1alpha1Variable {
  readonly name?: string;
  readonly expression?: string;
}

export interface AdmissionregistrationV1beta1ApplyConfiguration {
  readonly expression?: string;
}

export interface AdmissionregistrationV1beta1AuditAnnotation {
  readonly key?: string;
  readonly valueExpression?: string;
}

export interface AdmissionregistrationV1beta1ExpressionWarning {
  readonly fieldRef?: string;
  readonly warning?: string;
}

export interface AdmissionregistrationV1beta1JSONPatch {
  readonly expression?: string;
}

export interface AdmissionregistrationV1beta1MatchCondition {
  readonly name?: string;
  readonly expression?: string;
}

export interface AdmissionregistrationV1beta1MatchResources {
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly objectSelector?: MetaV1LabelSelector;
  readonly resourceRules?: readonly AdmissionregistrationV1beta1NamedRuleWithOperations[];
  readonly excludeResourceRules?: readonly AdmissionregistrationV1beta1NamedRuleWithOperations[];
  readonly matchPolicy?: string;
}

export interface AdmissionregistrationV1beta1MutatingAdmissionPolicy {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1beta1MutatingAdmissionPolicySpec;
}

export interface AdmissionregistrationV1beta1MutatingAdmissionPolicyBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1beta1MutatingAdmissionPolicyBindingSpec;
}

export interface AdmissionregistrationV1beta1MutatingAdmissionPolicyBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1beta1MutatingAdmissionPolicyBinding[];
}

export interface AdmissionregistrationV1beta1MutatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: AdmissionregistrationV1beta1ParamRef;
  readonly matchResources?: AdmissionregistrationV1beta1MatchResources;
}

export interface AdmissionregistrationV1beta1MutatingAdmissionPolicyList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1beta1MutatingAdmissionPolicy[];
}

export interface AdmissionregistrationV1beta1MutatingAdmissionPolicySpec {
  readonly paramKind?: AdmissionregistrationV1beta1ParamKind;
  readonly matchConstraints?: AdmissionregistrationV1beta1MatchResources;
  readonly variables?: readonly AdmissionregistrationV1beta1Variable[];
  readonly mutations?: readonly AdmissionregistrationV1beta1Mutation[];
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly AdmissionregistrationV1beta1MatchCondition[];
  readonly reinvocationPolicy?: string;
}

export interface AdmissionregistrationV1beta1MutatingWebhook {
  readonly name?: string;
  readonly clientConfig?: AdmissionregistrationV1beta1WebhookClientConfig;
  readonly rules?: readonly AdmissionregistrationV1RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly objectSelector?: MetaV1LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: string;
  readonly admissionReviewVersions?: readonly string[];
  readonly reinvocationPolicy?: string;
  readonly matchConditions?: readonly AdmissionregistrationV1beta1MatchCondition[];
}

export interface AdmissionregistrationV1beta1MutatingWebhookConfiguration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly webhooks?: readonly AdmissionregistrationV1beta1MutatingWebhook[];
}

export interface AdmissionregistrationV1beta1MutatingWebhookConfigurationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1beta1MutatingWebhookConfiguration[];
}

export interface AdmissionregistrationV1beta1Mutation {
  readonly patchType?: string;
  readonly applyConfiguration?: AdmissionregistrationV1beta1ApplyConfiguration;
  readonly jsonPatch?: AdmissionregistrationV1beta1JSONPatch;
}

export interface AdmissionregistrationV1beta1NamedRuleWithOperations {
  readonly resourceNames?: readonly string[];
  readonly operations?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
  readonly scope?: string;
}

export interface AdmissionregistrationV1beta1ParamKind {
  readonly apiVersion?: string;
  readonly kind?: string;
}

export interface AdmissionregistrationV1beta1ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly parameterNotFoundAction?: string;
}

export interface AdmissionregistrationV1beta1ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: string;
}

export interface AdmissionregistrationV1beta1TypeChecking {
  readonly expressionWarnings?: readonly AdmissionregistrationV1beta1ExpressionWarning[];
}

export interface AdmissionregistrationV1beta1ValidatingAdmissionPolicy {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1beta1ValidatingAdmissionPolicySpec;
  readonly status?: AdmissionregistrationV1beta1ValidatingAdmissionPolicyStatus;
}

export interface AdmissionregistrationV1beta1ValidatingAdmissionPolicyBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AdmissionregistrationV1beta1ValidatingAdmissionPolicyBindingSpec;
}

export interface AdmissionregistrationV1beta1ValidatingAdmissionPolicyBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1beta1ValidatingAdmissionPolicyBinding[];
}

export interface AdmissionregistrationV1beta1ValidatingAdmissionPolicyBindingSpec {
  readonly policyName?: string;
  readonly paramRef?: AdmissionregistrationV1beta1ParamRef;
  readonly matchResources?: AdmissionregistrationV1beta1MatchResources;
  readonly validationActions?: readonly string[];
}

export interface AdmissionregistrationV1beta1ValidatingAdmissionPolicyList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1beta1ValidatingAdmissionPolicy[];
}

export interface AdmissionregistrationV1beta1ValidatingAdmissionPolicySpec {
  readonly paramKind?: AdmissionregistrationV1beta1ParamKind;
  readonly matchConstraints?: AdmissionregistrationV1beta1MatchResources;
  readonly validations?: readonly AdmissionregistrationV1beta1Validation[];
  readonly failurePolicy?: string;
  readonly auditAnnotations?: readonly AdmissionregistrationV1beta1AuditAnnotation[];
  readonly matchConditions?: readonly AdmissionregistrationV1beta1MatchCondition[];
  readonly variables?: readonly AdmissionregistrationV1beta1Variable[];
}

export interface AdmissionregistrationV1beta1ValidatingAdmissionPolicyStatus {
  readonly observedGeneration?: string;
  readonly typeChecking?: AdmissionregistrationV1beta1TypeChecking;
  readonly conditions?: readonly MetaV1Condition[];
}

export interface AdmissionregistrationV1beta1ValidatingWebhook {
  readonly name?: string;
  readonly clientConfig?: AdmissionregistrationV1beta1WebhookClientConfig;
  readonly rules?: readonly AdmissionregistrationV1RuleWithOperations[];
  readonly failurePolicy?: string;
  readonly matchPolicy?: string;
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly objectSelector?: MetaV1LabelSelector;
  readonly sideEffects?: string;
  readonly timeoutSeconds?: string;
  readonly admissionReviewVersions?: readonly string[];
  readonly matchConditions?: readonly AdmissionregistrationV1beta1MatchCondition[];
}

export interface AdmissionregistrationV1beta1ValidatingWebhookConfiguration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly webhooks?: readonly AdmissionregistrationV1beta1ValidatingWebhook[];
}

export interface AdmissionregistrationV1beta1ValidatingWebhookConfigurationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AdmissionregistrationV1beta1ValidatingWebhookConfiguration[];
}

export interface AdmissionregistrationV1beta1Validation {
  readonly expression?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly messageExpression?: string;
}

export interface AdmissionregistrationV1beta1Variable {
  readonly name?: string;
  readonly expression?: string;
}

export interface AdmissionregistrationV1beta1WebhookClientConfig {
  readonly url?: string;
  readonly service?: AdmissionregistrationV1beta1ServiceReference;
  readonly caBundle?: string;
}

export interface ApidiscoveryV2APIGroupDiscovery {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly versions?: readonly ApidiscoveryV2APIVersionDiscovery[];
}

export interface ApidiscoveryV2APIGroupDiscoveryList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ApidiscoveryV2APIGroupDiscovery[];
}

export interface ApidiscoveryV2APIResourceDiscovery {
  readonly resource?: string;
  readonly responseKind?: MetaV1GroupVersionKind;
  readonly scope?: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly ApidiscoveryV2APISubresourceDiscovery[];
}

export interface ApidiscoveryV2APISubresourceDiscovery {
  readonly subresource?: string;
  readonly responseKind?: MetaV1GroupVersionKind;
  readonly acceptedTypes?: readonly MetaV1GroupVersionKind[];
  readonly verbs?: readonly string[];
}

export interface ApidiscoveryV2APIVersionDiscovery {
  readonly version?: string;
  readonly resources?: readonly ApidiscoveryV2APIResourceDiscovery[];
  readonly freshness?: string;
}

export interface ApidiscoveryV2beta1APIGroupDiscovery {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly versions?: readonly ApidiscoveryV2beta1APIVersionDiscovery[];
}

export interface ApidiscoveryV2beta1APIGroupDiscoveryList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ApidiscoveryV2beta1APIGroupDiscovery[];
}

export interface ApidiscoveryV2beta1APIResourceDiscovery {
  readonly resource?: string;
  readonly responseKind?: MetaV1GroupVersionKind;
  readonly scope?: string;
  readonly singularResource?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly ApidiscoveryV2beta1APISubresourceDiscovery[];
}

export interface ApidiscoveryV2beta1APISubresourceDiscovery {
  readonly subresource?: string;
  readonly responseKind?: MetaV1GroupVersionKind;
  readonly acceptedTypes?: readonly MetaV1GroupVersionKind[];
  readonly verbs?: readonly string[];
}

export interface ApidiscoveryV2beta1APIVersionDiscovery {
  readonly version?: string;
  readonly resources?: readonly ApidiscoveryV2beta1APIResourceDiscovery[];
  readonly freshness?: string;
}

export interface ApiextensionsV1ConversionRequest {
  readonly uid?: string;
  readonly desiredAPIVersion?: string;
  readonly objects?: readonly unknown[];
}

export interface ApiextensionsV1ConversionResponse {
  readonly uid?: string;
  readonly convertedObjects?: readonly unknown[];
  readonly result?: MetaV1Status;
}

export interface ApiextensionsV1ConversionReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly request?: ApiextensionsV1ConversionRequest;
  readonly response?: ApiextensionsV1ConversionResponse;
}

export interface ApiextensionsV1CustomResourceColumnDefinition {
  readonly name?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: string;
  readonly jsonPath?: string;
}

export interface ApiextensionsV1CustomResourceConversion {
  readonly strategy?: string;
  readonly webhook?: ApiextensionsV1WebhookConversion;
}

export interface ApiextensionsV1CustomResourceDefinition {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ApiextensionsV1CustomResourceDefinitionSpec;
  readonly status?: ApiextensionsV1CustomResourceDefinitionStatus;
}

export interface ApiextensionsV1CustomResourceDefinitionCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: string;
}

export interface ApiextensionsV1CustomResourceDefinitionList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ApiextensionsV1CustomResourceDefinition[];
}

export interface ApiextensionsV1CustomResourceDefinitionNames {
  readonly plural?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind?: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface ApiextensionsV1CustomResourceDefinitionSpec {
  readonly group?: string;
  readonly names?: ApiextensionsV1CustomResourceDefinitionNames;
  readonly scope?: string;
  readonly versions?: readonly ApiextensionsV1CustomResourceDefinitionVersion[];
  readonly conversion?: ApiextensionsV1CustomResourceConversion;
  readonly preserveUnknownFields?: string;
}

export interface ApiextensionsV1CustomResourceDefinitionStatus {
  readonly conditions?: readonly ApiextensionsV1CustomResourceDefinitionCondition[];
  readonly acceptedNames?: ApiextensionsV1CustomResourceDefinitionNames;
  readonly storedVersions?: readonly string[];
  readonly observedGeneration?: string;
}

export interface ApiextensionsV1CustomResourceDefinitionVersion {
  readonly name?: string;
  readonly served?: string;
  readonly storage?: string;
  readonly deprecated?: string;
  readonly deprecationWarning?: string;
  readonly schema?: ApiextensionsV1CustomResourceValidation;
  readonly subresources?: ApiextensionsV1CustomResourceSubresources;
  readonly additionalPrinterColumns?: readonly ApiextensionsV1CustomResourceColumnDefinition[];
  readonly selectableFields?: readonly ApiextensionsV1SelectableField[];
}

export interface ApiextensionsV1CustomResourceSubresourceScale {
  readonly specReplicasPath?: string;
  readonly statusReplicasPath?: string;
  readonly labelSelectorPath?: string;
}

export interface ApiextensionsV1CustomResourceSubresourceStatus {
}

export interface ApiextensionsV1CustomResourceSubresources {
  readonly status?: ApiextensionsV1CustomResourceSubresourceStatus;
  readonly scale?: ApiextensionsV1CustomResourceSubresourceScale;
}

export interface ApiextensionsV1CustomResourceValidation {
  readonly openAPIV3Schema?: ApiextensionsV1JSONSchemaProps;
}

export interface ApiextensionsV1ExternalDocumentation {
  readonly description?: string;
  readonly url?: string;
}

export interface ApiextensionsV1JSONSchemaProps {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: unknown;
  readonly maximum?: string;
  readonly exclusiveMaximum?: string;
  readonly minimum?: string;
  readonly exclusiveMinimum?: string;
  readonly maxLength?: string;
  readonly minLength?: string;
  readonly pattern?: string;
  readonly maxItems?: string;
  readonly minItems?: string;
  readonly uniqueItems?: string;
  readonly multipleOf?: string;
  readonly enum?: readonly unknown[];
  readonly maxProperties?: string;
  readonly minProperties?: string;
  readonly required?: readonly string[];
  readonly items?: unknown;
  readonly allOf?: readonly ApiextensionsV1JSONSchemaProps[];
  readonly oneOf?: readonly ApiextensionsV1JSONSchemaProps[];
  readonly anyOf?: readonly ApiextensionsV1JSONSchemaProps[];
  readonly not?: ApiextensionsV1JSONSchemaProps;
  readonly properties?: { readonly [key: string]: ApiextensionsV1JSONSchemaProps };
  readonly additionalProperties?: unknown;
  readonly patternProperties?: { readonly [key: string]: ApiextensionsV1JSONSchemaProps };
  readonly dependencies?: { readonly [key: string]: unknown };
  readonly additionalItems?: unknown;
  readonly definitions?: { readonly [key: string]: ApiextensionsV1JSONSchemaProps };
  readonly externalDocs?: ApiextensionsV1ExternalDocumentation;
  readonly example?: unknown;
  readonly nullable?: string;
  readonly "x-kubernetes-preserve-unknown-fields"?: string;
  readonly "x-kubernetes-embedded-resource"?: string;
  readonly "x-kubernetes-int-or-string"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-validations"?: readonly ApiextensionsV1ValidationRule[];
}

export interface ApiextensionsV1SelectableField {
  readonly jsonPath?: string;
}

export interface ApiextensionsV1ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly path?: string;
  readonly port?: string;
}

export interface ApiextensionsV1ValidationRule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: string;
}

export interface ApiextensionsV1WebhookClientConfig {
  readonly url?: string;
  readonly service?: ApiextensionsV1ServiceReference;
  readonly caBundle?: string;
}

export interface ApiextensionsV1WebhookConversion {
  readonly clientConfig?: ApiextensionsV1WebhookClientConfig;
  readonly conversionReviewVersions?: readonly string[];
}

export interface ApiregistrationV1APIService {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ApiregistrationV1APIServiceSpec;
  readonly status?: ApiregistrationV1APIServiceStatus;
}

export interface ApiregistrationV1APIServiceCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ApiregistrationV1APIServiceList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ApiregistrationV1APIService[];
}

export interface ApiregistrationV1APIServiceSpec {
  readonly service?: ApiregistrationV1ServiceReference;
  readonly group?: string;
  readonly version?: string;
  readonly insecureSkipTLSVerify?: string;
  readonly caBundle?: string;
  readonly groupPriorityMinimum?: string;
  readonly versionPriority?: string;
}

export interface ApiregistrationV1APIServiceStatus {
  readonly conditions?: readonly ApiregistrationV1APIServiceCondition[];
}

export interface ApiregistrationV1ServiceReference {
  readonly namespace?: string;
  readonly name?: string;
  readonly port?: string;
}

export interface ApiserverinternalV1alpha1ServerStorageVersion {
  readonly apiServerID?: string;
  readonly encodingVersion?: string;
  readonly decodableVersions?: readonly string[];
  readonly servedVersions?: readonly string[];
}

export interface ApiserverinternalV1alpha1StorageVersion {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ApiserverinternalV1alpha1StorageVersionSpec;
  readonly status?: ApiserverinternalV1alpha1StorageVersionStatus;
}

export interface ApiserverinternalV1alpha1StorageVersionCondition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ApiserverinternalV1alpha1StorageVersionList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ApiserverinternalV1alpha1StorageVersion[];
}

export interface ApiserverinternalV1alpha1StorageVersionSpec {
}

export interface ApiserverinternalV1alpha1StorageVersionStatus {
  readonly storageVersions?: readonly ApiserverinternalV1alpha1ServerStorageVersion[];
  readonly commonEncodingVersion?: string;
  readonly conditions?: readonly ApiserverinternalV1alpha1StorageVersionCondition[];
}

export interface AppsV1ControllerRevision {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly data?: unknown;
  readonly revision?: string;
}

export interface AppsV1ControllerRevisionList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1ControllerRevision[];
}

export interface AppsV1DaemonSet {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1DaemonSetSpec;
  readonly status?: AppsV1DaemonSetStatus;
}

export interface AppsV1DaemonSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1DaemonSetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1DaemonSet[];
}

export interface AppsV1DaemonSetSpec {
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly updateStrategy?: AppsV1DaemonSetUpdateStrategy;
  readonly minReadySeconds?: string;
  readonly revisionHistoryLimit?: string;
}

export interface AppsV1DaemonSetStatus {
  readonly currentNumberScheduled?: string;
  readonly numberMisscheduled?: string;
  readonly desiredNumberScheduled?: string;
  readonly numberReady?: string;
  readonly observedGeneration?: string;
  readonly updatedNumberScheduled?: string;
  readonly numberAvailable?: string;
  readonly numberUnavailable?: string;
  readonly collisionCount?: string;
  readonly conditions?: readonly AppsV1DaemonSetCondition[];
}

export interface AppsV1DaemonSetUpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: AppsV1RollingUpdateDaemonSet;
}

export interface AppsV1Deployment {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1DeploymentSpec;
  readonly status?: AppsV1DeploymentStatus;
}

export interface AppsV1DeploymentCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1DeploymentList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1Deployment[];
}

export interface AppsV1DeploymentSpec {
  readonly replicas?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly strategy?: AppsV1DeploymentStrategy;
  readonly minReadySeconds?: string;
  readonly revisionHistoryLimit?: string;
  readonly paused?: string;
  readonly progressDeadlineSeconds?: string;
}

export interface AppsV1DeploymentStatus {
  readonly observedGeneration?: string;
  readonly replicas?: string;
  readonly updatedReplicas?: string;
  readonly readyReplicas?: string;
  readonly availableReplicas?: string;
  readonly unavailableReplicas?: string;
  readonly terminatingReplicas?: string;
  readonly conditions?: readonly AppsV1DeploymentCondition[];
  readonly collisionCount?: string;
}

export interface AppsV1DeploymentStrategy {
  readonly type?: string;
  readonly rollingUpdate?: AppsV1RollingUpdateDeployment;
}

export interface AppsV1ReplicaSet {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1ReplicaSetSpec;
  readonly status?: AppsV1ReplicaSetStatus;
}

export interface AppsV1ReplicaSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1ReplicaSetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1ReplicaSet[];
}

export interface AppsV1ReplicaSetSpec {
  readonly replicas?: string;
  readonly minReadySeconds?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
}

export interface AppsV1ReplicaSetStatus {
  readonly replicas?: string;
  readonly fullyLabeledReplicas?: string;
  readonly readyReplicas?: string;
  readonly availableReplicas?: string;
  readonly terminatingReplicas?: string;
  readonly observedGeneration?: string;
  readonly conditions?: readonly AppsV1ReplicaSetCondition[];
}

export interface AppsV1RollingUpdateDaemonSet {
  readonly maxUnavailable?: string;
  readonly maxSurge?: string;
}

export interface AppsV1RollingUpdateDeployment {
  readonly maxUnavailable?: string;
  readonly maxSurge?: string;
}

export interface AppsV1RollingUpdateStatefulSetStrategy {
  readonly partition?: string;
  readonly maxUnavailable?: string;
}

export interface AppsV1StatefulSet {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1StatefulSetSpec;
  readonly status?: AppsV1StatefulSetStatus;
}

export interface AppsV1StatefulSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1StatefulSetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1StatefulSet[];
}

export interface AppsV1StatefulSetOrdinals {
  readonly start?: string;
}

export interface AppsV1StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

export interface AppsV1StatefulSetSpec {
  readonly replicas?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly CoreV1PersistentVolumeClaim[];
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly updateStrategy?: AppsV1StatefulSetUpdateStrategy;
  readonly revisionHistoryLimit?: string;
  readonly minReadySeconds?: string;
  readonly persistentVolumeClaimRetentionPolicy?: AppsV1StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly ordinals?: AppsV1StatefulSetOrdinals;
}

export interface AppsV1StatefulSetStatus {
  readonly observedGeneration?: string;
  readonly replicas?: string;
  readonly readyReplicas?: string;
  readonly currentReplicas?: string;
  readonly updatedReplicas?: string;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: string;
  readonly conditions?: readonly AppsV1StatefulSetCondition[];
  readonly availableReplicas?: string;
}

export interface AppsV1StatefulSetUpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: AppsV1RollingUpdateStatefulSetStrategy;
}

export interface AppsV1beta1ControllerRevision {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly data?: unknown;
  readonly revision?: string;
}

export interface AppsV1beta1ControllerRevisionList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1beta1ControllerRevision[];
}

export interface AppsV1beta1Deployment {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1beta1DeploymentSpec;
  readonly status?: AppsV1beta1DeploymentStatus;
}

export interface AppsV1beta1DeploymentCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1beta1DeploymentList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1beta1Deployment[];
}

export interface AppsV1beta1DeploymentRollback {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly updatedAnnotations?: { readonly [key: string]: string };
  readonly rollbackTo?: AppsV1beta1RollbackConfig;
}

export interface AppsV1beta1DeploymentSpec {
  readonly replicas?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly strategy?: AppsV1beta1DeploymentStrategy;
  readonly minReadySeconds?: string;
  readonly revisionHistoryLimit?: string;
  readonly paused?: string;
  readonly rollbackTo?: AppsV1beta1RollbackConfig;
  readonly progressDeadlineSeconds?: string;
}

export interface AppsV1beta1DeploymentStatus {
  readonly observedGeneration?: string;
  readonly replicas?: string;
  readonly updatedReplicas?: string;
  readonly readyReplicas?: string;
  readonly availableReplicas?: string;
  readonly unavailableReplicas?: string;
  readonly terminatingReplicas?: string;
  readonly conditions?: readonly AppsV1beta1DeploymentCondition[];
  readonly collisionCount?: string;
}

export interface AppsV1beta1DeploymentStrategy {
  readonly type?: string;
  readonly rollingUpdate?: AppsV1beta1RollingUpdateDeployment;
}

export interface AppsV1beta1RollbackConfig {
  readonly revision?: string;
}

export interface AppsV1beta1RollingUpdateDeployment {
  readonly maxUnavailable?: string;
  readonly maxSurge?: string;
}

export interface AppsV1beta1RollingUpdateStatefulSetStrategy {
  readonly partition?: string;
  readonly maxUnavailable?: string;
}

export interface AppsV1beta1Scale {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1beta1ScaleSpec;
  readonly status?: AppsV1beta1ScaleStatus;
}

export interface AppsV1beta1ScaleSpec {
  readonly replicas?: string;
}

export interface AppsV1beta1ScaleStatus {
  readonly replicas?: string;
  readonly selector?: { readonly [key: string]: string };
  readonly targetSelector?: string;
}

export interface AppsV1beta1StatefulSet {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1beta1StatefulSetSpec;
  readonly status?: AppsV1beta1StatefulSetStatus;
}

export interface AppsV1beta1StatefulSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1beta1StatefulSetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1beta1StatefulSet[];
}

export interface AppsV1beta1StatefulSetOrdinals {
  readonly start?: string;
}

export interface AppsV1beta1StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

export interface AppsV1beta1StatefulSetSpec {
  readonly replicas?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly CoreV1PersistentVolumeClaim[];
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly updateStrategy?: AppsV1beta1StatefulSetUpdateStrategy;
  readonly revisionHistoryLimit?: string;
  readonly minReadySeconds?: string;
  readonly persistentVolumeClaimRetentionPolicy?: AppsV1beta1StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly ordinals?: AppsV1beta1StatefulSetOrdinals;
}

export interface AppsV1beta1StatefulSetStatus {
  readonly observedGeneration?: string;
  readonly replicas?: string;
  readonly readyReplicas?: string;
  readonly currentReplicas?: string;
  readonly updatedReplicas?: string;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: string;
  readonly conditions?: readonly AppsV1beta1StatefulSetCondition[];
  readonly availableReplicas?: string;
}

export interface AppsV1beta1StatefulSetUpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: AppsV1beta1RollingUpdateStatefulSetStrategy;
}

export interface AppsV1beta2ControllerRevision {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly data?: unknown;
  readonly revision?: string;
}

export interface AppsV1beta2ControllerRevisionList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1beta2ControllerRevision[];
}

export interface AppsV1beta2DaemonSet {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1beta2DaemonSetSpec;
  readonly status?: AppsV1beta2DaemonSetStatus;
}

export interface AppsV1beta2DaemonSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1beta2DaemonSetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1beta2DaemonSet[];
}

export interface AppsV1beta2DaemonSetSpec {
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly updateStrategy?: AppsV1beta2DaemonSetUpdateStrategy;
  readonly minReadySeconds?: string;
  readonly revisionHistoryLimit?: string;
}

export interface AppsV1beta2DaemonSetStatus {
  readonly currentNumberScheduled?: string;
  readonly numberMisscheduled?: string;
  readonly desiredNumberScheduled?: string;
  readonly numberReady?: string;
  readonly observedGeneration?: string;
  readonly updatedNumberScheduled?: string;
  readonly numberAvailable?: string;
  readonly numberUnavailable?: string;
  readonly collisionCount?: string;
  readonly conditions?: readonly AppsV1beta2DaemonSetCondition[];
}

export interface AppsV1beta2DaemonSetUpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: AppsV1beta2RollingUpdateDaemonSet;
}

export interface AppsV1beta2Deployment {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1beta2DeploymentSpec;
  readonly status?: AppsV1beta2DeploymentStatus;
}

export interface AppsV1beta2DeploymentCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1beta2DeploymentList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1beta2Deployment[];
}

export interface AppsV1beta2DeploymentSpec {
  readonly replicas?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly strategy?: AppsV1beta2DeploymentStrategy;
  readonly minReadySeconds?: string;
  readonly revisionHistoryLimit?: string;
  readonly paused?: string;
  readonly progressDeadlineSeconds?: string;
}

export interface AppsV1beta2DeploymentStatus {
  readonly observedGeneration?: string;
  readonly replicas?: string;
  readonly updatedReplicas?: string;
  readonly readyReplicas?: string;
  readonly availableReplicas?: string;
  readonly unavailableReplicas?: string;
  readonly terminatingReplicas?: string;
  readonly conditions?: readonly AppsV1beta2DeploymentCondition[];
  readonly collisionCount?: string;
}

export interface AppsV1beta2DeploymentStrategy {
  readonly type?: string;
  readonly rollingUpdate?: AppsV1beta2RollingUpdateDeployment;
}

export interface AppsV1beta2ReplicaSet {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1beta2ReplicaSetSpec;
  readonly status?: AppsV1beta2ReplicaSetStatus;
}

export interface AppsV1beta2ReplicaSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1beta2ReplicaSetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1beta2ReplicaSet[];
}

export interface AppsV1beta2ReplicaSetSpec {
  readonly replicas?: string;
  readonly minReadySeconds?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
}

export interface AppsV1beta2ReplicaSetStatus {
  readonly replicas?: string;
  readonly fullyLabeledReplicas?: string;
  readonly readyReplicas?: string;
  readonly availableReplicas?: string;
  readonly terminatingReplicas?: string;
  readonly observedGeneration?: string;
  readonly conditions?: readonly AppsV1beta2ReplicaSetCondition[];
}

export interface AppsV1beta2RollingUpdateDaemonSet {
  readonly maxUnavailable?: string;
  readonly maxSurge?: string;
}

export interface AppsV1beta2RollingUpdateDeployment {
  readonly maxUnavailable?: string;
  readonly maxSurge?: string;
}

export interface AppsV1beta2RollingUpdateStatefulSetStrategy {
  readonly partition?: string;
  readonly maxUnavailable?: string;
}

export interface AppsV1beta2Scale {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1beta2ScaleSpec;
  readonly status?: AppsV1beta2ScaleStatus;
}

export interface AppsV1beta2ScaleSpec {
  readonly replicas?: string;
}

export interface AppsV1beta2ScaleStatus {
  readonly replicas?: string;
  readonly selector?: { readonly [key: string]: string };
  readonly targetSelector?: string;
}

export interface AppsV1beta2StatefulSet {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AppsV1beta2StatefulSetSpec;
  readonly status?: AppsV1beta2StatefulSetStatus;
}

export interface AppsV1beta2StatefulSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface AppsV1beta2StatefulSetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AppsV1beta2StatefulSet[];
}

export interface AppsV1beta2StatefulSetOrdinals {
  readonly start?: string;
}

export interface AppsV1beta2StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string;
  readonly whenScaled?: string;
}

export interface AppsV1beta2StatefulSetSpec {
  readonly replicas?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly volumeClaimTemplates?: readonly CoreV1PersistentVolumeClaim[];
  readonly serviceName?: string;
  readonly podManagementPolicy?: string;
  readonly updateStrategy?: AppsV1beta2StatefulSetUpdateStrategy;
  readonly revisionHistoryLimit?: string;
  readonly minReadySeconds?: string;
  readonly persistentVolumeClaimRetentionPolicy?: AppsV1beta2StatefulSetPersistentVolumeClaimRetentionPolicy;
  readonly ordinals?: AppsV1beta2StatefulSetOrdinals;
}

export interface AppsV1beta2StatefulSetStatus {
  readonly observedGeneration?: string;
  readonly replicas?: string;
  readonly readyReplicas?: string;
  readonly currentReplicas?: string;
  readonly updatedReplicas?: string;
  readonly currentRevision?: string;
  readonly updateRevision?: string;
  readonly collisionCount?: string;
  readonly conditions?: readonly AppsV1beta2StatefulSetCondition[];
  readonly availableReplicas?: string;
}

export interface AppsV1beta2StatefulSetUpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: AppsV1beta2RollingUpdateStatefulSetStrategy;
}

export interface AuthenticationV1BoundObjectReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface AuthenticationV1SelfSubjectReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly status?: AuthenticationV1SelfSubjectReviewStatus;
}

export interface AuthenticationV1SelfSubjectReviewStatus {
  readonly userInfo?: AuthenticationV1UserInfo;
}

export interface AuthenticationV1TokenRequest {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthenticationV1TokenRequestSpec;
  readonly status?: AuthenticationV1TokenRequestStatus;
}

export interface AuthenticationV1TokenRequestSpec {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: string;
  readonly boundObjectRef?: AuthenticationV1BoundObjectReference;
  readonly attestations?: { readonly [key: string]: readonly string[] };
}

export interface AuthenticationV1TokenRequestStatus {
  readonly token?: string;
  readonly expirationTimestamp?: string;
}

export interface AuthenticationV1TokenReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthenticationV1TokenReviewSpec;
  readonly status?: AuthenticationV1TokenReviewStatus;
}

export interface AuthenticationV1TokenReviewSpec {
  readonly token?: string;
  readonly audiences?: readonly string[];
}

export interface AuthenticationV1TokenReviewStatus {
  readonly authenticated?: string;
  readonly user?: AuthenticationV1UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

export interface AuthenticationV1UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

export interface AuthenticationV1alpha1SelfSubjectReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly status?: AuthenticationV1alpha1SelfSubjectReviewStatus;
}

export interface AuthenticationV1alpha1SelfSubjectReviewStatus {
  readonly userInfo?: AuthenticationV1UserInfo;
}

export interface AuthenticationV1beta1SelfSubjectReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly status?: AuthenticationV1beta1SelfSubjectReviewStatus;
}

export interface AuthenticationV1beta1SelfSubjectReviewStatus {
  readonly userInfo?: AuthenticationV1UserInfo;
}

export interface AuthenticationV1beta1TokenReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthenticationV1beta1TokenReviewSpec;
  readonly status?: AuthenticationV1beta1TokenReviewStatus;
}

export interface AuthenticationV1beta1TokenReviewSpec {
  readonly token?: string;
  readonly audiences?: readonly string[];
}

export interface AuthenticationV1beta1TokenReviewStatus {
  readonly authenticated?: string;
  readonly user?: AuthenticationV1beta1UserInfo;
  readonly audiences?: readonly string[];
  readonly error?: string;
}

export interface AuthenticationV1beta1UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

export interface AuthorizationV1FieldSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly MetaV1FieldSelectorRequirement[];
}

export interface AuthorizationV1LabelSelectorAttributes {
  readonly rawSelector?: string;
  readonly requirements?: readonly MetaV1LabelSelectorRequirement[];
}

export interface AuthorizationV1LocalSubjectAccessReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthorizationV1SubjectAccessReviewSpec;
  readonly status?: AuthorizationV1SubjectAccessReviewStatus;
}

export interface AuthorizationV1NonResourceAttributes {
  readonly path?: string;
  readonly verb?: string;
}

export interface AuthorizationV1NonResourceRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface AuthorizationV1ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: AuthorizationV1FieldSelectorAttributes;
  readonly labelSelector?: AuthorizationV1LabelSelectorAttributes;
}

export interface AuthorizationV1ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface AuthorizationV1SelfSubjectAccessReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthorizationV1SelfSubjectAccessReviewSpec;
  readonly status?: AuthorizationV1SubjectAccessReviewStatus;
}

export interface AuthorizationV1SelfSubjectAccessReviewSpec {
  readonly resourceAttributes?: AuthorizationV1ResourceAttributes;
  readonly nonResourceAttributes?: AuthorizationV1NonResourceAttributes;
}

export interface AuthorizationV1SelfSubjectRulesReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthorizationV1SelfSubjectRulesReviewSpec;
  readonly status?: AuthorizationV1SubjectRulesReviewStatus;
}

export interface AuthorizationV1SelfSubjectRulesReviewSpec {
  readonly namespace?: string;
}

export interface AuthorizationV1SubjectAccessReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthorizationV1SubjectAccessReviewSpec;
  readonly status?: AuthorizationV1SubjectAccessReviewStatus;
}

export interface AuthorizationV1SubjectAccessReviewSpec {
  readonly resourceAttributes?: AuthorizationV1ResourceAttributes;
  readonly nonResourceAttributes?: AuthorizationV1NonResourceAttributes;
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly uid?: string;
}

export interface AuthorizationV1SubjectAccessReviewStatus {
  readonly allowed?: string;
  readonly denied?: string;
  readonly reason?: string;
  readonly evaluationError?: string;
}

export interface AuthorizationV1SubjectRulesReviewStatus {
  readonly resourceRules?: readonly AuthorizationV1ResourceRule[];
  readonly nonResourceRules?: readonly AuthorizationV1NonResourceRule[];
  readonly incomplete?: string;
  readonly evaluationError?: string;
}

export interface AuthorizationV1beta1LocalSubjectAccessReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthorizationV1beta1SubjectAccessReviewSpec;
  readonly status?: AuthorizationV1beta1SubjectAccessReviewStatus;
}

export interface AuthorizationV1beta1NonResourceAttributes {
  readonly path?: string;
  readonly verb?: string;
}

export interface AuthorizationV1beta1NonResourceRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface AuthorizationV1beta1ResourceAttributes {
  readonly namespace?: string;
  readonly verb?: string;
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly name?: string;
  readonly fieldSelector?: AuthorizationV1FieldSelectorAttributes;
  readonly labelSelector?: AuthorizationV1LabelSelectorAttributes;
}

export interface AuthorizationV1beta1ResourceRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

export interface AuthorizationV1beta1SelfSubjectAccessReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthorizationV1beta1SelfSubjectAccessReviewSpec;
  readonly status?: AuthorizationV1beta1SubjectAccessReviewStatus;
}

export interface AuthorizationV1beta1SelfSubjectAccessReviewSpec {
  readonly resourceAttributes?: AuthorizationV1beta1ResourceAttributes;
  readonly nonResourceAttributes?: AuthorizationV1beta1NonResourceAttributes;
}

export interface AuthorizationV1beta1SelfSubjectRulesReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthorizationV1beta1SelfSubjectRulesReviewSpec;
  readonly status?: AuthorizationV1beta1SubjectRulesReviewStatus;
}

export interface AuthorizationV1beta1SelfSubjectRulesReviewSpec {
  readonly namespace?: string;
}

export interface AuthorizationV1beta1SubjectAccessReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AuthorizationV1beta1SubjectAccessReviewSpec;
  readonly status?: AuthorizationV1beta1SubjectAccessReviewStatus;
}

export interface AuthorizationV1beta1SubjectAccessReviewSpec {
  readonly resourceAttributes?: AuthorizationV1beta1ResourceAttributes;
  readonly nonResourceAttributes?: AuthorizationV1beta1NonResourceAttributes;
  readonly user?: string;
  readonly group?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
  readonly uid?: string;
}

export interface AuthorizationV1beta1SubjectAccessReviewStatus {
  readonly allowed?: string;
  readonly denied?: string;
  readonly reason?: string;
  readonly evaluationError?: string;
}

export interface AuthorizationV1beta1SubjectRulesReviewStatus {
  readonly resourceRules?: readonly AuthorizationV1beta1ResourceRule[];
  readonly nonResourceRules?: readonly AuthorizationV1beta1NonResourceRule[];
  readonly incomplete?: string;
  readonly evaluationError?: string;
}

export interface AutoscalingV1CrossVersionObjectReference {
  readonly kind?: string;
  readonly name?: string;
  readonly apiVersion?: string;
}

export interface AutoscalingV1HorizontalPodAutoscaler {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AutoscalingV1HorizontalPodAutoscalerSpec;
  readonly status?: AutoscalingV1HorizontalPodAutoscalerStatus;
}

export interface AutoscalingV1HorizontalPodAutoscalerList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AutoscalingV1HorizontalPodAutoscaler[];
}

export interface AutoscalingV1HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef?: AutoscalingV1CrossVersionObjectReference;
  readonly minReplicas?: string;
  readonly maxReplicas?: string;
  readonly targetCPUUtilizationPercentage?: string;
}

export interface AutoscalingV1HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: string;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: string;
  readonly desiredReplicas?: string;
  readonly currentCPUUtilizationPercentage?: string;
}

export interface AutoscalingV1Scale {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AutoscalingV1ScaleSpec;
  readonly status?: AutoscalingV1ScaleStatus;
}

export interface AutoscalingV1ScaleSpec {
  readonly replicas?: string;
}

export interface AutoscalingV1ScaleStatus {
  readonly replicas?: string;
  readonly selector?: string;
}

export interface AutoscalingV2ContainerResourceMetricSource {
  readonly name?: string;
  readonly target?: AutoscalingV2MetricTarget;
  readonly container?: string;
}

export interface AutoscalingV2ContainerResourceMetricStatus {
  readonly name?: string;
  readonly current?: AutoscalingV2MetricValueStatus;
  readonly container?: string;
}

export interface AutoscalingV2CrossVersionObjectReference {
  readonly kind?: string;
  readonly name?: string;
  readonly apiVersion?: string;
}

export interface AutoscalingV2ExternalMetricSource {
  readonly metric?: AutoscalingV2MetricIdentifier;
  readonly target?: AutoscalingV2MetricTarget;
}

export interface AutoscalingV2ExternalMetricStatus {
  readonly metric?: AutoscalingV2MetricIdentifier;
  readonly current?: AutoscalingV2MetricValueStatus;
}

export interface AutoscalingV2HPAScalingPolicy {
  readonly type?: string;
  readonly value?: string;
  readonly periodSeconds?: string;
}

export interface AutoscalingV2HPAScalingRules {
  readonly stabilizationWindowSeconds?: string;
  readonly selectPolicy?: string;
  readonly policies?: readonly AutoscalingV2HPAScalingPolicy[];
  readonly tolerance?: string;
}

export interface AutoscalingV2HorizontalPodAutoscaler {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: AutoscalingV2HorizontalPodAutoscalerSpec;
  readonly status?: AutoscalingV2HorizontalPodAutoscalerStatus;
}

export interface AutoscalingV2HorizontalPodAutoscalerBehavior {
  readonly scaleUp?: AutoscalingV2HPAScalingRules;
  readonly scaleDown?: AutoscalingV2HPAScalingRules;
}

export interface AutoscalingV2HorizontalPodAutoscalerCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: string;
}

export interface AutoscalingV2HorizontalPodAutoscalerList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly AutoscalingV2HorizontalPodAutoscaler[];
}

export interface AutoscalingV2HorizontalPodAutoscalerSpec {
  readonly scaleTargetRef?: AutoscalingV2CrossVersionObjectReference;
  readonly minReplicas?: string;
  readonly maxReplicas?: string;
  readonly metrics?: readonly AutoscalingV2MetricSpec[];
  readonly behavior?: AutoscalingV2HorizontalPodAutoscalerBehavior;
}

export interface AutoscalingV2HorizontalPodAutoscalerStatus {
  readonly observedGeneration?: string;
  readonly lastScaleTime?: string;
  readonly currentReplicas?: string;
  readonly desiredReplicas?: string;
  readonly currentMetrics?: readonly AutoscalingV2MetricStatus[];
  readonly conditions?: readonly AutoscalingV2HorizontalPodAutoscalerCondition[];
}

export interface AutoscalingV2MetricIdentifier {
  readonly name?: string;
  readonly selector?: MetaV1LabelSelector;
}

export interface AutoscalingV2MetricSpec {
  readonly type?: string;
  readonly object?: AutoscalingV2ObjectMetricSource;
  readonly pods?: AutoscalingV2PodsMetricSource;
  readonly resource?: AutoscalingV2ResourceMetricSource;
  readonly containerResource?: AutoscalingV2ContainerResourceMetricSource;
  readonly external?: AutoscalingV2ExternalMetricSource;
}

export interface AutoscalingV2MetricStatus {
  readonly type?: string;
  readonly object?: AutoscalingV2ObjectMetricStatus;
  readonly pods?: AutoscalingV2PodsMetricStatus;
  readonly resource?: AutoscalingV2ResourceMetricStatus;
  readonly containerResource?: AutoscalingV2ContainerResourceMetricStatus;
  readonly external?: AutoscalingV2ExternalMetricStatus;
}

export interface AutoscalingV2MetricTarget {
  readonly type?: string;
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: string;
}

export interface AutoscalingV2MetricValueStatus {
  readonly value?: string;
  readonly averageValue?: string;
  readonly averageUtilization?: string;
}

export interface AutoscalingV2ObjectMetricSource {
  readonly describedObject?: AutoscalingV2CrossVersionObjectReference;
  readonly target?: AutoscalingV2MetricTarget;
  readonly metric?: AutoscalingV2MetricIdentifier;
}

export interface AutoscalingV2ObjectMetricStatus {
  readonly metric?: AutoscalingV2MetricIdentifier;
  readonly current?: AutoscalingV2MetricValueStatus;
  readonly describedObject?: AutoscalingV2CrossVersionObjectReference;
}

export interface AutoscalingV2PodsMetricSource {
  readonly metric?: AutoscalingV2MetricIdentifier;
  readonly target?: AutoscalingV2MetricTarget;
}

export interface AutoscalingV2PodsMetricStatus {
  readonly metric?: AutoscalingV2MetricIdentifier;
  readonly current?: AutoscalingV2MetricValueStatus;
}

export interface AutoscalingV2ResourceMetricSource {
  readonly name?: string;
  readonly target?: AutoscalingV2MetricTarget;
}

export interface AutoscalingV2ResourceMetricStatus {
  readonly name?: string;
  readonly current?: AutoscalingV2MetricValueStatus;
}

export interface BatchV1CronJob {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: BatchV1CronJobSpec;
  readonly status?: BatchV1CronJobStatus;
}

export interface BatchV1CronJobList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly BatchV1CronJob[];
}

export interface BatchV1CronJobSpec {
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly startingDeadlineSeconds?: string;
  readonly concurrencyPolicy?: string;
  readonly suspend?: string;
  readonly jobTemplate?: BatchV1JobTemplateSpec;
  readonly successfulJobsHistoryLimit?: string;
  readonly failedJobsHistoryLimit?: string;
}

export interface BatchV1CronJobStatus {
  readonly active?: readonly CoreV1ObjectReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

export interface BatchV1Job {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: BatchV1JobSpec;
  readonly status?: BatchV1JobStatus;
}

export interface BatchV1JobCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface BatchV1JobList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly BatchV1Job[];
}

export interface BatchV1JobSchedulingConfiguration {
  readonly schedulingPolicy?: SchedulingV1alpha3WorkloadPodGroupSchedulingPolicy;
  readonly schedulingConstraints?: SchedulingV1alpha3WorkloadPodGroupSchedulingConstraints;
  readonly disruptionMode?: SchedulingV1alpha3WorkloadPodGroupDisruptionMode;
  readonly resourceClaims?: readonly SchedulingV1alpha3WorkloadPodGroupResourceClaim[];
}

export interface BatchV1JobSpec {
  readonly parallelism?: string;
  readonly completions?: string;
  readonly activeDeadlineSeconds?: string;
  readonly podFailurePolicy?: BatchV1PodFailurePolicy;
  readonly successPolicy?: BatchV1SuccessPolicy;
  readonly backoffLimit?: string;
  readonly backoffLimitPerIndex?: string;
  readonly maxFailedIndexes?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly manualSelector?: string;
  readonly template?: CoreV1PodTemplateSpec;
  readonly ttlSecondsAfterFinished?: string;
  readonly completionMode?: string;
  readonly suspend?: string;
  readonly podReplacementPolicy?: string;
  readonly managedBy?: string;
  readonly scheduling?: BatchV1JobSchedulingConfiguration;
}

export interface BatchV1JobStatus {
  readonly conditions?: readonly BatchV1JobCondition[];
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly active?: string;
  readonly succeeded?: string;
  readonly failed?: string;
  readonly terminating?: string;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: BatchV1UncountedTerminatedPods;
  readonly ready?: string;
}

export interface BatchV1JobTemplateSpec {
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: BatchV1JobSpec;
}

export interface BatchV1PodFailurePolicy {
  readonly rules?: readonly BatchV1PodFailurePolicyRule[];
}

export interface BatchV1PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface BatchV1PodFailurePolicyOnPodConditionsPattern {
  readonly type?: string;
  readonly status?: string;
}

export interface BatchV1PodFailurePolicyRule {
  readonly action?: string;
  readonly onExitCodes?: BatchV1PodFailurePolicyOnExitCodesRequirement;
  readonly onPodConditions?: readonly BatchV1PodFailurePolicyOnPodConditionsPattern[];
}

export interface BatchV1SuccessPolicy {
  readonly rules?: readonly BatchV1SuccessPolicyRule[];
}

export interface BatchV1SuccessPolicyRule {
  readonly succeededIndexes?: string;
  readonly succeededCount?: string;
}

export interface BatchV1UncountedTerminatedPods {
  readonly succeeded?: readonly string[];
  readonly failed?: readonly string[];
}

export interface BatchV1beta1CronJob {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: BatchV1beta1CronJobSpec;
  readonly status?: BatchV1beta1CronJobStatus;
}

export interface BatchV1beta1CronJobList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly BatchV1beta1CronJob[];
}

export interface BatchV1beta1CronJobSpec {
  readonly schedule?: string;
  readonly timeZone?: string;
  readonly startingDeadlineSeconds?: string;
  readonly concurrencyPolicy?: string;
  readonly suspend?: string;
  readonly jobTemplate?: BatchV1beta1JobTemplateSpec;
  readonly successfulJobsHistoryLimit?: string;
  readonly failedJobsHistoryLimit?: string;
}

export interface BatchV1beta1CronJobStatus {
  readonly active?: readonly CoreV1ObjectReference[];
  readonly lastScheduleTime?: string;
  readonly lastSuccessfulTime?: string;
}

export interface BatchV1beta1JobTemplateSpec {
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: BatchV1JobSpec;
}

export interface CertificatesV1CertificateSigningRequest {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CertificatesV1CertificateSigningRequestSpec;
  readonly status?: CertificatesV1CertificateSigningRequestStatus;
}

export interface CertificatesV1CertificateSigningRequestCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface CertificatesV1CertificateSigningRequestList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CertificatesV1CertificateSigningRequest[];
}

export interface CertificatesV1CertificateSigningRequestSpec {
  readonly request?: string;
  readonly signerName?: string;
  readonly expirationSeconds?: string;
  readonly usages?: readonly string[];
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

export interface CertificatesV1CertificateSigningRequestStatus {
  readonly conditions?: readonly CertificatesV1CertificateSigningRequestCondition[];
  readonly certificate?: string;
}

export interface CertificatesV1ClusterTrustBundle {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CertificatesV1ClusterTrustBundleSpec;
}

export interface CertificatesV1ClusterTrustBundleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CertificatesV1ClusterTrustBundle[];
}

export interface CertificatesV1ClusterTrustBundleSpec {
  readonly signerName?: string;
  readonly trustBundle?: string;
}

export interface CertificatesV1PodCertificateRequest {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CertificatesV1PodCertificateRequestSpec;
  readonly status?: CertificatesV1PodCertificateRequestStatus;
}

export interface CertificatesV1PodCertificateRequestList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CertificatesV1PodCertificateRequest[];
}

export interface CertificatesV1PodCertificateRequestSpec {
  readonly signerName?: string;
  readonly podName?: string;
  readonly podUID?: string;
  readonly serviceAccountName?: string;
  readonly serviceAccountUID?: string;
  readonly nodeName?: string;
  readonly nodeUID?: string;
  readonly maxExpirationSeconds?: string;
  readonly stubPKCS10Request?: string;
  readonly unverifiedUserAnnotations?: { readonly [key: string]: string };
}

export interface CertificatesV1PodCertificateRequestStatus {
  readonly conditions?: readonly MetaV1Condition[];
  readonly certificateChain?: string;
  readonly notBefore?: string;
  readonly beginRefreshAt?: string;
  readonly notAfter?: string;
}

export interface CertificatesV1alpha1ClusterTrustBundle {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CertificatesV1alpha1ClusterTrustBundleSpec;
}

export interface CertificatesV1alpha1ClusterTrustBundleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CertificatesV1alpha1ClusterTrustBundle[];
}

export interface CertificatesV1alpha1ClusterTrustBundleSpec {
  readonly signerName?: string;
  readonly trustBundle?: string;
}

export interface CertificatesV1beta1CertificateSigningRequest {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CertificatesV1beta1CertificateSigningRequestSpec;
  readonly status?: CertificatesV1beta1CertificateSigningRequestStatus;
}

export interface CertificatesV1beta1CertificateSigningRequestCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
}

export interface CertificatesV1beta1CertificateSigningRequestList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CertificatesV1beta1CertificateSigningRequest[];
}

export interface CertificatesV1beta1CertificateSigningRequestSpec {
  readonly request?: string;
  readonly signerName?: string;
  readonly expirationSeconds?: string;
  readonly usages?: readonly string[];
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: { readonly [key: string]: readonly string[] };
}

export interface CertificatesV1beta1CertificateSigningRequestStatus {
  readonly conditions?: readonly CertificatesV1beta1CertificateSigningRequestCondition[];
  readonly certificate?: string;
}

export interface CertificatesV1beta1ClusterTrustBundle {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CertificatesV1beta1ClusterTrustBundleSpec;
}

export interface CertificatesV1beta1ClusterTrustBundleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CertificatesV1beta1ClusterTrustBundle[];
}

export interface CertificatesV1beta1ClusterTrustBundleSpec {
  readonly signerName?: string;
  readonly trustBundle?: string;
}

export interface CertificatesV1beta1PodCertificateRequest {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CertificatesV1beta1PodCertificateRequestSpec;
  readonly status?: CertificatesV1beta1PodCertificateRequestStatus;
}

export interface CertificatesV1beta1PodCertificateRequestList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CertificatesV1beta1PodCertificateRequest[];
}

export interface CertificatesV1beta1PodCertificateRequestSpec {
  readonly signerName?: string;
  readonly podName?: string;
  readonly podUID?: string;
  readonly serviceAccountName?: string;
  readonly serviceAccountUID?: string;
  readonly nodeName?: string;
  readonly nodeUID?: string;
  readonly maxExpirationSeconds?: string;
  readonly pkixPublicKey?: string;
  readonly proofOfPossession?: string;
  readonly stubPKCS10Request?: string;
  readonly unverifiedUserAnnotations?: { readonly [key: string]: string };
}

export interface CertificatesV1beta1PodCertificateRequestStatus {
  readonly conditions?: readonly MetaV1Condition[];
  readonly certificateChain?: string;
  readonly notBefore?: string;
  readonly beginRefreshAt?: string;
  readonly notAfter?: string;
}

export interface CoordinationV1Lease {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoordinationV1LeaseSpec;
}

export interface CoordinationV1LeaseList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoordinationV1Lease[];
}

export interface CoordinationV1LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: string;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: string;
  readonly strategy?: string;
  readonly preferredHolder?: string;
}

export interface CoordinationV1alpha2LeaseCandidate {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoordinationV1alpha2LeaseCandidateSpec;
}

export interface CoordinationV1alpha2LeaseCandidateList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoordinationV1alpha2LeaseCandidate[];
}

export interface CoordinationV1alpha2LeaseCandidateSpec {
  readonly leaseName?: string;
  readonly pingTime?: string;
  readonly renewTime?: string;
  readonly binaryVersion?: string;
  readonly emulationVersion?: string;
  readonly strategy?: string;
}

export interface CoordinationV1beta1Lease {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoordinationV1beta1LeaseSpec;
}

export interface CoordinationV1beta1LeaseCandidate {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoordinationV1beta1LeaseCandidateSpec;
}

export interface CoordinationV1beta1LeaseCandidateList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoordinationV1beta1LeaseCandidate[];
}

export interface CoordinationV1beta1LeaseCandidateSpec {
  readonly leaseName?: string;
  readonly pingTime?: string;
  readonly renewTime?: string;
  readonly binaryVersion?: string;
  readonly emulationVersion?: string;
  readonly strategy?: string;
}

export interface CoordinationV1beta1LeaseList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoordinationV1beta1Lease[];
}

export interface CoordinationV1beta1LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: string;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: string;
  readonly strategy?: string;
  readonly preferredHolder?: string;
}

export interface CoreV1AWSElasticBlockStoreVolumeSource {
  readonly volumeID?: string;
  readonly fsType?: string;
  readonly partition?: string;
  readonly readOnly?: string;
}

export interface CoreV1Affinity {
  readonly nodeAffinity?: CoreV1NodeAffinity;
  readonly podAffinity?: CoreV1PodAffinity;
  readonly podAntiAffinity?: CoreV1PodAntiAffinity;
}

export interface CoreV1AppArmorProfile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

export interface CoreV1AttachedVolume {
  readonly name?: string;
  readonly devicePath?: string;
}

export interface CoreV1AzureDiskVolumeSource {
  readonly diskName?: string;
  readonly diskURI?: string;
  readonly cachingMode?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
  readonly kind?: string;
}

export interface CoreV1AzureFilePersistentVolumeSource {
  readonly secretName?: string;
  readonly shareName?: string;
  readonly readOnly?: string;
  readonly secretNamespace?: string;
}

export interface CoreV1AzureFileVolumeSource {
  readonly secretName?: string;
  readonly shareName?: string;
  readonly readOnly?: string;
}

export interface CoreV1Binding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly target?: CoreV1ObjectReference;
}

export interface CoreV1CSIPersistentVolumeSource {
  readonly driver?: string;
  readonly volumeHandle?: string;
  readonly readOnly?: string;
  readonly fsType?: string;
  readonly volumeAttributes?: { readonly [key: string]: string };
  readonly controllerPublishSecretRef?: CoreV1SecretReference;
  readonly nodeStageSecretRef?: CoreV1SecretReference;
  readonly nodePublishSecretRef?: CoreV1SecretReference;
  readonly controllerExpandSecretRef?: CoreV1SecretReference;
  readonly nodeExpandSecretRef?: CoreV1SecretReference;
}

export interface CoreV1CSIVolumeSource {
  readonly driver?: string;
  readonly readOnly?: string;
  readonly fsType?: string;
  readonly volumeAttributes?: { readonly [key: string]: string };
  readonly nodePublishSecretRef?: CoreV1LocalObjectReference;
}

export interface CoreV1Capabilities {
  readonly add?: readonly string[];
  readonly drop?: readonly string[];
}

export interface CoreV1CephFSPersistentVolumeSource {
  readonly monitors?: readonly string[];
  readonly path?: string;
  readonly user?: string;
  readonly secretFile?: string;
  readonly secretRef?: CoreV1SecretReference;
  readonly readOnly?: string;
}

export interface CoreV1CephFSVolumeSource {
  readonly monitors?: readonly string[];
  readonly path?: string;
  readonly user?: string;
  readonly secretFile?: string;
  readonly secretRef?: CoreV1LocalObjectReference;
  readonly readOnly?: string;
}

export interface CoreV1CinderPersistentVolumeSource {
  readonly volumeID?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
  readonly secretRef?: CoreV1SecretReference;
}

export interface CoreV1CinderVolumeSource {
  readonly volumeID?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
  readonly secretRef?: CoreV1LocalObjectReference;
}

export interface CoreV1ClientIPConfig {
  readonly timeoutSeconds?: string;
}

export interface CoreV1ClusterTrustBundleProjection {
  readonly name?: string;
  readonly signerName?: string;
  readonly labelSelector?: MetaV1LabelSelector;
  readonly optional?: string;
  readonly path?: string;
  readonly user?: string;
}

export interface CoreV1ComponentCondition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
  readonly error?: string;
}

export interface CoreV1ComponentStatus {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly conditions?: readonly CoreV1ComponentCondition[];
}

export interface CoreV1ComponentStatusList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1ComponentStatus[];
}

export interface CoreV1ConfigMap {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly immutable?: string;
  readonly data?: { readonly [key: string]: string };
  readonly binaryData?: { readonly [key: string]: string };
}

export interface CoreV1ConfigMapEnvSource {
  readonly name?: string;
  readonly optional?: string;
}

export interface CoreV1ConfigMapKeySelector {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: string;
}

export interface CoreV1ConfigMapList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1ConfigMap[];
}

export interface CoreV1ConfigMapNodeConfigSource {
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly kubeletConfigKey?: string;
}

export interface CoreV1ConfigMapProjection {
  readonly name?: string;
  readonly items?: readonly CoreV1KeyToPath[];
  readonly optional?: string;
}

export interface CoreV1ConfigMapVolumeSource {
  readonly name?: string;
  readonly items?: readonly CoreV1KeyToPath[];
  readonly defaultMode?: string;
  readonly optional?: string;
  readonly defaultUser?: string;
}

export interface CoreV1Container {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly CoreV1ContainerPort[];
  readonly envFrom?: readonly CoreV1EnvFromSource[];
  readonly env?: readonly CoreV1EnvVar[];
  readonly resources?: CoreV1ResourceRequirements;
  readonly resizePolicy?: readonly CoreV1ContainerResizePolicy[];
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly CoreV1ContainerRestartRule[];
  readonly volumeMounts?: readonly CoreV1VolumeMount[];
  readonly volumeDevices?: readonly CoreV1VolumeDevice[];
  readonly livenessProbe?: CoreV1Probe;
  readonly readinessProbe?: CoreV1Probe;
  readonly startupProbe?: CoreV1Probe;
  readonly lifecycle?: CoreV1Lifecycle;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly imagePullPolicy?: string;
  readonly securityContext?: CoreV1SecurityContext;
  readonly stdin?: string;
  readonly stdinOnce?: string;
  readonly tty?: string;
}

export interface CoreV1ContainerExtendedResourceRequest {
  readonly containerName?: string;
  readonly resourceName?: string;
  readonly requestName?: string;
}

export interface CoreV1ContainerImage {
  readonly names?: readonly string[];
  readonly sizeBytes?: string;
}

export interface CoreV1ContainerPort {
  readonly name?: string;
  readonly hostPort?: string;
  readonly containerPort?: string;
  readonly protocol?: string;
  readonly hostIP?: string;
}

export interface CoreV1ContainerResizePolicy {
  readonly resourceName?: string;
  readonly restartPolicy?: string;
}

export interface CoreV1ContainerRestartRule {
  readonly action?: string;
  readonly exitCodes?: CoreV1ContainerRestartRuleOnExitCodes;
}

export interface CoreV1ContainerRestartRuleOnExitCodes {
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface CoreV1ContainerState {
  readonly waiting?: CoreV1ContainerStateWaiting;
  readonly running?: CoreV1ContainerStateRunning;
  readonly terminated?: CoreV1ContainerStateTerminated;
}

export interface CoreV1ContainerStateRunning {
  readonly startedAt?: string;
}

export interface CoreV1ContainerStateTerminated {
  readonly exitCode?: string;
  readonly signal?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly containerID?: string;
}

export interface CoreV1ContainerStateWaiting {
  readonly reason?: string;
  readonly message?: string;
}

export interface CoreV1ContainerStatus {
  readonly name?: string;
  readonly state?: CoreV1ContainerState;
  readonly lastState?: CoreV1ContainerState;
  readonly ready?: string;
  readonly restartCount?: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly containerID?: string;
  readonly started?: string;
  readonly allocatedResources?: { readonly [key: string]: string };
  readonly resources?: CoreV1ResourceRequirements;
  readonly volumeMounts?: readonly CoreV1VolumeMountStatus[];
  readonly user?: CoreV1ContainerUser;
  readonly allocatedResourcesStatus?: readonly CoreV1ResourceStatus[];
  readonly stopSignal?: string;
}

export interface CoreV1ContainerUser {
  readonly linux?: CoreV1LinuxContainerUser;
}

export interface CoreV1DaemonEndpoint {
  readonly Port?: string;
}

export interface CoreV1DownwardAPIProjection {
  readonly items?: readonly CoreV1DownwardAPIVolumeFile[];
}

export interface CoreV1DownwardAPIVolumeFile {
  readonly path?: string;
  readonly fieldRef?: CoreV1ObjectFieldSelector;
  readonly resourceFieldRef?: CoreV1ResourceFieldSelector;
  readonly mode?: string;
  readonly user?: string;
}

export interface CoreV1DownwardAPIVolumeSource {
  readonly items?: readonly CoreV1DownwardAPIVolumeFile[];
  readonly defaultMode?: string;
  readonly defaultUser?: string;
}

export interface CoreV1EmptyDirVolumeSource {
  readonly medium?: string;
  readonly sizeLimit?: string;
  readonly mode?: string;
}

export interface CoreV1EndpointAddress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: CoreV1ObjectReference;
}

export interface CoreV1EndpointPort {
  readonly name?: string;
  readonly port?: string;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

export interface CoreV1EndpointSubset {
  readonly addresses?: readonly CoreV1EndpointAddress[];
  readonly notReadyAddresses?: readonly CoreV1EndpointAddress[];
  readonly ports?: readonly CoreV1EndpointPort[];
}

export interface CoreV1Endpoints {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly subsets?: readonly CoreV1EndpointSubset[];
}

export interface CoreV1EndpointsList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1Endpoints[];
}

export interface CoreV1EnvFromSource {
  readonly prefix?: string;
  readonly configMapRef?: CoreV1ConfigMapEnvSource;
  readonly secretRef?: CoreV1SecretEnvSource;
}

export interface CoreV1EnvVar {
  readonly name?: string;
  readonly value?: string;
  readonly valueFrom?: CoreV1EnvVarSource;
}

export interface CoreV1EnvVarSource {
  readonly fieldRef?: CoreV1ObjectFieldSelector;
  readonly resourceFieldRef?: CoreV1ResourceFieldSelector;
  readonly configMapKeyRef?: CoreV1ConfigMapKeySelector;
  readonly secretKeyRef?: CoreV1SecretKeySelector;
  readonly fileKeyRef?: CoreV1FileKeySelector;
}

export interface CoreV1EphemeralContainer {
  readonly name?: string;
  readonly image?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly ports?: readonly CoreV1ContainerPort[];
  readonly envFrom?: readonly CoreV1EnvFromSource[];
  readonly env?: readonly CoreV1EnvVar[];
  readonly resources?: CoreV1ResourceRequirements;
  readonly resizePolicy?: readonly CoreV1ContainerResizePolicy[];
  readonly restartPolicy?: string;
  readonly restartPolicyRules?: readonly CoreV1ContainerRestartRule[];
  readonly volumeMounts?: readonly CoreV1VolumeMount[];
  readonly volumeDevices?: readonly CoreV1VolumeDevice[];
  readonly livenessProbe?: CoreV1Probe;
  readonly readinessProbe?: CoreV1Probe;
  readonly startupProbe?: CoreV1Probe;
  readonly lifecycle?: CoreV1Lifecycle;
  readonly terminationMessagePath?: string;
  readonly terminationMessagePolicy?: string;
  readonly imagePullPolicy?: string;
  readonly securityContext?: CoreV1SecurityContext;
  readonly stdin?: string;
  readonly stdinOnce?: string;
  readonly tty?: string;
  readonly targetContainerName?: string;
}

export interface CoreV1EphemeralVolumeSource {
  readonly volumeClaimTemplate?: CoreV1PersistentVolumeClaimTemplate;
}

export interface CoreV1Event {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly involvedObject?: CoreV1ObjectReference;
  readonly reason?: string;
  readonly message?: string;
  readonly source?: CoreV1EventSource;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly count?: string;
  readonly type?: string;
  readonly eventTime?: string;
  readonly series?: CoreV1EventSeries;
  readonly action?: string;
  readonly related?: CoreV1ObjectReference;
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

export interface CoreV1EventList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1Event[];
}

export interface CoreV1EventSeries {
  readonly count?: string;
  readonly lastObservedTime?: string;
}

export interface CoreV1EventSource {
  readonly component?: string;
  readonly host?: string;
}

export interface CoreV1EvictionResponder {
  readonly name?: string;
  readonly priority?: string;
}

export interface CoreV1ExecAction {
  readonly command?: readonly string[];
}

export interface CoreV1FCVolumeSource {
  readonly targetWWNs?: readonly string[];
  readonly lun?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
  readonly wwids?: readonly string[];
}

export interface CoreV1FileKeySelector {
  readonly volumeName?: string;
  readonly path?: string;
  readonly key?: string;
  readonly optional?: string;
}

export interface CoreV1FlexPersistentVolumeSource {
  readonly driver?: string;
  readonly fsType?: string;
  readonly secretRef?: CoreV1SecretReference;
  readonly readOnly?: string;
  readonly options?: { readonly [key: string]: string };
}

export interface CoreV1FlexVolumeSource {
  readonly driver?: string;
  readonly fsType?: string;
  readonly secretRef?: CoreV1LocalObjectReference;
  readonly readOnly?: string;
  readonly options?: { readonly [key: string]: string };
}

export interface CoreV1FlockerVolumeSource {
  readonly datasetName?: string;
  readonly datasetUUID?: string;
}

export interface CoreV1GCEPersistentDiskVolumeSource {
  readonly pdName?: string;
  readonly fsType?: string;
  readonly partition?: string;
  readonly readOnly?: string;
}

export interface CoreV1GRPCAction {
  readonly port?: string;
  readonly service?: string;
  readonly mode?: string;
}

export interface CoreV1GitRepoVolumeSource {
  readonly repository?: string;
  readonly revision?: string;
  readonly directory?: string;
}

export interface CoreV1GlusterfsPersistentVolumeSource {
  readonly endpoints?: string;
  readonly path?: string;
  readonly readOnly?: string;
  readonly endpointsNamespace?: string;
}

export interface CoreV1GlusterfsVolumeSource {
  readonly endpoints?: string;
  readonly path?: string;
  readonly readOnly?: string;
}

export interface CoreV1HTTPGetAction {
  readonly path?: string;
  readonly port?: string;
  readonly host?: string;
  readonly scheme?: string;
  readonly httpHeaders?: readonly CoreV1HTTPHeader[];
  readonly protocol?: string;
}

export interface CoreV1HTTPHeader {
  readonly name?: string;
  readonly value?: string;
}

export interface CoreV1HostAlias {
  readonly ip?: string;
  readonly hostnames?: readonly string[];
}

export interface CoreV1HostIP {
  readonly ip?: string;
}

export interface CoreV1HostPathVolumeSource {
  readonly path?: string;
  readonly type?: string;
}

export interface CoreV1ISCSIPersistentVolumeSource {
  readonly targetPortal?: string;
  readonly iqn?: string;
  readonly lun?: string;
  readonly iscsiInterface?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
  readonly portals?: readonly string[];
  readonly chapAuthDiscovery?: string;
  readonly chapAuthSession?: string;
  readonly secretRef?: CoreV1SecretReference;
  readonly initiatorName?: string;
}

export interface CoreV1ISCSIVolumeSource {
  readonly targetPortal?: string;
  readonly iqn?: string;
  readonly lun?: string;
  readonly iscsiInterface?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
  readonly portals?: readonly string[];
  readonly chapAuthDiscovery?: string;
  readonly chapAuthSession?: string;
  readonly secretRef?: CoreV1LocalObjectReference;
  readonly initiatorName?: string;
}

export interface CoreV1ImageVolumeSource {
  readonly reference?: string;
  readonly pullPolicy?: string;
}

export interface CoreV1ImageVolumeStatus {
  readonly imageRef?: string;
}

export interface CoreV1KeyToPath {
  readonly key?: string;
  readonly path?: string;
  readonly mode?: string;
  readonly user?: string;
}

export interface CoreV1Lifecycle {
  readonly postStart?: CoreV1LifecycleHandler;
  readonly preStop?: CoreV1LifecycleHandler;
  readonly stopSignal?: string;
}

export interface CoreV1LifecycleHandler {
  readonly exec?: CoreV1ExecAction;
  readonly httpGet?: CoreV1HTTPGetAction;
  readonly tcpSocket?: CoreV1TCPSocketAction;
  readonly sleep?: CoreV1SleepAction;
}

export interface CoreV1LimitRange {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1LimitRangeSpec;
}

export interface CoreV1LimitRangeItem {
  readonly type?: string;
  readonly max?: { readonly [key: string]: string };
  readonly min?: { readonly [key: string]: string };
  readonly default?: { readonly [key: string]: string };
  readonly defaultRequest?: { readonly [key: string]: string };
  readonly maxLimitRequestRatio?: { readonly [key: string]: string };
}

export interface CoreV1LimitRangeList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1LimitRange[];
}

export interface CoreV1LimitRangeSpec {
  readonly limits?: readonly CoreV1LimitRangeItem[];
}

export interface CoreV1LinuxContainerUser {
  readonly uid?: string;
  readonly gid?: string;
  readonly supplementalGroups?: readonly string[];
}

export interface CoreV1LoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: string;
  readonly ports?: readonly CoreV1PortStatus[];
}

export interface CoreV1LoadBalancerStatus {
  readonly ingress?: readonly CoreV1LoadBalancerIngress[];
}

export interface CoreV1LocalObjectReference {
  readonly name?: string;
}

export interface CoreV1LocalVolumeSource {
  readonly path?: string;
  readonly fsType?: string;
}

export interface CoreV1ModifyVolumeStatus {
  readonly targetVolumeAttributesClassName?: string;
  readonly status?: string;
}

export interface CoreV1NFSVolumeSource {
  readonly server?: string;
  readonly path?: string;
  readonly readOnly?: string;
}

export interface CoreV1Namespace {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1NamespaceSpec;
  readonly status?: CoreV1NamespaceStatus;
}

export interface CoreV1NamespaceCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface CoreV1NamespaceList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1Namespace[];
}

export interface CoreV1NamespaceSpec {
  readonly finalizers?: readonly string[];
}

export interface CoreV1NamespaceStatus {
  readonly phase?: string;
  readonly conditions?: readonly CoreV1NamespaceCondition[];
}

export interface CoreV1Node {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1NodeSpec;
  readonly status?: CoreV1NodeStatus;
}

export interface CoreV1NodeAddress {
  readonly type?: string;
  readonly address?: string;
}

export interface CoreV1NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: CoreV1NodeSelector;
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly CoreV1PreferredSchedulingTerm[];
}

export interface CoreV1NodeAllocatableMappedResources {
  readonly name?: string;
  readonly quantity?: string;
}

export interface CoreV1NodeAllocatableOverheadResources {
  readonly name?: string;
  readonly perPod?: string;
  readonly perContainer?: string;
}

export interface CoreV1NodeAllocatableResourceClaimStatus {
  readonly resourceClaimName?: string;
  readonly containers?: readonly string[];
  readonly mapping?: readonly CoreV1NodeAllocatableMappedResources[];
  readonly overhead?: readonly CoreV1NodeAllocatableOverheadResources[];
}

export interface CoreV1NodeCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastHeartbeatTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface CoreV1NodeConfigSource {
  readonly configMap?: CoreV1ConfigMapNodeConfigSource;
}

export interface CoreV1NodeConfigStatus {
  readonly assigned?: CoreV1NodeConfigSource;
  readonly active?: CoreV1NodeConfigSource;
  readonly lastKnownGood?: CoreV1NodeConfigSource;
  readonly error?: string;
}

export interface CoreV1NodeDaemonEndpoints {
  readonly kubeletEndpoint?: CoreV1DaemonEndpoint;
}

export interface CoreV1NodeFeatures {
  readonly supplementalGroupsPolicy?: string;
}

export interface CoreV1NodeList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1Node[];
}

export interface CoreV1NodePodPreemptionPolicy {
  readonly disableResizePreemption?: readonly string[];
}

export interface CoreV1NodeProxyOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly path?: string;
}

export interface CoreV1NodeRuntimeHandler {
  readonly name?: string;
  readonly features?: CoreV1NodeRuntimeHandlerFeatures;
}

export interface CoreV1NodeRuntimeHandlerFeatures {
  readonly recursiveReadOnlyMounts?: string;
  readonly userNamespaces?: string;
}

export interface CoreV1NodeSelector {
  readonly nodeSelectorTerms?: readonly CoreV1NodeSelectorTerm[];
}

export interface CoreV1NodeSelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface CoreV1NodeSelectorTerm {
  readonly matchExpressions?: readonly CoreV1NodeSelectorRequirement[];
  readonly matchFields?: readonly CoreV1NodeSelectorRequirement[];
}

export interface CoreV1NodeSpec {
  readonly podCIDR?: string;
  readonly podCIDRs?: readonly string[];
  readonly providerID?: string;
  readonly unschedulable?: string;
  readonly taints?: readonly CoreV1Taint[];
  readonly configSource?: CoreV1NodeConfigSource;
  readonly externalID?: string;
  readonly podPreemptionPolicy?: CoreV1NodePodPreemptionPolicy;
}

export interface CoreV1NodeStatus {
  readonly capacity?: { readonly [key: string]: string };
  readonly allocatable?: { readonly [key: string]: string };
  readonly phase?: string;
  readonly conditions?: readonly CoreV1NodeCondition[];
  readonly addresses?: readonly CoreV1NodeAddress[];
  readonly daemonEndpoints?: CoreV1NodeDaemonEndpoints;
  readonly nodeInfo?: CoreV1NodeSystemInfo;
  readonly images?: readonly CoreV1ContainerImage[];
  readonly volumesInUse?: readonly string[];
  readonly volumesAttached?: readonly CoreV1AttachedVolume[];
  readonly config?: CoreV1NodeConfigStatus;
  readonly runtimeHandlers?: readonly CoreV1NodeRuntimeHandler[];
  readonly features?: CoreV1NodeFeatures;
  readonly declaredFeatures?: readonly string[];
}

export interface CoreV1NodeSwapStatus {
  readonly capacity?: string;
}

export interface CoreV1NodeSystemInfo {
  readonly machineID?: string;
  readonly systemUUID?: string;
  readonly bootID?: string;
  readonly kernelVersion?: string;
  readonly osImage?: string;
  readonly containerRuntimeVersion?: string;
  readonly kubeletVersion?: string;
  readonly kubeProxyVersion?: string;
  readonly operatingSystem?: string;
  readonly architecture?: string;
  readonly swap?: CoreV1NodeSwapStatus;
  readonly runningInUserNamespace?: string;
}

export interface CoreV1ObjectFieldSelector {
  readonly apiVersion?: string;
  readonly fieldPath?: string;
}

export interface CoreV1ObjectReference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

export interface CoreV1PersistentVolume {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1PersistentVolumeSpec;
  readonly status?: CoreV1PersistentVolumeStatus;
}

export interface CoreV1PersistentVolumeClaim {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1PersistentVolumeClaimSpec;
  readonly status?: CoreV1PersistentVolumeClaimStatus;
}

export interface CoreV1PersistentVolumeClaimCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface CoreV1PersistentVolumeClaimList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1PersistentVolumeClaim[];
}

export interface CoreV1PersistentVolumeClaimSpec {
  readonly accessModes?: readonly string[];
  readonly selector?: MetaV1LabelSelector;
  readonly resources?: CoreV1VolumeResourceRequirements;
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly volumeMode?: string;
  readonly dataSource?: CoreV1TypedLocalObjectReference;
  readonly dataSourceRef?: CoreV1TypedObjectReference;
  readonly volumeAttributesClassName?: string;
}

export interface CoreV1PersistentVolumeClaimStatus {
  readonly phase?: string;
  readonly accessModes?: readonly string[];
  readonly capacity?: { readonly [key: string]: string };
  readonly conditions?: readonly CoreV1PersistentVolumeClaimCondition[];
  readonly allocatedResources?: { readonly [key: string]: string };
  readonly allocatedResourceStatuses?: { readonly [key: string]: string };
  readonly currentVolumeAttributesClassName?: string;
  readonly modifyVolumeStatus?: CoreV1ModifyVolumeStatus;
  readonly healthStatus?: CoreV1VolumeHealthStatus;
}

export interface CoreV1PersistentVolumeClaimTemplate {
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1PersistentVolumeClaimSpec;
}

export interface CoreV1PersistentVolumeClaimVolumeSource {
  readonly claimName?: string;
  readonly readOnly?: string;
}

export interface CoreV1PersistentVolumeList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1PersistentVolume[];
}

export interface CoreV1PersistentVolumeSpec {
  readonly capacity?: { readonly [key: string]: string };
  readonly gcePersistentDisk?: CoreV1GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: CoreV1AWSElasticBlockStoreVolumeSource;
  readonly hostPath?: CoreV1HostPathVolumeSource;
  readonly glusterfs?: CoreV1GlusterfsPersistentVolumeSource;
  readonly nfs?: CoreV1NFSVolumeSource;
  readonly rbd?: CoreV1RBDPersistentVolumeSource;
  readonly iscsi?: CoreV1ISCSIPersistentVolumeSource;
  readonly cinder?: CoreV1CinderPersistentVolumeSource;
  readonly cephfs?: CoreV1CephFSPersistentVolumeSource;
  readonly fc?: CoreV1FCVolumeSource;
  readonly flocker?: CoreV1FlockerVolumeSource;
  readonly flexVolume?: CoreV1FlexPersistentVolumeSource;
  readonly azureFile?: CoreV1AzureFilePersistentVolumeSource;
  readonly vsphereVolume?: CoreV1VsphereVirtualDiskVolumeSource;
  readonly quobyte?: CoreV1QuobyteVolumeSource;
  readonly azureDisk?: CoreV1AzureDiskVolumeSource;
  readonly photonPersistentDisk?: CoreV1PhotonPersistentDiskVolumeSource;
  readonly portworxVolume?: CoreV1PortworxVolumeSource;
  readonly scaleIO?: CoreV1ScaleIOPersistentVolumeSource;
  readonly local?: CoreV1LocalVolumeSource;
  readonly storageos?: CoreV1StorageOSPersistentVolumeSource;
  readonly csi?: CoreV1CSIPersistentVolumeSource;
  readonly accessModes?: readonly string[];
  readonly claimRef?: CoreV1ObjectReference;
  readonly persistentVolumeReclaimPolicy?: string;
  readonly storageClassName?: string;
  readonly mountOptions?: readonly string[];
  readonly volumeMode?: string;
  readonly nodeAffinity?: CoreV1VolumeNodeAffinity;
  readonly volumeAttributesClassName?: string;
}

export interface CoreV1PersistentVolumeStatus {
  readonly phase?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly lastPhaseTransitionTime?: string;
}

export interface CoreV1PhotonPersistentDiskVolumeSource {
  readonly pdID?: string;
  readonly fsType?: string;
}

export interface CoreV1Pod {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1PodSpec;
  readonly status?: CoreV1PodStatus;
}

export interface CoreV1PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly CoreV1PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly CoreV1WeightedPodAffinityTerm[];
}

export interface CoreV1PodAffinityTerm {
  readonly labelSelector?: MetaV1LabelSelector;
  readonly namespaces?: readonly string[];
  readonly topologyKey?: string;
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export interface CoreV1PodAntiAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly CoreV1PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly CoreV1WeightedPodAffinityTerm[];
}

export interface CoreV1PodAttachOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly tty?: string;
  readonly container?: string;
}

export interface CoreV1PodCertificateProjection {
  readonly signerName?: string;
  readonly keyType?: string;
  readonly maxExpirationSeconds?: string;
  readonly credentialBundlePath?: string;
  readonly keyPath?: string;
  readonly certificateChainPath?: string;
  readonly userAnnotations?: { readonly [key: string]: string };
  readonly user?: string;
}

export interface CoreV1PodCondition {
  readonly type?: string;
  readonly observedGeneration?: string;
  readonly status?: string;
  readonly lastProbeTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface CoreV1PodDNSConfig {
  readonly nameservers?: readonly string[];
  readonly searches?: readonly string[];
  readonly options?: readonly CoreV1PodDNSConfigOption[];
}

export interface CoreV1PodDNSConfigOption {
  readonly name?: string;
  readonly value?: string;
}

export interface CoreV1PodExecOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly tty?: string;
  readonly container?: string;
  readonly command?: readonly string[];
}

export interface CoreV1PodExtendedResourceClaimStatus {
  readonly requestMappings?: readonly CoreV1ContainerExtendedResourceRequest[];
  readonly resourceClaimName?: string;
}

export interface CoreV1PodIP {
  readonly ip?: string;
}

export interface CoreV1PodList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1Pod[];
}

export interface CoreV1PodLogOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly container?: string;
  readonly follow?: string;
  readonly previous?: string;
  readonly sinceSeconds?: string;
  readonly sinceTime?: string;
  readonly timestamps?: string;
  readonly tailLines?: string;
  readonly limitBytes?: string;
  readonly insecureSkipTLSVerifyBackend?: string;
  readonly stream?: string;
}

export interface CoreV1PodOS {
  readonly name?: string;
}

export interface CoreV1PodPortForwardOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly ports?: readonly string[];
}

export interface CoreV1PodProxyOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly path?: string;
}

export interface CoreV1PodReadinessGate {
  readonly conditionType?: string;
}

export interface CoreV1PodResourceClaim {
  readonly name?: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface CoreV1PodResourceClaimStatus {
  readonly name?: string;
  readonly resourceClaimName?: string;
}

export interface CoreV1PodSchedulingGate {
  readonly name?: string;
}

export interface CoreV1PodSchedulingGroup {
  readonly podGroupName?: string;
}

export interface CoreV1PodSecurityContext {
  readonly seLinuxOptions?: CoreV1SELinuxOptions;
  readonly windowsOptions?: CoreV1WindowsSecurityContextOptions;
  readonly runAsUser?: string;
  readonly runAsGroup?: string;
  readonly runAsNonRoot?: string;
  readonly supplementalGroups?: readonly string[];
  readonly supplementalGroupsPolicy?: string;
  readonly fsGroup?: string;
  readonly sysctls?: readonly CoreV1Sysctl[];
  readonly fsGroupChangePolicy?: string;
  readonly seccompProfile?: CoreV1SeccompProfile;
  readonly appArmorProfile?: CoreV1AppArmorProfile;
  readonly seLinuxChangePolicy?: string;
}

export interface CoreV1PodSpec {
  readonly volumes?: readonly CoreV1Volume[];
  readonly initContainers?: readonly CoreV1Container[];
  readonly containers?: readonly CoreV1Container[];
  readonly ephemeralContainers?: readonly CoreV1EphemeralContainer[];
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: string;
  readonly activeDeadlineSeconds?: string;
  readonly dnsPolicy?: string;
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly serviceAccountName?: string;
  readonly serviceAccount?: string;
  readonly automountServiceAccountToken?: string;
  readonly nodeName?: string;
  readonly hostNetwork?: string;
  readonly hostPID?: string;
  readonly hostIPC?: string;
  readonly shareProcessNamespace?: string;
  readonly securityContext?: CoreV1PodSecurityContext;
  readonly imagePullSecrets?: readonly CoreV1LocalObjectReference[];
  readonly hostname?: string;
  readonly subdomain?: string;
  readonly affinity?: CoreV1Affinity;
  readonly schedulerName?: string;
  readonly tolerations?: readonly CoreV1Toleration[];
  readonly hostAliases?: readonly CoreV1HostAlias[];
  readonly priorityClassName?: string;
  readonly priority?: string;
  readonly dnsConfig?: CoreV1PodDNSConfig;
  readonly readinessGates?: readonly CoreV1PodReadinessGate[];
  readonly runtimeClassName?: string;
  readonly enableServiceLinks?: string;
  readonly preemptionPolicy?: string;
  readonly overhead?: { readonly [key: string]: string };
  readonly topologySpreadConstraints?: readonly CoreV1TopologySpreadConstraint[];
  readonly setHostnameAsFQDN?: string;
  readonly os?: CoreV1PodOS;
  readonly hostUsers?: string;
  readonly schedulingGates?: readonly CoreV1PodSchedulingGate[];
  readonly resourceClaims?: readonly CoreV1PodResourceClaim[];
  readonly resources?: CoreV1ResourceRequirements;
  readonly hostnameOverride?: string;
  readonly schedulingGroup?: CoreV1PodSchedulingGroup;
  readonly evictionResponders?: readonly CoreV1EvictionResponder[];
}

export interface CoreV1PodStatus {
  readonly observedGeneration?: string;
  readonly phase?: string;
  readonly conditions?: readonly CoreV1PodCondition[];
  readonly message?: string;
  readonly reason?: string;
  readonly nominatedNodeName?: string;
  readonly hostIP?: string;
  readonly hostIPs?: readonly CoreV1HostIP[];
  readonly podIP?: string;
  readonly podIPs?: readonly CoreV1PodIP[];
  readonly startTime?: string;
  readonly initContainerStatuses?: readonly CoreV1ContainerStatus[];
  readonly containerStatuses?: readonly CoreV1ContainerStatus[];
  readonly qosClass?: string;
  readonly ephemeralContainerStatuses?: readonly CoreV1ContainerStatus[];
  readonly resize?: string;
  readonly resourceClaimStatuses?: readonly CoreV1PodResourceClaimStatus[];
  readonly extendedResourceClaimStatus?: CoreV1PodExtendedResourceClaimStatus;
  readonly allocatedResources?: { readonly [key: string]: string };
  readonly resources?: CoreV1ResourceRequirements;
  readonly nodeAllocatableResourceClaimStatuses?: readonly CoreV1NodeAllocatableResourceClaimStatus[];
  readonly volumeHealth?: readonly CoreV1PodVolumeHealth[];
}

export interface CoreV1PodTemplate {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly template?: CoreV1PodTemplateSpec;
}

export interface CoreV1PodTemplateList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1PodTemplate[];
}

export interface CoreV1PodTemplateSpec {
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1PodSpec;
}

export interface CoreV1PodVolumeHealth {
  readonly name?: string;
  readonly healthConditions?: readonly CoreV1VolumeHealthCondition[];
  readonly lastTransitionTime?: string;
}

export interface CoreV1PortStatus {
  readonly port?: string;
  readonly protocol?: string;
  readonly error?: string;
}

export interface CoreV1PortworxVolumeSource {
  readonly volumeID?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
}

export interface CoreV1PreferredSchedulingTerm {
  readonly weight?: string;
  readonly preference?: CoreV1NodeSelectorTerm;
}

export interface CoreV1Probe {
  readonly exec?: CoreV1ExecAction;
  readonly httpGet?: CoreV1HTTPGetAction;
  readonly tcpSocket?: CoreV1TCPSocketAction;
  readonly grpc?: CoreV1GRPCAction;
  readonly initialDelaySeconds?: string;
  readonly timeoutSeconds?: string;
  readonly periodSeconds?: string;
  readonly successThreshold?: string;
  readonly failureThreshold?: string;
  readonly terminationGracePeriodSeconds?: string;
}

export interface CoreV1ProjectedVolumeSource {
  readonly sources?: readonly CoreV1VolumeProjection[];
  readonly defaultMode?: string;
  readonly defaultUser?: string;
}

export interface CoreV1QuobyteVolumeSource {
  readonly registry?: string;
  readonly volume?: string;
  readonly readOnly?: string;
  readonly user?: string;
  readonly group?: string;
  readonly tenant?: string;
}

export interface CoreV1RBDPersistentVolumeSource {
  readonly monitors?: readonly string[];
  readonly image?: string;
  readonly fsType?: string;
  readonly pool?: string;
  readonly user?: string;
  readonly keyring?: string;
  readonly secretRef?: CoreV1SecretReference;
  readonly readOnly?: string;
}

export interface CoreV1RBDVolumeSource {
  readonly monitors?: readonly string[];
  readonly image?: string;
  readonly fsType?: string;
  readonly pool?: string;
  readonly user?: string;
  readonly keyring?: string;
  readonly secretRef?: CoreV1LocalObjectReference;
  readonly readOnly?: string;
}

export interface CoreV1RangeAllocation {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly range?: string;
  readonly data?: string;
}

export interface CoreV1ReplicationController {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1ReplicationControllerSpec;
  readonly status?: CoreV1ReplicationControllerStatus;
}

export interface CoreV1ReplicationControllerCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface CoreV1ReplicationControllerList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1ReplicationController[];
}

export interface CoreV1ReplicationControllerSpec {
  readonly replicas?: string;
  readonly minReadySeconds?: string;
  readonly selector?: { readonly [key: string]: string };
  readonly template?: CoreV1PodTemplateSpec;
}

export interface CoreV1ReplicationControllerStatus {
  readonly replicas?: string;
  readonly fullyLabeledReplicas?: string;
  readonly readyReplicas?: string;
  readonly availableReplicas?: string;
  readonly observedGeneration?: string;
  readonly conditions?: readonly CoreV1ReplicationControllerCondition[];
}

export interface CoreV1ResourceClaim {
  readonly name?: string;
  readonly request?: string;
}

export interface CoreV1ResourceFieldSelector {
  readonly containerName?: string;
  readonly resource?: string;
  readonly divisor?: string;
}

export interface CoreV1ResourceHealth {
  readonly resourceID?: string;
  readonly health?: string;
  readonly message?: string;
}

export interface CoreV1ResourceQuota {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1ResourceQuotaSpec;
  readonly status?: CoreV1ResourceQuotaStatus;
}

export interface CoreV1ResourceQuotaList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1ResourceQuota[];
}

export interface CoreV1ResourceQuotaSpec {
  readonly hard?: { readonly [key: string]: string };
  readonly scopes?: readonly string[];
  readonly scopeSelector?: CoreV1ScopeSelector;
}

export interface CoreV1ResourceQuotaStatus {
  readonly hard?: { readonly [key: string]: string };
  readonly used?: { readonly [key: string]: string };
}

export interface CoreV1ResourceRequirements {
  readonly limits?: { readonly [key: string]: string };
  readonly requests?: { readonly [key: string]: string };
  readonly claims?: readonly CoreV1ResourceClaim[];
}

export interface CoreV1ResourceStatus {
  readonly name?: string;
  readonly resources?: readonly CoreV1ResourceHealth[];
}

export interface CoreV1SELinuxOptions {
  readonly user?: string;
  readonly role?: string;
  readonly type?: string;
  readonly level?: string;
}

export interface CoreV1ScaleIOPersistentVolumeSource {
  readonly gateway?: string;
  readonly system?: string;
  readonly secretRef?: CoreV1SecretReference;
  readonly sslEnabled?: string;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  readonly storageMode?: string;
  readonly volumeName?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
}

export interface CoreV1ScaleIOVolumeSource {
  readonly gateway?: string;
  readonly system?: string;
  readonly secretRef?: CoreV1LocalObjectReference;
  readonly sslEnabled?: string;
  readonly protectionDomain?: string;
  readonly storagePool?: string;
  readonly storageMode?: string;
  readonly volumeName?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
}

export interface CoreV1ScopeSelector {
  readonly matchExpressions?: readonly CoreV1ScopedResourceSelectorRequirement[];
}

export interface CoreV1ScopedResourceSelectorRequirement {
  readonly scopeName?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface CoreV1SeccompProfile {
  readonly type?: string;
  readonly localhostProfile?: string;
}

export interface CoreV1Secret {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly immutable?: string;
  readonly data?: { readonly [key: string]: string };
  readonly stringData?: { readonly [key: string]: string };
  readonly type?: string;
}

export interface CoreV1SecretEnvSource {
  readonly name?: string;
  readonly optional?: string;
}

export interface CoreV1SecretKeySelector {
  readonly name?: string;
  readonly key?: string;
  readonly optional?: string;
}

export interface CoreV1SecretList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1Secret[];
}

export interface CoreV1SecretProjection {
  readonly name?: string;
  readonly items?: readonly CoreV1KeyToPath[];
  readonly optional?: string;
}

export interface CoreV1SecretReference {
  readonly name?: string;
  readonly namespace?: string;
}

export interface CoreV1SecretVolumeSource {
  readonly secretName?: string;
  readonly items?: readonly CoreV1KeyToPath[];
  readonly defaultMode?: string;
  readonly optional?: string;
  readonly defaultUser?: string;
}

export interface CoreV1SecurityContext {
  readonly capabilities?: CoreV1Capabilities;
  readonly privileged?: string;
  readonly seLinuxOptions?: CoreV1SELinuxOptions;
  readonly windowsOptions?: CoreV1WindowsSecurityContextOptions;
  readonly runAsUser?: string;
  readonly runAsGroup?: string;
  readonly runAsNonRoot?: string;
  readonly readOnlyRootFilesystem?: string;
  readonly allowPrivilegeEscalation?: string;
  readonly procMount?: string;
  readonly seccompProfile?: CoreV1SeccompProfile;
  readonly appArmorProfile?: CoreV1AppArmorProfile;
}

export interface CoreV1SerializedReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly reference?: CoreV1ObjectReference;
}

export interface CoreV1Service {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: CoreV1ServiceSpec;
  readonly status?: CoreV1ServiceStatus;
}

export interface CoreV1ServiceAccount {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly secrets?: readonly CoreV1ObjectReference[];
  readonly imagePullSecrets?: readonly CoreV1LocalObjectReference[];
  readonly automountServiceAccountToken?: string;
}

export interface CoreV1ServiceAccountList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1ServiceAccount[];
}

export interface CoreV1ServiceAccountTokenProjection {
  readonly audience?: string;
  readonly expirationSeconds?: string;
  readonly path?: string;
  readonly user?: string;
}

export interface CoreV1ServiceList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly CoreV1Service[];
}

export interface CoreV1ServicePort {
  readonly name?: string;
  readonly protocol?: string;
  readonly appProtocol?: string;
  readonly port?: string;
  readonly targetPort?: string;
  readonly nodePort?: string;
}

export interface CoreV1ServiceProxyOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly path?: string;
}

export interface CoreV1ServiceSpec {
  readonly ports?: readonly CoreV1ServicePort[];
  readonly selector?: { readonly [key: string]: string };
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
  readonly type?: string;
  readonly externalIPs?: readonly string[];
  readonly sessionAffinity?: string;
  readonly loadBalancerIP?: string;
  readonly loadBalancerSourceRanges?: readonly string[];
  readonly externalName?: string;
  readonly externalTrafficPolicy?: string;
  readonly healthCheckNodePort?: string;
  readonly publishNotReadyAddresses?: string;
  readonly sessionAffinityConfig?: CoreV1SessionAffinityConfig;
  readonly ipFamilies?: readonly string[];
  readonly ipFamilyPolicy?: string;
  readonly allocateLoadBalancerNodePorts?: string;
  readonly loadBalancerClass?: string;
  readonly internalTrafficPolicy?: string;
  readonly trafficDistribution?: string;
}

export interface CoreV1ServiceStatus {
  readonly loadBalancer?: CoreV1LoadBalancerStatus;
  readonly conditions?: readonly MetaV1Condition[];
}

export interface CoreV1SessionAffinityConfig {
  readonly clientIP?: CoreV1ClientIPConfig;
}

export interface CoreV1SleepAction {
  readonly seconds?: string;
}

export interface CoreV1StorageOSPersistentVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
  readonly secretRef?: CoreV1ObjectReference;
}

export interface CoreV1StorageOSVolumeSource {
  readonly volumeName?: string;
  readonly volumeNamespace?: string;
  readonly fsType?: string;
  readonly readOnly?: string;
  readonly secretRef?: CoreV1LocalObjectReference;
}

export interface CoreV1Sysctl {
  readonly name?: string;
  readonly value?: string;
}

export interface CoreV1TCPSocketAction {
  readonly port?: string;
  readonly host?: string;
}

export interface CoreV1Taint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

export interface CoreV1Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: string;
}

export interface CoreV1TopologySelectorLabelRequirement {
  readonly key?: string;
  readonly values?: readonly string[];
}

export interface CoreV1TopologySelectorTerm {
  readonly matchLabelExpressions?: readonly CoreV1TopologySelectorLabelRequirement[];
}

export interface CoreV1TopologySpreadConstraint {
  readonly maxSkew?: string;
  readonly topologyKey?: string;
  readonly whenUnsatisfiable?: string;
  readonly labelSelector?: MetaV1LabelSelector;
  readonly minDomains?: string;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
  readonly matchLabelKeys?: readonly string[];
}

export interface CoreV1TypedLocalObjectReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface CoreV1TypedObjectReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
}

export interface CoreV1Volume {
  readonly name?: string;
  readonly hostPath?: CoreV1HostPathVolumeSource;
  readonly emptyDir?: CoreV1EmptyDirVolumeSource;
  readonly gcePersistentDisk?: CoreV1GCEPersistentDiskVolumeSource;
  readonly awsElasticBlockStore?: CoreV1AWSElasticBlockStoreVolumeSource;
  readonly gitRepo?: CoreV1GitRepoVolumeSource;
  readonly secret?: CoreV1SecretVolumeSource;
  readonly nfs?: CoreV1NFSVolumeSource;
  readonly iscsi?: CoreV1ISCSIVolumeSource;
  readonly glusterfs?: CoreV1GlusterfsVolumeSource;
  readonly persistentVolumeClaim?: CoreV1PersistentVolumeClaimVolumeSource;
  readonly rbd?: CoreV1RBDVolumeSource;
  readonly flexVolume?: CoreV1FlexVolumeSource;
  readonly cinder?: CoreV1CinderVolumeSource;
  readonly cephfs?: CoreV1CephFSVolumeSource;
  readonly flocker?: CoreV1FlockerVolumeSource;
  readonly downwardAPI?: CoreV1DownwardAPIVolumeSource;
  readonly fc?: CoreV1FCVolumeSource;
  readonly azureFile?: CoreV1AzureFileVolumeSource;
  readonly configMap?: CoreV1ConfigMapVolumeSource;
  readonly vsphereVolume?: CoreV1VsphereVirtualDiskVolumeSource;
  readonly quobyte?: CoreV1QuobyteVolumeSource;
  readonly azureDisk?: CoreV1AzureDiskVolumeSource;
  readonly photonPersistentDisk?: CoreV1PhotonPersistentDiskVolumeSource;
  readonly projected?: CoreV1ProjectedVolumeSource;
  readonly portworxVolume?: CoreV1PortworxVolumeSource;
  readonly scaleIO?: CoreV1ScaleIOVolumeSource;
  readonly storageos?: CoreV1StorageOSVolumeSource;
  readonly csi?: CoreV1CSIVolumeSource;
  readonly ephemeral?: CoreV1EphemeralVolumeSource;
  readonly image?: CoreV1ImageVolumeSource;
}

export interface CoreV1VolumeDevice {
  readonly name?: string;
  readonly devicePath?: string;
}

export interface CoreV1VolumeHealthCondition {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface CoreV1VolumeHealthStatus {
  readonly healthConditions?: readonly CoreV1VolumeHealthCondition[];
  readonly lastTransitionTime?: string;
}

export interface CoreV1VolumeMount {
  readonly name?: string;
  readonly readOnly?: string;
  readonly recursiveReadOnly?: string;
  readonly mountPath?: string;
  readonly subPath?: string;
  readonly mountPropagation?: string;
  readonly subPathExpr?: string;
  readonly bindMountOptions?: readonly string[];
}

export interface CoreV1VolumeMountStatus {
  readonly name?: string;
  readonly mountPath?: string;
  readonly readOnly?: string;
  readonly recursiveReadOnly?: string;
  readonly volumeStatus?: CoreV1VolumeStatus;
}

export interface CoreV1VolumeNodeAffinity {
  readonly required?: CoreV1NodeSelector;
}

export interface CoreV1VolumeProjection {
  readonly secret?: CoreV1SecretProjection;
  readonly downwardAPI?: CoreV1DownwardAPIProjection;
  readonly configMap?: CoreV1ConfigMapProjection;
  readonly serviceAccountToken?: CoreV1ServiceAccountTokenProjection;
  readonly clusterTrustBundle?: CoreV1ClusterTrustBundleProjection;
  readonly podCertificate?: CoreV1PodCertificateProjection;
}

export interface CoreV1VolumeResourceRequirements {
  readonly limits?: { readonly [key: string]: string };
  readonly requests?: { readonly [key: string]: string };
}

export interface CoreV1VolumeStatus {
  readonly image?: CoreV1ImageVolumeStatus;
}

export interface CoreV1VsphereVirtualDiskVolumeSource {
  readonly volumePath?: string;
  readonly fsType?: string;
  readonly storagePolicyName?: string;
  readonly storagePolicyID?: string;
}

export interface CoreV1WeightedPodAffinityTerm {
  readonly weight?: string;
  readonly podAffinityTerm?: CoreV1PodAffinityTerm;
}

export interface CoreV1WindowsSecurityContextOptions {
  readonly gmsaCredentialSpecName?: string;
  readonly gmsaCredentialSpec?: string;
  readonly runAsUserName?: string;
  readonly hostProcess?: string;
}

export interface DiscoveryV1Endpoint {
  readonly addresses?: readonly string[];
  readonly conditions?: DiscoveryV1EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: CoreV1ObjectReference;
  readonly deprecatedTopology?: { readonly [key: string]: string };
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: DiscoveryV1EndpointHints;
}

export interface DiscoveryV1EndpointConditions {
  readonly ready?: string;
  readonly serving?: string;
  readonly terminating?: string;
}

export interface DiscoveryV1EndpointHints {
  readonly forZones?: readonly DiscoveryV1ForZone[];
  readonly forNodes?: readonly DiscoveryV1ForNode[];
}

export interface DiscoveryV1EndpointPort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: string;
  readonly appProtocol?: string;
}

export interface DiscoveryV1EndpointSlice {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly addressType?: string;
  readonly endpoints?: readonly DiscoveryV1Endpoint[];
  readonly ports?: readonly DiscoveryV1EndpointPort[];
}

export interface DiscoveryV1EndpointSliceList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly DiscoveryV1EndpointSlice[];
}

export interface DiscoveryV1ForNode {
  readonly name?: string;
}

export interface DiscoveryV1ForZone {
  readonly name?: string;
}

export interface DiscoveryV1beta1Endpoint {
  readonly addresses?: readonly string[];
  readonly conditions?: DiscoveryV1beta1EndpointConditions;
  readonly hostname?: string;
  readonly targetRef?: CoreV1ObjectReference;
  readonly topology?: { readonly [key: string]: string };
  readonly nodeName?: string;
  readonly hints?: DiscoveryV1beta1EndpointHints;
}

export interface DiscoveryV1beta1EndpointConditions {
  readonly ready?: string;
  readonly serving?: string;
  readonly terminating?: string;
}

export interface DiscoveryV1beta1EndpointHints {
  readonly forZones?: readonly DiscoveryV1beta1ForZone[];
  readonly forNodes?: readonly DiscoveryV1beta1ForNode[];
}

export interface DiscoveryV1beta1EndpointPort {
  readonly name?: string;
  readonly protocol?: string;
  readonly port?: string;
  readonly appProtocol?: string;
}

export interface DiscoveryV1beta1EndpointSlice {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly addressType?: string;
  readonly endpoints?: readonly DiscoveryV1beta1Endpoint[];
  readonly ports?: readonly DiscoveryV1beta1EndpointPort[];
}

export interface DiscoveryV1beta1EndpointSliceList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly DiscoveryV1beta1EndpointSlice[];
}

export interface DiscoveryV1beta1ForNode {
  readonly name?: string;
}

export interface DiscoveryV1beta1ForZone {
  readonly name?: string;
}

export interface EventsV1Event {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly eventTime?: string;
  readonly series?: EventsV1EventSeries;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly regarding?: CoreV1ObjectReference;
  readonly related?: CoreV1ObjectReference;
  readonly note?: string;
  readonly type?: string;
  readonly deprecatedSource?: CoreV1EventSource;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedCount?: string;
}

export interface EventsV1EventList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly EventsV1Event[];
}

export interface EventsV1EventSeries {
  readonly count?: string;
  readonly lastObservedTime?: string;
}

export interface EventsV1beta1Event {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly eventTime?: string;
  readonly series?: EventsV1beta1EventSeries;
  readonly reportingController?: string;
  readonly reportingInstance?: string;
  readonly action?: string;
  readonly reason?: string;
  readonly regarding?: CoreV1ObjectReference;
  readonly related?: CoreV1ObjectReference;
  readonly note?: string;
  readonly type?: string;
  readonly deprecatedSource?: CoreV1EventSource;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedCount?: string;
}

export interface EventsV1beta1EventList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly EventsV1beta1Event[];
}

export interface EventsV1beta1EventSeries {
  readonly count?: string;
  readonly lastObservedTime?: string;
}

export interface ExtensionsV1beta1DaemonSet {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ExtensionsV1beta1DaemonSetSpec;
  readonly status?: ExtensionsV1beta1DaemonSetStatus;
}

export interface ExtensionsV1beta1DaemonSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ExtensionsV1beta1DaemonSetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ExtensionsV1beta1DaemonSet[];
}

export interface ExtensionsV1beta1DaemonSetSpec {
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly updateStrategy?: ExtensionsV1beta1DaemonSetUpdateStrategy;
  readonly minReadySeconds?: string;
  readonly templateGeneration?: string;
  readonly revisionHistoryLimit?: string;
}

export interface ExtensionsV1beta1DaemonSetStatus {
  readonly currentNumberScheduled?: string;
  readonly numberMisscheduled?: string;
  readonly desiredNumberScheduled?: string;
  readonly numberReady?: string;
  readonly observedGeneration?: string;
  readonly updatedNumberScheduled?: string;
  readonly numberAvailable?: string;
  readonly numberUnavailable?: string;
  readonly collisionCount?: string;
  readonly conditions?: readonly ExtensionsV1beta1DaemonSetCondition[];
}

export interface ExtensionsV1beta1DaemonSetUpdateStrategy {
  readonly type?: string;
  readonly rollingUpdate?: ExtensionsV1beta1RollingUpdateDaemonSet;
}

export interface ExtensionsV1beta1Deployment {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ExtensionsV1beta1DeploymentSpec;
  readonly status?: ExtensionsV1beta1DeploymentStatus;
}

export interface ExtensionsV1beta1DeploymentCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastUpdateTime?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ExtensionsV1beta1DeploymentList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ExtensionsV1beta1Deployment[];
}

export interface ExtensionsV1beta1DeploymentRollback {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly updatedAnnotations?: { readonly [key: string]: string };
  readonly rollbackTo?: ExtensionsV1beta1RollbackConfig;
}

export interface ExtensionsV1beta1DeploymentSpec {
  readonly replicas?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
  readonly strategy?: ExtensionsV1beta1DeploymentStrategy;
  readonly minReadySeconds?: string;
  readonly revisionHistoryLimit?: string;
  readonly paused?: string;
  readonly rollbackTo?: ExtensionsV1beta1RollbackConfig;
  readonly progressDeadlineSeconds?: string;
}

export interface ExtensionsV1beta1DeploymentStatus {
  readonly observedGeneration?: string;
  readonly replicas?: string;
  readonly updatedReplicas?: string;
  readonly readyReplicas?: string;
  readonly availableReplicas?: string;
  readonly unavailableReplicas?: string;
  readonly terminatingReplicas?: string;
  readonly conditions?: readonly ExtensionsV1beta1DeploymentCondition[];
  readonly collisionCount?: string;
}

export interface ExtensionsV1beta1DeploymentStrategy {
  readonly type?: string;
  readonly rollingUpdate?: ExtensionsV1beta1RollingUpdateDeployment;
}

export interface ExtensionsV1beta1HTTPIngressPath {
  readonly path?: string;
  readonly pathType?: string;
  readonly backend?: ExtensionsV1beta1IngressBackend;
}

export interface ExtensionsV1beta1HTTPIngressRuleValue {
  readonly paths?: readonly ExtensionsV1beta1HTTPIngressPath[];
}

export interface ExtensionsV1beta1IPBlock {
  readonly cidr?: string;
  readonly except?: readonly string[];
}

export interface ExtensionsV1beta1Ingress {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ExtensionsV1beta1IngressSpec;
  readonly status?: ExtensionsV1beta1IngressStatus;
}

export interface ExtensionsV1beta1IngressBackend {
  readonly serviceName?: string;
  readonly servicePort?: string;
  readonly resource?: CoreV1TypedLocalObjectReference;
}

export interface ExtensionsV1beta1IngressList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ExtensionsV1beta1Ingress[];
}

export interface ExtensionsV1beta1IngressLoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ports?: readonly ExtensionsV1beta1IngressPortStatus[];
}

export interface ExtensionsV1beta1IngressLoadBalancerStatus {
  readonly ingress?: readonly ExtensionsV1beta1IngressLoadBalancerIngress[];
}

export interface ExtensionsV1beta1IngressPortStatus {
  readonly port?: string;
  readonly protocol?: string;
  readonly error?: string;
}

export interface ExtensionsV1beta1IngressRule {
  readonly host?: string;
  readonly http?: ExtensionsV1beta1HTTPIngressRuleValue;
}

export interface ExtensionsV1beta1IngressSpec {
  readonly ingressClassName?: string;
  readonly backend?: ExtensionsV1beta1IngressBackend;
  readonly tls?: readonly ExtensionsV1beta1IngressTLS[];
  readonly rules?: readonly ExtensionsV1beta1IngressRule[];
}

export interface ExtensionsV1beta1IngressStatus {
  readonly loadBalancer?: ExtensionsV1beta1IngressLoadBalancerStatus;
}

export interface ExtensionsV1beta1IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface ExtensionsV1beta1NetworkPolicy {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ExtensionsV1beta1NetworkPolicySpec;
}

export interface ExtensionsV1beta1NetworkPolicyEgressRule {
  readonly ports?: readonly ExtensionsV1beta1NetworkPolicyPort[];
  readonly to?: readonly ExtensionsV1beta1NetworkPolicyPeer[];
}

export interface ExtensionsV1beta1NetworkPolicyIngressRule {
  readonly ports?: readonly ExtensionsV1beta1NetworkPolicyPort[];
  readonly from?: readonly ExtensionsV1beta1NetworkPolicyPeer[];
}

export interface ExtensionsV1beta1NetworkPolicyList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ExtensionsV1beta1NetworkPolicy[];
}

export interface ExtensionsV1beta1NetworkPolicyPeer {
  readonly podSelector?: MetaV1LabelSelector;
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly ipBlock?: ExtensionsV1beta1IPBlock;
}

export interface ExtensionsV1beta1NetworkPolicyPort {
  readonly protocol?: string;
  readonly port?: string;
  readonly endPort?: string;
}

export interface ExtensionsV1beta1NetworkPolicySpec {
  readonly podSelector?: MetaV1LabelSelector;
  readonly ingress?: readonly ExtensionsV1beta1NetworkPolicyIngressRule[];
  readonly egress?: readonly ExtensionsV1beta1NetworkPolicyEgressRule[];
  readonly policyTypes?: readonly string[];
}

export interface ExtensionsV1beta1ReplicaSet {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ExtensionsV1beta1ReplicaSetSpec;
  readonly status?: ExtensionsV1beta1ReplicaSetStatus;
}

export interface ExtensionsV1beta1ReplicaSetCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface ExtensionsV1beta1ReplicaSetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ExtensionsV1beta1ReplicaSet[];
}

export interface ExtensionsV1beta1ReplicaSetSpec {
  readonly replicas?: string;
  readonly minReadySeconds?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly template?: CoreV1PodTemplateSpec;
}

export interface ExtensionsV1beta1ReplicaSetStatus {
  readonly replicas?: string;
  readonly fullyLabeledReplicas?: string;
  readonly readyReplicas?: string;
  readonly availableReplicas?: string;
  readonly terminatingReplicas?: string;
  readonly observedGeneration?: string;
  readonly conditions?: readonly ExtensionsV1beta1ReplicaSetCondition[];
}

export interface ExtensionsV1beta1RollbackConfig {
  readonly revision?: string;
}

export interface ExtensionsV1beta1RollingUpdateDaemonSet {
  readonly maxUnavailable?: string;
  readonly maxSurge?: string;
}

export interface ExtensionsV1beta1RollingUpdateDeployment {
  readonly maxUnavailable?: string;
  readonly maxSurge?: string;
}

export interface ExtensionsV1beta1Scale {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ExtensionsV1beta1ScaleSpec;
  readonly status?: ExtensionsV1beta1ScaleStatus;
}

export interface ExtensionsV1beta1ScaleSpec {
  readonly replicas?: string;
}

export interface ExtensionsV1beta1ScaleStatus {
  readonly replicas?: string;
  readonly selector?: { readonly [key: string]: string };
  readonly targetSelector?: string;
}

export interface FlowcontrolV1ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: string;
  readonly lendablePercent?: string;
}

export interface FlowcontrolV1FlowDistinguisherMethod {
  readonly type?: string;
}

export interface FlowcontrolV1FlowSchema {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: FlowcontrolV1FlowSchemaSpec;
  readonly status?: FlowcontrolV1FlowSchemaStatus;
}

export interface FlowcontrolV1FlowSchemaCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowcontrolV1FlowSchemaList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly FlowcontrolV1FlowSchema[];
}

export interface FlowcontrolV1FlowSchemaSpec {
  readonly priorityLevelConfiguration?: FlowcontrolV1PriorityLevelConfigurationReference;
  readonly matchingPrecedence?: string;
  readonly distinguisherMethod?: FlowcontrolV1FlowDistinguisherMethod;
  readonly rules?: readonly FlowcontrolV1PolicyRulesWithSubjects[];
}

export interface FlowcontrolV1FlowSchemaStatus {
  readonly conditions?: readonly FlowcontrolV1FlowSchemaCondition[];
}

export interface FlowcontrolV1GroupSubject {
  readonly name?: string;
}

export interface FlowcontrolV1LimitResponse {
  readonly type?: string;
  readonly queuing?: FlowcontrolV1QueuingConfiguration;
}

export interface FlowcontrolV1LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: string;
  readonly limitResponse?: FlowcontrolV1LimitResponse;
  readonly lendablePercent?: string;
  readonly borrowingLimitPercent?: string;
}

export interface FlowcontrolV1NonResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface FlowcontrolV1PolicyRulesWithSubjects {
  readonly subjects?: readonly FlowcontrolV1Subject[];
  readonly resourceRules?: readonly FlowcontrolV1ResourcePolicyRule[];
  readonly nonResourceRules?: readonly FlowcontrolV1NonResourcePolicyRule[];
}

export interface FlowcontrolV1PriorityLevelConfiguration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: FlowcontrolV1PriorityLevelConfigurationSpec;
  readonly status?: FlowcontrolV1PriorityLevelConfigurationStatus;
}

export interface FlowcontrolV1PriorityLevelConfigurationCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowcontrolV1PriorityLevelConfigurationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly FlowcontrolV1PriorityLevelConfiguration[];
}

export interface FlowcontrolV1PriorityLevelConfigurationReference {
  readonly name?: string;
}

export interface FlowcontrolV1PriorityLevelConfigurationSpec {
  readonly type?: string;
  readonly limited?: FlowcontrolV1LimitedPriorityLevelConfiguration;
  readonly exempt?: FlowcontrolV1ExemptPriorityLevelConfiguration;
}

export interface FlowcontrolV1PriorityLevelConfigurationStatus {
  readonly conditions?: readonly FlowcontrolV1PriorityLevelConfigurationCondition[];
}

export interface FlowcontrolV1QueuingConfiguration {
  readonly queues?: string;
  readonly handSize?: string;
  readonly queueLengthLimit?: string;
}

export interface FlowcontrolV1ResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly clusterScope?: string;
  readonly namespaces?: readonly string[];
}

export interface FlowcontrolV1ServiceAccountSubject {
  readonly namespace?: string;
  readonly name?: string;
}

export interface FlowcontrolV1Subject {
  readonly kind?: string;
  readonly user?: FlowcontrolV1UserSubject;
  readonly group?: FlowcontrolV1GroupSubject;
  readonly serviceAccount?: FlowcontrolV1ServiceAccountSubject;
}

export interface FlowcontrolV1UserSubject {
  readonly name?: string;
}

export interface FlowcontrolV1beta1ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: string;
  readonly lendablePercent?: string;
}

export interface FlowcontrolV1beta1FlowDistinguisherMethod {
  readonly type?: string;
}

export interface FlowcontrolV1beta1FlowSchema {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: FlowcontrolV1beta1FlowSchemaSpec;
  readonly status?: FlowcontrolV1beta1FlowSchemaStatus;
}

export interface FlowcontrolV1beta1FlowSchemaCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowcontrolV1beta1FlowSchemaList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly FlowcontrolV1beta1FlowSchema[];
}

export interface FlowcontrolV1beta1FlowSchemaSpec {
  readonly priorityLevelConfiguration?: FlowcontrolV1beta1PriorityLevelConfigurationReference;
  readonly matchingPrecedence?: string;
  readonly distinguisherMethod?: FlowcontrolV1beta1FlowDistinguisherMethod;
  readonly rules?: readonly FlowcontrolV1beta1PolicyRulesWithSubjects[];
}

export interface FlowcontrolV1beta1FlowSchemaStatus {
  readonly conditions?: readonly FlowcontrolV1beta1FlowSchemaCondition[];
}

export interface FlowcontrolV1beta1GroupSubject {
  readonly name?: string;
}

export interface FlowcontrolV1beta1LimitResponse {
  readonly type?: string;
  readonly queuing?: FlowcontrolV1beta1QueuingConfiguration;
}

export interface FlowcontrolV1beta1LimitedPriorityLevelConfiguration {
  readonly assuredConcurrencyShares?: string;
  readonly limitResponse?: FlowcontrolV1beta1LimitResponse;
  readonly lendablePercent?: string;
  readonly borrowingLimitPercent?: string;
}

export interface FlowcontrolV1beta1NonResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface FlowcontrolV1beta1PolicyRulesWithSubjects {
  readonly subjects?: readonly FlowcontrolV1beta1Subject[];
  readonly resourceRules?: readonly FlowcontrolV1beta1ResourcePolicyRule[];
  readonly nonResourceRules?: readonly FlowcontrolV1beta1NonResourcePolicyRule[];
}

export interface FlowcontrolV1beta1PriorityLevelConfiguration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: FlowcontrolV1beta1PriorityLevelConfigurationSpec;
  readonly status?: FlowcontrolV1beta1PriorityLevelConfigurationStatus;
}

export interface FlowcontrolV1beta1PriorityLevelConfigurationCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowcontrolV1beta1PriorityLevelConfigurationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly FlowcontrolV1beta1PriorityLevelConfiguration[];
}

export interface FlowcontrolV1beta1PriorityLevelConfigurationReference {
  readonly name?: string;
}

export interface FlowcontrolV1beta1PriorityLevelConfigurationSpec {
  readonly type?: string;
  readonly limited?: FlowcontrolV1beta1LimitedPriorityLevelConfiguration;
  readonly exempt?: FlowcontrolV1beta1ExemptPriorityLevelConfiguration;
}

export interface FlowcontrolV1beta1PriorityLevelConfigurationStatus {
  readonly conditions?: readonly FlowcontrolV1beta1PriorityLevelConfigurationCondition[];
}

export interface FlowcontrolV1beta1QueuingConfiguration {
  readonly queues?: string;
  readonly handSize?: string;
  readonly queueLengthLimit?: string;
}

export interface FlowcontrolV1beta1ResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly clusterScope?: string;
  readonly namespaces?: readonly string[];
}

export interface FlowcontrolV1beta1ServiceAccountSubject {
  readonly namespace?: string;
  readonly name?: string;
}

export interface FlowcontrolV1beta1Subject {
  readonly kind?: string;
  readonly user?: FlowcontrolV1beta1UserSubject;
  readonly group?: FlowcontrolV1beta1GroupSubject;
  readonly serviceAccount?: FlowcontrolV1beta1ServiceAccountSubject;
}

export interface FlowcontrolV1beta1UserSubject {
  readonly name?: string;
}

export interface FlowcontrolV1beta2ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: string;
  readonly lendablePercent?: string;
}

export interface FlowcontrolV1beta2FlowDistinguisherMethod {
  readonly type?: string;
}

export interface FlowcontrolV1beta2FlowSchema {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: FlowcontrolV1beta2FlowSchemaSpec;
  readonly status?: FlowcontrolV1beta2FlowSchemaStatus;
}

export interface FlowcontrolV1beta2FlowSchemaCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowcontrolV1beta2FlowSchemaList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly FlowcontrolV1beta2FlowSchema[];
}

export interface FlowcontrolV1beta2FlowSchemaSpec {
  readonly priorityLevelConfiguration?: FlowcontrolV1beta2PriorityLevelConfigurationReference;
  readonly matchingPrecedence?: string;
  readonly distinguisherMethod?: FlowcontrolV1beta2FlowDistinguisherMethod;
  readonly rules?: readonly FlowcontrolV1beta2PolicyRulesWithSubjects[];
}

export interface FlowcontrolV1beta2FlowSchemaStatus {
  readonly conditions?: readonly FlowcontrolV1beta2FlowSchemaCondition[];
}

export interface FlowcontrolV1beta2GroupSubject {
  readonly name?: string;
}

export interface FlowcontrolV1beta2LimitResponse {
  readonly type?: string;
  readonly queuing?: FlowcontrolV1beta2QueuingConfiguration;
}

export interface FlowcontrolV1beta2LimitedPriorityLevelConfiguration {
  readonly assuredConcurrencyShares?: string;
  readonly limitResponse?: FlowcontrolV1beta2LimitResponse;
  readonly lendablePercent?: string;
  readonly borrowingLimitPercent?: string;
}

export interface FlowcontrolV1beta2NonResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface FlowcontrolV1beta2PolicyRulesWithSubjects {
  readonly subjects?: readonly FlowcontrolV1beta2Subject[];
  readonly resourceRules?: readonly FlowcontrolV1beta2ResourcePolicyRule[];
  readonly nonResourceRules?: readonly FlowcontrolV1beta2NonResourcePolicyRule[];
}

export interface FlowcontrolV1beta2PriorityLevelConfiguration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: FlowcontrolV1beta2PriorityLevelConfigurationSpec;
  readonly status?: FlowcontrolV1beta2PriorityLevelConfigurationStatus;
}

export interface FlowcontrolV1beta2PriorityLevelConfigurationCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowcontrolV1beta2PriorityLevelConfigurationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly FlowcontrolV1beta2PriorityLevelConfiguration[];
}

export interface FlowcontrolV1beta2PriorityLevelConfigurationReference {
  readonly name?: string;
}

export interface FlowcontrolV1beta2PriorityLevelConfigurationSpec {
  readonly type?: string;
  readonly limited?: FlowcontrolV1beta2LimitedPriorityLevelConfiguration;
  readonly exempt?: FlowcontrolV1beta2ExemptPriorityLevelConfiguration;
}

export interface FlowcontrolV1beta2PriorityLevelConfigurationStatus {
  readonly conditions?: readonly FlowcontrolV1beta2PriorityLevelConfigurationCondition[];
}

export interface FlowcontrolV1beta2QueuingConfiguration {
  readonly queues?: string;
  readonly handSize?: string;
  readonly queueLengthLimit?: string;
}

export interface FlowcontrolV1beta2ResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly clusterScope?: string;
  readonly namespaces?: readonly string[];
}

export interface FlowcontrolV1beta2ServiceAccountSubject {
  readonly namespace?: string;
  readonly name?: string;
}

export interface FlowcontrolV1beta2Subject {
  readonly kind?: string;
  readonly user?: FlowcontrolV1beta2UserSubject;
  readonly group?: FlowcontrolV1beta2GroupSubject;
  readonly serviceAccount?: FlowcontrolV1beta2ServiceAccountSubject;
}

export interface FlowcontrolV1beta2UserSubject {
  readonly name?: string;
}

export interface FlowcontrolV1beta3ExemptPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: string;
  readonly lendablePercent?: string;
}

export interface FlowcontrolV1beta3FlowDistinguisherMethod {
  readonly type?: string;
}

export interface FlowcontrolV1beta3FlowSchema {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: FlowcontrolV1beta3FlowSchemaSpec;
  readonly status?: FlowcontrolV1beta3FlowSchemaStatus;
}

export interface FlowcontrolV1beta3FlowSchemaCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowcontrolV1beta3FlowSchemaList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly FlowcontrolV1beta3FlowSchema[];
}

export interface FlowcontrolV1beta3FlowSchemaSpec {
  readonly priorityLevelConfiguration?: FlowcontrolV1beta3PriorityLevelConfigurationReference;
  readonly matchingPrecedence?: string;
  readonly distinguisherMethod?: FlowcontrolV1beta3FlowDistinguisherMethod;
  readonly rules?: readonly FlowcontrolV1beta3PolicyRulesWithSubjects[];
}

export interface FlowcontrolV1beta3FlowSchemaStatus {
  readonly conditions?: readonly FlowcontrolV1beta3FlowSchemaCondition[];
}

export interface FlowcontrolV1beta3GroupSubject {
  readonly name?: string;
}

export interface FlowcontrolV1beta3LimitResponse {
  readonly type?: string;
  readonly queuing?: FlowcontrolV1beta3QueuingConfiguration;
}

export interface FlowcontrolV1beta3LimitedPriorityLevelConfiguration {
  readonly nominalConcurrencyShares?: string;
  readonly limitResponse?: FlowcontrolV1beta3LimitResponse;
  readonly lendablePercent?: string;
  readonly borrowingLimitPercent?: string;
}

export interface FlowcontrolV1beta3NonResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface FlowcontrolV1beta3PolicyRulesWithSubjects {
  readonly subjects?: readonly FlowcontrolV1beta3Subject[];
  readonly resourceRules?: readonly FlowcontrolV1beta3ResourcePolicyRule[];
  readonly nonResourceRules?: readonly FlowcontrolV1beta3NonResourcePolicyRule[];
}

export interface FlowcontrolV1beta3PriorityLevelConfiguration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: FlowcontrolV1beta3PriorityLevelConfigurationSpec;
  readonly status?: FlowcontrolV1beta3PriorityLevelConfigurationStatus;
}

export interface FlowcontrolV1beta3PriorityLevelConfigurationCondition {
  readonly type?: string;
  readonly status?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface FlowcontrolV1beta3PriorityLevelConfigurationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly FlowcontrolV1beta3PriorityLevelConfiguration[];
}

export interface FlowcontrolV1beta3PriorityLevelConfigurationReference {
  readonly name?: string;
}

export interface FlowcontrolV1beta3PriorityLevelConfigurationSpec {
  readonly type?: string;
  readonly limited?: FlowcontrolV1beta3LimitedPriorityLevelConfiguration;
  readonly exempt?: FlowcontrolV1beta3ExemptPriorityLevelConfiguration;
}

export interface FlowcontrolV1beta3PriorityLevelConfigurationStatus {
  readonly conditions?: readonly FlowcontrolV1beta3PriorityLevelConfigurationCondition[];
}

export interface FlowcontrolV1beta3QueuingConfiguration {
  readonly queues?: string;
  readonly handSize?: string;
  readonly queueLengthLimit?: string;
}

export interface FlowcontrolV1beta3ResourcePolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly clusterScope?: string;
  readonly namespaces?: readonly string[];
}

export interface FlowcontrolV1beta3ServiceAccountSubject {
  readonly namespace?: string;
  readonly name?: string;
}

export interface FlowcontrolV1beta3Subject {
  readonly kind?: string;
  readonly user?: FlowcontrolV1beta3UserSubject;
  readonly group?: FlowcontrolV1beta3GroupSubject;
  readonly serviceAccount?: FlowcontrolV1beta3ServiceAccountSubject;
}

export interface FlowcontrolV1beta3UserSubject {
  readonly name?: string;
}

export interface ImagepolicyV1alpha1ImageReview {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ImagepolicyV1alpha1ImageReviewSpec;
  readonly status?: ImagepolicyV1alpha1ImageReviewStatus;
}

export interface ImagepolicyV1alpha1ImageReviewContainerSpec {
  readonly image?: string;
}

export interface ImagepolicyV1alpha1ImageReviewSpec {
  readonly containers?: readonly ImagepolicyV1alpha1ImageReviewContainerSpec[];
  readonly annotations?: { readonly [key: string]: string };
  readonly namespace?: string;
}

export interface ImagepolicyV1alpha1ImageReviewStatus {
  readonly allowed?: string;
  readonly reason?: string;
  readonly auditAnnotations?: { readonly [key: string]: string };
}

export interface LifecycleV1alpha1Eviction {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: LifecycleV1alpha1EvictionSpec;
  readonly status?: LifecycleV1alpha1EvictionStatus;
}

export interface LifecycleV1alpha1EvictionList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly LifecycleV1alpha1Eviction[];
}

export interface LifecycleV1alpha1EvictionPodReference {
  readonly name?: string;
  readonly uid?: string;
}

export interface LifecycleV1alpha1EvictionRequest {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: LifecycleV1alpha1EvictionRequestSpec;
  readonly status?: LifecycleV1alpha1EvictionRequestStatus;
}

export interface LifecycleV1alpha1EvictionRequestList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly LifecycleV1alpha1EvictionRequest[];
}

export interface LifecycleV1alpha1EvictionRequestPodReference {
  readonly name?: string;
  readonly uid?: string;
}

export interface LifecycleV1alpha1EvictionRequestSpec {
  readonly target?: LifecycleV1alpha1EvictionRequestTarget;
  readonly requester?: string;
  readonly intent?: string;
}

export interface LifecycleV1alpha1EvictionRequestStatus {
  readonly conditions?: readonly MetaV1Condition[];
  readonly observedGeneration?: string;
}

export interface LifecycleV1alpha1EvictionRequestTarget {
  readonly pod?: LifecycleV1alpha1EvictionRequestPodReference;
}

export interface LifecycleV1alpha1EvictionSpec {
  readonly target?: LifecycleV1alpha1EvictionTarget;
}

export interface LifecycleV1alpha1EvictionStatus {
  readonly conditions?: readonly MetaV1Condition[];
  readonly observedGeneration?: string;
  readonly requesters?: readonly LifecycleV1alpha1Requester[];
  readonly targetResponders?: readonly LifecycleV1alpha1TargetResponder[];
  readonly responders?: readonly LifecycleV1alpha1ResponderStatus[];
}

export interface LifecycleV1alpha1EvictionTarget {
  readonly pod?: LifecycleV1alpha1EvictionPodReference;
}

export interface LifecycleV1alpha1Requester {
  readonly name?: string;
  readonly intent?: string;
}

export interface LifecycleV1alpha1ResponderStatus {
  readonly name?: string;
  readonly startTime?: string;
  readonly heartbeatTime?: string;
  readonly expectedCompletionTime?: string;
  readonly completionTime?: string;
  readonly message?: string;
}

export interface LifecycleV1alpha1TargetResponder {
  readonly name?: string;
  readonly priority?: string;
  readonly state?: string;
}

export interface MetaV1APIGroup {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly versions?: readonly MetaV1GroupVersionForDiscovery[];
  readonly preferredVersion?: MetaV1GroupVersionForDiscovery;
  readonly serverAddressByClientCIDRs?: readonly MetaV1ServerAddressByClientCIDR[];
}

export interface MetaV1APIGroupList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly groups?: readonly MetaV1APIGroup[];
}

export interface MetaV1APIResource {
  readonly name?: string;
  readonly singularName?: string;
  readonly namespaced?: string;
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly verbs?: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

export interface MetaV1APIResourceList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly groupVersion?: string;
  readonly resources?: readonly MetaV1APIResource[];
}

export interface MetaV1APIVersions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly versions?: readonly string[];
  readonly serverAddressByClientCIDRs?: readonly MetaV1ServerAddressByClientCIDR[];
}

export interface MetaV1ApplyOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly dryRun?: readonly string[];
  readonly force?: string;
  readonly fieldManager?: string;
}

export interface MetaV1Condition {
  readonly type?: string;
  readonly status?: string;
  readonly observedGeneration?: string;
  readonly lastTransitionTime?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface MetaV1CreateOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly dryRun?: readonly string[];
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
}

export interface MetaV1DeleteOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly gracePeriodSeconds?: string;
  readonly preconditions?: MetaV1Preconditions;
  readonly orphanDependents?: string;
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
  readonly ignoreStoreReadErrorWithClusterBreakingPotential?: string;
}

export interface MetaV1FieldSelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface MetaV1GetOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
}

export interface MetaV1GroupResource {
  readonly group?: string;
  readonly resource?: string;
}

export interface MetaV1GroupVersionForDiscovery {
  readonly groupVersion?: string;
  readonly version?: string;
}

export interface MetaV1GroupVersionKind {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

export interface MetaV1GroupVersionResource {
  readonly group?: string;
  readonly version?: string;
  readonly resource?: string;
}

export interface MetaV1LabelSelector {
  readonly matchLabels?: { readonly [key: string]: string };
  readonly matchExpressions?: readonly MetaV1LabelSelectorRequirement[];
}

export interface MetaV1LabelSelectorRequirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

export interface MetaV1List {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly unknown[];
}

export interface MetaV1ListMeta {
  readonly selfLink?: string;
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: string;
  readonly shardInfo?: MetaV1ShardInfo;
}

export interface MetaV1ListOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly watch?: string;
  readonly allowWatchBookmarks?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: string;
  readonly timeoutSeconds?: string;
  readonly limit?: string;
  readonly continue?: string;
  readonly sendInitialEvents?: string;
  readonly shardSelector?: string;
}

export interface MetaV1ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: string;
  readonly fieldsV1?: unknown;
  readonly subresource?: string;
}

export interface MetaV1ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly selfLink?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: string;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: string;
  readonly labels?: { readonly [key: string]: string };
  readonly annotations?: { readonly [key: string]: string };
  readonly ownerReferences?: readonly MetaV1OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly managedFields?: readonly MetaV1ManagedFieldsEntry[];
}

export interface MetaV1OwnerReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly controller?: string;
  readonly blockOwnerDeletion?: string;
}

export interface MetaV1PartialObjectMetadata {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
}

export interface MetaV1PartialObjectMetadataList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly MetaV1PartialObjectMetadata[];
}

export interface MetaV1PatchOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly dryRun?: readonly string[];
  readonly force?: string;
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
}

export interface MetaV1Preconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface MetaV1ServerAddressByClientCIDR {
  readonly clientCIDR?: string;
  readonly serverAddress?: string;
}

export interface MetaV1ShardInfo {
  readonly selector?: string;
}

export interface MetaV1Status {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly details?: MetaV1StatusDetails;
  readonly code?: string;
}

export interface MetaV1StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export interface MetaV1StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly MetaV1StatusCause[];
  readonly retryAfterSeconds?: string;
}

export interface MetaV1Table {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly columnDefinitions?: readonly MetaV1TableColumnDefinition[];
  readonly rows?: readonly MetaV1TableRow[];
}

export interface MetaV1TableColumnDefinition {
  readonly name?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: string;
}

export interface MetaV1TableOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly includeObject?: string;
}

export interface MetaV1TableRow {
  readonly conditions?: readonly MetaV1TableRowCondition[];
  readonly object?: unknown;
}

export interface MetaV1TableRowCondition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

export interface MetaV1UpdateOptions {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly dryRun?: readonly string[];
  readonly fieldManager?: string;
  readonly fieldValidation?: string;
}

export interface MetaV1WatchEvent {
  readonly type?: string;
  readonly object?: unknown;
}

export interface NetworkingV1HTTPIngressPath {
  readonly path?: string;
  readonly pathType?: string;
  readonly backend?: NetworkingV1IngressBackend;
}

export interface NetworkingV1HTTPIngressRuleValue {
  readonly paths?: readonly NetworkingV1HTTPIngressPath[];
}

export interface NetworkingV1IPAddress {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NetworkingV1IPAddressSpec;
}

export interface NetworkingV1IPAddressList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NetworkingV1IPAddress[];
}

export interface NetworkingV1IPAddressSpec {
  readonly parentRef?: NetworkingV1ParentReference;
}

export interface NetworkingV1IPBlock {
  readonly cidr?: string;
  readonly except?: readonly string[];
}

export interface NetworkingV1Ingress {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NetworkingV1IngressSpec;
  readonly status?: NetworkingV1IngressStatus;
}

export interface NetworkingV1IngressBackend {
  readonly service?: NetworkingV1IngressServiceBackend;
  readonly resource?: CoreV1TypedLocalObjectReference;
}

export interface NetworkingV1IngressClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NetworkingV1IngressClassSpec;
}

export interface NetworkingV1IngressClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NetworkingV1IngressClass[];
}

export interface NetworkingV1IngressClassParametersReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly scope?: string;
  readonly namespace?: string;
}

export interface NetworkingV1IngressClassSpec {
  readonly controller?: string;
  readonly parameters?: NetworkingV1IngressClassParametersReference;
}

export interface NetworkingV1IngressList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NetworkingV1Ingress[];
}

export interface NetworkingV1IngressLoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ports?: readonly NetworkingV1IngressPortStatus[];
}

export interface NetworkingV1IngressLoadBalancerStatus {
  readonly ingress?: readonly NetworkingV1IngressLoadBalancerIngress[];
}

export interface NetworkingV1IngressPortStatus {
  readonly port?: string;
  readonly protocol?: string;
  readonly error?: string;
}

export interface NetworkingV1IngressRule {
  readonly host?: string;
  readonly http?: NetworkingV1HTTPIngressRuleValue;
}

export interface NetworkingV1IngressServiceBackend {
  readonly name?: string;
  readonly port?: NetworkingV1ServiceBackendPort;
}

export interface NetworkingV1IngressSpec {
  readonly ingressClassName?: string;
  readonly defaultBackend?: NetworkingV1IngressBackend;
  readonly tls?: readonly NetworkingV1IngressTLS[];
  readonly rules?: readonly NetworkingV1IngressRule[];
}

export interface NetworkingV1IngressStatus {
  readonly loadBalancer?: NetworkingV1IngressLoadBalancerStatus;
}

export interface NetworkingV1IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface NetworkingV1NetworkPolicy {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NetworkingV1NetworkPolicySpec;
}

export interface NetworkingV1NetworkPolicyEgressRule {
  readonly ports?: readonly NetworkingV1NetworkPolicyPort[];
  readonly to?: readonly NetworkingV1NetworkPolicyPeer[];
}

export interface NetworkingV1NetworkPolicyIngressRule {
  readonly ports?: readonly NetworkingV1NetworkPolicyPort[];
  readonly from?: readonly NetworkingV1NetworkPolicyPeer[];
}

export interface NetworkingV1NetworkPolicyList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NetworkingV1NetworkPolicy[];
}

export interface NetworkingV1NetworkPolicyPeer {
  readonly podSelector?: MetaV1LabelSelector;
  readonly namespaceSelector?: MetaV1LabelSelector;
  readonly ipBlock?: NetworkingV1IPBlock;
}

export interface NetworkingV1NetworkPolicyPort {
  readonly protocol?: string;
  readonly port?: string;
  readonly endPort?: string;
}

export interface NetworkingV1NetworkPolicySpec {
  readonly podSelector?: MetaV1LabelSelector;
  readonly ingress?: readonly NetworkingV1NetworkPolicyIngressRule[];
  readonly egress?: readonly NetworkingV1NetworkPolicyEgressRule[];
  readonly policyTypes?: readonly string[];
}

export interface NetworkingV1ParentReference {
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface NetworkingV1ServiceBackendPort {
  readonly name?: string;
  readonly number?: string;
}

export interface NetworkingV1ServiceCIDR {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NetworkingV1ServiceCIDRSpec;
  readonly status?: NetworkingV1ServiceCIDRStatus;
}

export interface NetworkingV1ServiceCIDRList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NetworkingV1ServiceCIDR[];
}

export interface NetworkingV1ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

export interface NetworkingV1ServiceCIDRStatus {
  readonly conditions?: readonly MetaV1Condition[];
}

export interface NetworkingV1beta1HTTPIngressPath {
  readonly path?: string;
  readonly pathType?: string;
  readonly backend?: NetworkingV1beta1IngressBackend;
}

export interface NetworkingV1beta1HTTPIngressRuleValue {
  readonly paths?: readonly NetworkingV1beta1HTTPIngressPath[];
}

export interface NetworkingV1beta1IPAddress {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NetworkingV1beta1IPAddressSpec;
}

export interface NetworkingV1beta1IPAddressList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NetworkingV1beta1IPAddress[];
}

export interface NetworkingV1beta1IPAddressSpec {
  readonly parentRef?: NetworkingV1beta1ParentReference;
}

export interface NetworkingV1beta1Ingress {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NetworkingV1beta1IngressSpec;
  readonly status?: NetworkingV1beta1IngressStatus;
}

export interface NetworkingV1beta1IngressBackend {
  readonly serviceName?: string;
  readonly servicePort?: string;
  readonly resource?: CoreV1TypedLocalObjectReference;
}

export interface NetworkingV1beta1IngressClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NetworkingV1beta1IngressClassSpec;
}

export interface NetworkingV1beta1IngressClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NetworkingV1beta1IngressClass[];
}

export interface NetworkingV1beta1IngressClassParametersReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly scope?: string;
  readonly namespace?: string;
}

export interface NetworkingV1beta1IngressClassSpec {
  readonly controller?: string;
  readonly parameters?: NetworkingV1beta1IngressClassParametersReference;
}

export interface NetworkingV1beta1IngressList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NetworkingV1beta1Ingress[];
}

export interface NetworkingV1beta1IngressLoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ports?: readonly NetworkingV1beta1IngressPortStatus[];
}

export interface NetworkingV1beta1IngressLoadBalancerStatus {
  readonly ingress?: readonly NetworkingV1beta1IngressLoadBalancerIngress[];
}

export interface NetworkingV1beta1IngressPortStatus {
  readonly port?: string;
  readonly protocol?: string;
  readonly error?: string;
}

export interface NetworkingV1beta1IngressRule {
  readonly host?: string;
  readonly http?: NetworkingV1beta1HTTPIngressRuleValue;
}

export interface NetworkingV1beta1IngressSpec {
  readonly ingressClassName?: string;
  readonly backend?: NetworkingV1beta1IngressBackend;
  readonly tls?: readonly NetworkingV1beta1IngressTLS[];
  readonly rules?: readonly NetworkingV1beta1IngressRule[];
}

export interface NetworkingV1beta1IngressStatus {
  readonly loadBalancer?: NetworkingV1beta1IngressLoadBalancerStatus;
}

export interface NetworkingV1beta1IngressTLS {
  readonly hosts?: readonly string[];
  readonly secretName?: string;
}

export interface NetworkingV1beta1ParentReference {
  readonly group?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

export interface NetworkingV1beta1ServiceCIDR {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NetworkingV1beta1ServiceCIDRSpec;
  readonly status?: NetworkingV1beta1ServiceCIDRStatus;
}

export interface NetworkingV1beta1ServiceCIDRList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NetworkingV1beta1ServiceCIDR[];
}

export interface NetworkingV1beta1ServiceCIDRSpec {
  readonly cidrs?: readonly string[];
}

export interface NetworkingV1beta1ServiceCIDRStatus {
  readonly conditions?: readonly MetaV1Condition[];
}

export interface NodeV1Overhead {
  readonly podFixed?: { readonly [key: string]: string };
}

export interface NodeV1RuntimeClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly handler?: string;
  readonly overhead?: NodeV1Overhead;
  readonly scheduling?: NodeV1Scheduling;
}

export interface NodeV1RuntimeClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NodeV1RuntimeClass[];
}

export interface NodeV1Scheduling {
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly CoreV1Toleration[];
}

export interface NodeV1alpha1Overhead {
  readonly podFixed?: { readonly [key: string]: string };
}

export interface NodeV1alpha1RuntimeClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: NodeV1alpha1RuntimeClassSpec;
}

export interface NodeV1alpha1RuntimeClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NodeV1alpha1RuntimeClass[];
}

export interface NodeV1alpha1RuntimeClassSpec {
  readonly runtimeHandler?: string;
  readonly overhead?: NodeV1alpha1Overhead;
  readonly scheduling?: NodeV1alpha1Scheduling;
}

export interface NodeV1alpha1Scheduling {
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly CoreV1Toleration[];
}

export interface NodeV1beta1Overhead {
  readonly podFixed?: { readonly [key: string]: string };
}

export interface NodeV1beta1RuntimeClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly handler?: string;
  readonly overhead?: NodeV1beta1Overhead;
  readonly scheduling?: NodeV1beta1Scheduling;
}

export interface NodeV1beta1RuntimeClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly NodeV1beta1RuntimeClass[];
}

export interface NodeV1beta1Scheduling {
  readonly nodeSelector?: { readonly [key: string]: string };
  readonly tolerations?: readonly CoreV1Toleration[];
}

export interface PolicyV1Eviction {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly deleteOptions?: MetaV1DeleteOptions;
}

export interface PolicyV1PodDisruptionBudget {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: PolicyV1PodDisruptionBudgetSpec;
  readonly status?: PolicyV1PodDisruptionBudgetStatus;
}

export interface PolicyV1PodDisruptionBudgetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly PolicyV1PodDisruptionBudget[];
}

export interface PolicyV1PodDisruptionBudgetSpec {
  readonly minAvailable?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly maxUnavailable?: string;
  readonly unhealthyPodEvictionPolicy?: string;
}

export interface PolicyV1PodDisruptionBudgetStatus {
  readonly observedGeneration?: string;
  readonly disruptedPods?: { readonly [key: string]: string };
  readonly disruptionsAllowed?: string;
  readonly currentHealthy?: string;
  readonly desiredHealthy?: string;
  readonly expectedPods?: string;
  readonly conditions?: readonly MetaV1Condition[];
}

export interface PolicyV1beta1Eviction {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly deleteOptions?: MetaV1DeleteOptions;
}

export interface PolicyV1beta1PodDisruptionBudget {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: PolicyV1beta1PodDisruptionBudgetSpec;
  readonly status?: PolicyV1beta1PodDisruptionBudgetStatus;
}

export interface PolicyV1beta1PodDisruptionBudgetList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly PolicyV1beta1PodDisruptionBudget[];
}

export interface PolicyV1beta1PodDisruptionBudgetSpec {
  readonly minAvailable?: string;
  readonly selector?: MetaV1LabelSelector;
  readonly maxUnavailable?: string;
  readonly unhealthyPodEvictionPolicy?: string;
}

export interface PolicyV1beta1PodDisruptionBudgetStatus {
  readonly observedGeneration?: string;
  readonly disruptedPods?: { readonly [key: string]: string };
  readonly disruptionsAllowed?: string;
  readonly currentHealthy?: string;
  readonly desiredHealthy?: string;
  readonly expectedPods?: string;
  readonly conditions?: readonly MetaV1Condition[];
}

export interface RbacV1AggregationRule {
  readonly clusterRoleSelectors?: readonly MetaV1LabelSelector[];
}

export interface RbacV1ClusterRole {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly rules?: readonly RbacV1PolicyRule[];
  readonly aggregationRule?: RbacV1AggregationRule;
}

export interface RbacV1ClusterRoleBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly subjects?: readonly RbacV1Subject[];
  readonly roleRef?: RbacV1RoleRef;
}

export interface RbacV1ClusterRoleBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1ClusterRoleBinding[];
}

export interface RbacV1ClusterRoleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1ClusterRole[];
}

export interface RbacV1PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RbacV1Role {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly rules?: readonly RbacV1PolicyRule[];
}

export interface RbacV1RoleBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly subjects?: readonly RbacV1Subject[];
  readonly roleRef?: RbacV1RoleRef;
}

export interface RbacV1RoleBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1RoleBinding[];
}

export interface RbacV1RoleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1Role[];
}

export interface RbacV1RoleRef {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface RbacV1Subject {
  readonly kind?: string;
  readonly apiGroup?: string;
  readonly name?: string;
  readonly namespace?: string;
}

export interface RbacV1alpha1AggregationRule {
  readonly clusterRoleSelectors?: readonly MetaV1LabelSelector[];
}

export interface RbacV1alpha1ClusterRole {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly rules?: readonly RbacV1alpha1PolicyRule[];
  readonly aggregationRule?: RbacV1alpha1AggregationRule;
}

export interface RbacV1alpha1ClusterRoleBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly subjects?: readonly RbacV1alpha1Subject[];
  readonly roleRef?: RbacV1alpha1RoleRef;
}

export interface RbacV1alpha1ClusterRoleBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1alpha1ClusterRoleBinding[];
}

export interface RbacV1alpha1ClusterRoleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1alpha1ClusterRole[];
}

export interface RbacV1alpha1PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RbacV1alpha1Role {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly rules?: readonly RbacV1alpha1PolicyRule[];
}

export interface RbacV1alpha1RoleBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly subjects?: readonly RbacV1alpha1Subject[];
  readonly roleRef?: RbacV1alpha1RoleRef;
}

export interface RbacV1alpha1RoleBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1alpha1RoleBinding[];
}

export interface RbacV1alpha1RoleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1alpha1Role[];
}

export interface RbacV1alpha1RoleRef {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface RbacV1alpha1Subject {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly namespace?: string;
}

export interface RbacV1beta1AggregationRule {
  readonly clusterRoleSelectors?: readonly MetaV1LabelSelector[];
}

export interface RbacV1beta1ClusterRole {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly rules?: readonly RbacV1beta1PolicyRule[];
  readonly aggregationRule?: RbacV1beta1AggregationRule;
}

export interface RbacV1beta1ClusterRoleBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly subjects?: readonly RbacV1beta1Subject[];
  readonly roleRef?: RbacV1beta1RoleRef;
}

export interface RbacV1beta1ClusterRoleBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1beta1ClusterRoleBinding[];
}

export interface RbacV1beta1ClusterRoleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1beta1ClusterRole[];
}

export interface RbacV1beta1PolicyRule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export interface RbacV1beta1Role {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly rules?: readonly RbacV1beta1PolicyRule[];
}

export interface RbacV1beta1RoleBinding {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly subjects?: readonly RbacV1beta1Subject[];
  readonly roleRef?: RbacV1beta1RoleRef;
}

export interface RbacV1beta1RoleBindingList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1beta1RoleBinding[];
}

export interface RbacV1beta1RoleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly RbacV1beta1Role[];
}

export interface RbacV1beta1RoleRef {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface RbacV1beta1Subject {
  readonly kind?: string;
  readonly apiGroup?: string;
  readonly name?: string;
  readonly namespace?: string;
}

export interface ResourceV1AllocatedDeviceStatus {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly shareID?: string;
  readonly conditions?: readonly MetaV1Condition[];
  readonly data?: unknown;
  readonly networkData?: ResourceV1NetworkDeviceData;
}

export interface ResourceV1AllocationResult {
  readonly devices?: ResourceV1DeviceAllocationResult;
  readonly nodeSelector?: CoreV1NodeSelector;
  readonly allocationTimestamp?: string;
}

export interface ResourceV1CELDeviceSelector {
  readonly expression?: string;
}

export interface ResourceV1CapacityRequestPolicy {
  readonly default?: string;
  readonly validValues?: readonly string[];
  readonly validRange?: ResourceV1CapacityRequestPolicyRange;
}

export interface ResourceV1CapacityRequestPolicyRange {
  readonly min?: string;
  readonly max?: string;
  readonly step?: string;
}

export interface ResourceV1CapacityRequirements {
  readonly requests?: { readonly [key: string]: string };
}

export interface ResourceV1Counter {
  readonly value?: string;
}

export interface ResourceV1CounterSet {
  readonly name?: string;
  readonly counters?: { readonly [key: string]: ResourceV1Counter };
}

export interface ResourceV1Device {
  readonly name?: string;
  readonly attributes?: { readonly [key: string]: ResourceV1DeviceAttribute };
  readonly capacity?: { readonly [key: string]: ResourceV1DeviceCapacity };
  readonly consumesCounters?: readonly ResourceV1DeviceCounterConsumption[];
  readonly nodeName?: string;
  readonly nodeSelector?: CoreV1NodeSelector;
  readonly allNodes?: string;
  readonly taints?: readonly ResourceV1DeviceTaint[];
  readonly bindsToNode?: string;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly allowMultipleAllocations?: string;
  readonly nodeAllocatableResources?: { readonly [key: string]: ResourceV1NodeAllocatableResource };
}

export interface ResourceV1DeviceAllocationConfiguration {
  readonly source?: string;
  readonly requests?: readonly string[];
  readonly opaque?: ResourceV1OpaqueDeviceConfiguration;
}

export interface ResourceV1DeviceAllocationResult {
  readonly results?: readonly ResourceV1DeviceRequestAllocationResult[];
  readonly config?: readonly ResourceV1DeviceAllocationConfiguration[];
}

export interface ResourceV1DeviceAttribute {
  readonly int?: string;
  readonly bool?: string;
  readonly string?: string;
  readonly version?: string;
  readonly ints?: readonly string[];
  readonly bools?: readonly string[];
  readonly strings?: readonly string[];
  readonly versions?: readonly string[];
}

export interface ResourceV1DeviceCapacity {
  readonly value?: string;
  readonly requestPolicy?: ResourceV1CapacityRequestPolicy;
}

export interface ResourceV1DeviceClaim {
  readonly requests?: readonly ResourceV1DeviceRequest[];
  readonly constraints?: readonly ResourceV1DeviceConstraint[];
  readonly config?: readonly ResourceV1DeviceClaimConfiguration[];
}

export interface ResourceV1DeviceClaimConfiguration {
  readonly requests?: readonly string[];
  readonly opaque?: ResourceV1OpaqueDeviceConfiguration;
}

export interface ResourceV1DeviceClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1DeviceClassSpec;
}

export interface ResourceV1DeviceClassConfiguration {
  readonly opaque?: ResourceV1OpaqueDeviceConfiguration;
}

export interface ResourceV1DeviceClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1DeviceClass[];
}

export interface ResourceV1DeviceClassSpec {
  readonly selectors?: readonly ResourceV1DeviceSelector[];
  readonly config?: readonly ResourceV1DeviceClassConfiguration[];
  readonly extendedResourceName?: string;
}

export interface ResourceV1DeviceConstraint {
  readonly requests?: readonly string[];
  readonly matchAttribute?: string;
  readonly distinctAttribute?: string;
}

export interface ResourceV1DeviceCounterConsumption {
  readonly counterSet?: string;
  readonly counters?: { readonly [key: string]: ResourceV1Counter };
  readonly compatibilityGroups?: readonly string[];
}

export interface ResourceV1DeviceDerivedAttribute {
  readonly name?: string;
  readonly expression?: string;
}

export interface ResourceV1DeviceRequest {
  readonly name?: string;
  readonly exactly?: ResourceV1ExactDeviceRequest;
  readonly firstAvailable?: readonly ResourceV1DeviceSubRequest[];
}

export interface ResourceV1DeviceRequestAllocationResult {
  readonly request?: string;
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly adminAccess?: string;
  readonly tolerations?: readonly ResourceV1DeviceToleration[];
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly shareID?: string;
  readonly consumedCapacity?: { readonly [key: string]: string };
  readonly skipNodeOperations?: readonly string[];
}

export interface ResourceV1DeviceSelector {
  readonly cel?: ResourceV1CELDeviceSelector;
}

export interface ResourceV1DeviceSubRequest {
  readonly name?: string;
  readonly deviceClassName?: string;
  readonly selectors?: readonly ResourceV1DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: string;
  readonly tolerations?: readonly ResourceV1DeviceToleration[];
  readonly capacity?: ResourceV1CapacityRequirements;
  readonly derivedAttributes?: readonly ResourceV1DeviceDerivedAttribute[];
}

export interface ResourceV1DeviceTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

export interface ResourceV1DeviceTaintRule {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1DeviceTaintRuleSpec;
  readonly status?: ResourceV1DeviceTaintRuleStatus;
}

export interface ResourceV1DeviceTaintRuleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1DeviceTaintRule[];
}

export interface ResourceV1DeviceTaintRuleSpec {
  readonly deviceSelector?: ResourceV1DeviceTaintSelector;
  readonly taint?: ResourceV1DeviceTaint;
}

export interface ResourceV1DeviceTaintRuleStatus {
  readonly conditions?: readonly MetaV1Condition[];
}

export interface ResourceV1DeviceTaintSelector {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
}

export interface ResourceV1DeviceToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: string;
}

export interface ResourceV1ExactDeviceRequest {
  readonly deviceClassName?: string;
  readonly selectors?: readonly ResourceV1DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: string;
  readonly adminAccess?: string;
  readonly tolerations?: readonly ResourceV1DeviceToleration[];
  readonly capacity?: ResourceV1CapacityRequirements;
  readonly derivedAttributes?: readonly ResourceV1DeviceDerivedAttribute[];
}

export interface ResourceV1NetworkDeviceData {
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
  readonly hardwareAddress?: string;
}

export interface ResourceV1NodeAllocatableMapping {
  readonly capacityKey?: string;
  readonly capacityMultiplier?: string;
  readonly deviceMultiplier?: string;
}

export interface ResourceV1NodeAllocatableOverhead {
  readonly perPod?: string;
  readonly perContainer?: string;
}

export interface ResourceV1NodeAllocatableResource {
  readonly mapping?: ResourceV1NodeAllocatableMapping;
  readonly overhead?: ResourceV1NodeAllocatableOverhead;
}

export interface ResourceV1OpaqueDeviceConfiguration {
  readonly driver?: string;
  readonly parameters?: unknown;
}

export interface ResourceV1ResourceClaim {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1ResourceClaimSpec;
  readonly status?: ResourceV1ResourceClaimStatus;
}

export interface ResourceV1ResourceClaimConsumerReference {
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface ResourceV1ResourceClaimList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1ResourceClaim[];
}

export interface ResourceV1ResourceClaimSpec {
  readonly devices?: ResourceV1DeviceClaim;
}

export interface ResourceV1ResourceClaimStatus {
  readonly allocation?: ResourceV1AllocationResult;
  readonly reservedFor?: readonly ResourceV1ResourceClaimConsumerReference[];
  readonly devices?: readonly ResourceV1AllocatedDeviceStatus[];
}

export interface ResourceV1ResourceClaimTemplate {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1ResourceClaimTemplateSpec;
}

export interface ResourceV1ResourceClaimTemplateList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1ResourceClaimTemplate[];
}

export interface ResourceV1ResourceClaimTemplateSpec {
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1ResourceClaimSpec;
}

export interface ResourceV1ResourcePool {
  readonly name?: string;
  readonly generation?: string;
  readonly resourceSliceCount?: string;
}

export interface ResourceV1ResourceSlice {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1ResourceSliceSpec;
}

export interface ResourceV1ResourceSliceList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1ResourceSlice[];
}

export interface ResourceV1ResourceSliceSpec {
  readonly driver?: string;
  readonly pool?: ResourceV1ResourcePool;
  readonly nodeName?: string;
  readonly nodeSelector?: CoreV1NodeSelector;
  readonly allNodes?: string;
  readonly devices?: readonly ResourceV1Device[];
  readonly perDeviceNodeSelection?: string;
  readonly sharedCounters?: readonly ResourceV1CounterSet[];
  readonly partitionTypeAttribute?: string;
  readonly skipNodeOperations?: readonly string[];
}

export interface ResourceV1alpha3DeviceTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

export interface ResourceV1alpha3DeviceTaintRule {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1alpha3DeviceTaintRuleSpec;
  readonly status?: ResourceV1alpha3DeviceTaintRuleStatus;
}

export interface ResourceV1alpha3DeviceTaintRuleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1alpha3DeviceTaintRule[];
}

export interface ResourceV1alpha3DeviceTaintRuleSpec {
  readonly deviceSelector?: ResourceV1alpha3DeviceTaintSelector;
  readonly taint?: ResourceV1alpha3DeviceTaint;
}

export interface ResourceV1alpha3DeviceTaintRuleStatus {
  readonly conditions?: readonly MetaV1Condition[];
}

export interface ResourceV1alpha3DeviceTaintSelector {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
}

export interface ResourceV1alpha3PartitionTypeStatus {
  readonly attribute?: string;
  readonly type?: string;
  readonly total?: string;
  readonly allocatable?: string;
}

export interface ResourceV1alpha3PoolStatus {
  readonly driver?: string;
  readonly poolName?: string;
  readonly generation?: string;
  readonly resourceSliceCount?: string;
  readonly totalDevices?: string;
  readonly allocatedDevices?: string;
  readonly availableDevices?: string;
  readonly unavailableDevices?: string;
  readonly nodeName?: string;
  readonly validationError?: string;
  readonly partitionSummary?: readonly ResourceV1alpha3PartitionTypeStatus[];
  readonly shareableSummary?: ResourceV1alpha3ShareableSummaryStatus;
}

export interface ResourceV1alpha3ResourcePoolStatusRequest {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1alpha3ResourcePoolStatusRequestSpec;
  readonly status?: ResourceV1alpha3ResourcePoolStatusRequestStatus;
}

export interface ResourceV1alpha3ResourcePoolStatusRequestList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1alpha3ResourcePoolStatusRequest[];
}

export interface ResourceV1alpha3ResourcePoolStatusRequestSpec {
  readonly driver?: string;
  readonly poolName?: string;
  readonly limit?: string;
  readonly defaultPartitionTypeAttribute?: string;
}

export interface ResourceV1alpha3ResourcePoolStatusRequestStatus {
  readonly poolCount?: string;
  readonly pools?: readonly ResourceV1alpha3PoolStatus[];
  readonly conditions?: readonly MetaV1Condition[];
}

export interface ResourceV1alpha3ShareableCapacityStatus {
  readonly name?: string;
  readonly total?: string;
  readonly consumed?: string;
  readonly available?: string;
}

export interface ResourceV1alpha3ShareableSummaryStatus {
  readonly fullyAvailableDevices?: string;
  readonly partiallyAvailableDevices?: string;
  readonly capacity?: readonly ResourceV1alpha3ShareableCapacityStatus[];
}

export interface ResourceV1beta1AllocatedDeviceStatus {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly shareID?: string;
  readonly conditions?: readonly MetaV1Condition[];
  readonly data?: unknown;
  readonly networkData?: ResourceV1beta1NetworkDeviceData;
}

export interface ResourceV1beta1AllocationResult {
  readonly devices?: ResourceV1beta1DeviceAllocationResult;
  readonly nodeSelector?: CoreV1NodeSelector;
  readonly allocationTimestamp?: string;
}

export interface ResourceV1beta1BasicDevice {
  readonly attributes?: { readonly [key: string]: ResourceV1beta1DeviceAttribute };
  readonly capacity?: { readonly [key: string]: ResourceV1beta1DeviceCapacity };
  readonly consumesCounters?: readonly ResourceV1beta1DeviceCounterConsumption[];
  readonly nodeName?: string;
  readonly nodeSelector?: CoreV1NodeSelector;
  readonly allNodes?: string;
  readonly taints?: readonly ResourceV1beta1DeviceTaint[];
  readonly bindsToNode?: string;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly allowMultipleAllocations?: string;
  readonly nodeAllocatableResources?: { readonly [key: string]: ResourceV1beta1NodeAllocatableResource };
}

export interface ResourceV1beta1CELDeviceSelector {
  readonly expression?: string;
}

export interface ResourceV1beta1CapacityRequestPolicy {
  readonly default?: string;
  readonly validValues?: readonly string[];
  readonly validRange?: ResourceV1beta1CapacityRequestPolicyRange;
}

export interface ResourceV1beta1CapacityRequestPolicyRange {
  readonly min?: string;
  readonly max?: string;
  readonly step?: string;
}

export interface ResourceV1beta1CapacityRequirements {
  readonly requests?: { readonly [key: string]: string };
}

export interface ResourceV1beta1Counter {
  readonly value?: string;
}

export interface ResourceV1beta1CounterSet {
  readonly name?: string;
  readonly counters?: { readonly [key: string]: ResourceV1beta1Counter };
}

export interface ResourceV1beta1Device {
  readonly name?: string;
  readonly basic?: ResourceV1beta1BasicDevice;
}

export interface ResourceV1beta1DeviceAllocationConfiguration {
  readonly source?: string;
  readonly requests?: readonly string[];
  readonly opaque?: ResourceV1beta1OpaqueDeviceConfiguration;
}

export interface ResourceV1beta1DeviceAllocationResult {
  readonly results?: readonly ResourceV1beta1DeviceRequestAllocationResult[];
  readonly config?: readonly ResourceV1beta1DeviceAllocationConfiguration[];
}

export interface ResourceV1beta1DeviceAttribute {
  readonly int?: string;
  readonly bool?: string;
  readonly string?: string;
  readonly version?: string;
  readonly ints?: readonly string[];
  readonly bools?: readonly string[];
  readonly strings?: readonly string[];
  readonly versions?: readonly string[];
}

export interface ResourceV1beta1DeviceCapacity {
  readonly value?: string;
  readonly requestPolicy?: ResourceV1beta1CapacityRequestPolicy;
}

export interface ResourceV1beta1DeviceClaim {
  readonly requests?: readonly ResourceV1beta1DeviceRequest[];
  readonly constraints?: readonly ResourceV1beta1DeviceConstraint[];
  readonly config?: readonly ResourceV1beta1DeviceClaimConfiguration[];
}

export interface ResourceV1beta1DeviceClaimConfiguration {
  readonly requests?: readonly string[];
  readonly opaque?: ResourceV1beta1OpaqueDeviceConfiguration;
}

export interface ResourceV1beta1DeviceClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta1DeviceClassSpec;
}

export interface ResourceV1beta1DeviceClassConfiguration {
  readonly opaque?: ResourceV1beta1OpaqueDeviceConfiguration;
}

export interface ResourceV1beta1DeviceClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1beta1DeviceClass[];
}

export interface ResourceV1beta1DeviceClassSpec {
  readonly selectors?: readonly ResourceV1beta1DeviceSelector[];
  readonly config?: readonly ResourceV1beta1DeviceClassConfiguration[];
  readonly extendedResourceName?: string;
}

export interface ResourceV1beta1DeviceConstraint {
  readonly requests?: readonly string[];
  readonly matchAttribute?: string;
  readonly distinctAttribute?: string;
}

export interface ResourceV1beta1DeviceCounterConsumption {
  readonly counterSet?: string;
  readonly counters?: { readonly [key: string]: ResourceV1beta1Counter };
  readonly compatibilityGroups?: readonly string[];
}

export interface ResourceV1beta1DeviceDerivedAttribute {
  readonly name?: string;
  readonly expression?: string;
}

export interface ResourceV1beta1DeviceRequest {
  readonly name?: string;
  readonly deviceClassName?: string;
  readonly selectors?: readonly ResourceV1beta1DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: string;
  readonly adminAccess?: string;
  readonly firstAvailable?: readonly ResourceV1beta1DeviceSubRequest[];
  readonly tolerations?: readonly ResourceV1beta1DeviceToleration[];
  readonly capacity?: ResourceV1beta1CapacityRequirements;
  readonly derivedAttributes?: readonly ResourceV1beta1DeviceDerivedAttribute[];
}

export interface ResourceV1beta1DeviceRequestAllocationResult {
  readonly request?: string;
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly adminAccess?: string;
  readonly tolerations?: readonly ResourceV1beta1DeviceToleration[];
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly shareID?: string;
  readonly consumedCapacity?: { readonly [key: string]: string };
  readonly skipNodeOperations?: readonly string[];
}

export interface ResourceV1beta1DeviceSelector {
  readonly cel?: ResourceV1beta1CELDeviceSelector;
}

export interface ResourceV1beta1DeviceSubRequest {
  readonly name?: string;
  readonly deviceClassName?: string;
  readonly selectors?: readonly ResourceV1beta1DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: string;
  readonly tolerations?: readonly ResourceV1beta1DeviceToleration[];
  readonly capacity?: ResourceV1beta1CapacityRequirements;
  readonly derivedAttributes?: readonly ResourceV1beta1DeviceDerivedAttribute[];
}

export interface ResourceV1beta1DeviceTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

export interface ResourceV1beta1DeviceToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: string;
}

export interface ResourceV1beta1NetworkDeviceData {
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
  readonly hardwareAddress?: string;
}

export interface ResourceV1beta1NodeAllocatableMapping {
  readonly capacityKey?: string;
  readonly capacityMultiplier?: string;
  readonly deviceMultiplier?: string;
}

export interface ResourceV1beta1NodeAllocatableOverhead {
  readonly perPod?: string;
  readonly perContainer?: string;
}

export interface ResourceV1beta1NodeAllocatableResource {
  readonly mapping?: ResourceV1beta1NodeAllocatableMapping;
  readonly overhead?: ResourceV1beta1NodeAllocatableOverhead;
}

export interface ResourceV1beta1OpaqueDeviceConfiguration {
  readonly driver?: string;
  readonly parameters?: unknown;
}

export interface ResourceV1beta1ResourceClaim {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta1ResourceClaimSpec;
  readonly status?: ResourceV1beta1ResourceClaimStatus;
}

export interface ResourceV1beta1ResourceClaimConsumerReference {
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface ResourceV1beta1ResourceClaimList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1beta1ResourceClaim[];
}

export interface ResourceV1beta1ResourceClaimSpec {
  readonly devices?: ResourceV1beta1DeviceClaim;
}

export interface ResourceV1beta1ResourceClaimStatus {
  readonly allocation?: ResourceV1beta1AllocationResult;
  readonly reservedFor?: readonly ResourceV1beta1ResourceClaimConsumerReference[];
  readonly devices?: readonly ResourceV1beta1AllocatedDeviceStatus[];
}

export interface ResourceV1beta1ResourceClaimTemplate {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta1ResourceClaimTemplateSpec;
}

export interface ResourceV1beta1ResourceClaimTemplateList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1beta1ResourceClaimTemplate[];
}

export interface ResourceV1beta1ResourceClaimTemplateSpec {
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta1ResourceClaimSpec;
}

export interface ResourceV1beta1ResourcePool {
  readonly name?: string;
  readonly generation?: string;
  readonly resourceSliceCount?: string;
}

export interface ResourceV1beta1ResourceSlice {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta1ResourceSliceSpec;
}

export interface ResourceV1beta1ResourceSliceList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1beta1ResourceSlice[];
}

export interface ResourceV1beta1ResourceSliceSpec {
  readonly driver?: string;
  readonly pool?: ResourceV1beta1ResourcePool;
  readonly nodeName?: string;
  readonly nodeSelector?: CoreV1NodeSelector;
  readonly allNodes?: string;
  readonly devices?: readonly ResourceV1beta1Device[];
  readonly perDeviceNodeSelection?: string;
  readonly sharedCounters?: readonly ResourceV1beta1CounterSet[];
  readonly partitionTypeAttribute?: string;
  readonly skipNodeOperations?: readonly string[];
}

export interface ResourceV1beta2AllocatedDeviceStatus {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly shareID?: string;
  readonly conditions?: readonly MetaV1Condition[];
  readonly data?: unknown;
  readonly networkData?: ResourceV1beta2NetworkDeviceData;
}

export interface ResourceV1beta2AllocationResult {
  readonly devices?: ResourceV1beta2DeviceAllocationResult;
  readonly nodeSelector?: CoreV1NodeSelector;
  readonly allocationTimestamp?: string;
}

export interface ResourceV1beta2CELDeviceSelector {
  readonly expression?: string;
}

export interface ResourceV1beta2CapacityRequestPolicy {
  readonly default?: string;
  readonly validValues?: readonly string[];
  readonly validRange?: ResourceV1beta2CapacityRequestPolicyRange;
}

export interface ResourceV1beta2CapacityRequestPolicyRange {
  readonly min?: string;
  readonly max?: string;
  readonly step?: string;
}

export interface ResourceV1beta2CapacityRequirements {
  readonly requests?: { readonly [key: string]: string };
}

export interface ResourceV1beta2Counter {
  readonly value?: string;
}

export interface ResourceV1beta2CounterSet {
  readonly name?: string;
  readonly counters?: { readonly [key: string]: ResourceV1beta2Counter };
}

export interface ResourceV1beta2Device {
  readonly name?: string;
  readonly attributes?: { readonly [key: string]: ResourceV1beta2DeviceAttribute };
  readonly capacity?: { readonly [key: string]: ResourceV1beta2DeviceCapacity };
  readonly consumesCounters?: readonly ResourceV1beta2DeviceCounterConsumption[];
  readonly nodeName?: string;
  readonly nodeSelector?: CoreV1NodeSelector;
  readonly allNodes?: string;
  readonly taints?: readonly ResourceV1beta2DeviceTaint[];
  readonly bindsToNode?: string;
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly allowMultipleAllocations?: string;
  readonly nodeAllocatableResources?: { readonly [key: string]: ResourceV1beta2NodeAllocatableResource };
}

export interface ResourceV1beta2DeviceAllocationConfiguration {
  readonly source?: string;
  readonly requests?: readonly string[];
  readonly opaque?: ResourceV1beta2OpaqueDeviceConfiguration;
}

export interface ResourceV1beta2DeviceAllocationResult {
  readonly results?: readonly ResourceV1beta2DeviceRequestAllocationResult[];
  readonly config?: readonly ResourceV1beta2DeviceAllocationConfiguration[];
}

export interface ResourceV1beta2DeviceAttribute {
  readonly int?: string;
  readonly bool?: string;
  readonly string?: string;
  readonly version?: string;
  readonly ints?: readonly string[];
  readonly bools?: readonly string[];
  readonly strings?: readonly string[];
  readonly versions?: readonly string[];
}

export interface ResourceV1beta2DeviceCapacity {
  readonly value?: string;
  readonly requestPolicy?: ResourceV1beta2CapacityRequestPolicy;
}

export interface ResourceV1beta2DeviceClaim {
  readonly requests?: readonly ResourceV1beta2DeviceRequest[];
  readonly constraints?: readonly ResourceV1beta2DeviceConstraint[];
  readonly config?: readonly ResourceV1beta2DeviceClaimConfiguration[];
}

export interface ResourceV1beta2DeviceClaimConfiguration {
  readonly requests?: readonly string[];
  readonly opaque?: ResourceV1beta2OpaqueDeviceConfiguration;
}

export interface ResourceV1beta2DeviceClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta2DeviceClassSpec;
}

export interface ResourceV1beta2DeviceClassConfiguration {
  readonly opaque?: ResourceV1beta2OpaqueDeviceConfiguration;
}

export interface ResourceV1beta2DeviceClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1beta2DeviceClass[];
}

export interface ResourceV1beta2DeviceClassSpec {
  readonly selectors?: readonly ResourceV1beta2DeviceSelector[];
  readonly config?: readonly ResourceV1beta2DeviceClassConfiguration[];
  readonly extendedResourceName?: string;
}

export interface ResourceV1beta2DeviceConstraint {
  readonly requests?: readonly string[];
  readonly matchAttribute?: string;
  readonly distinctAttribute?: string;
}

export interface ResourceV1beta2DeviceCounterConsumption {
  readonly counterSet?: string;
  readonly counters?: { readonly [key: string]: ResourceV1beta2Counter };
  readonly compatibilityGroups?: readonly string[];
}

export interface ResourceV1beta2DeviceDerivedAttribute {
  readonly name?: string;
  readonly expression?: string;
}

export interface ResourceV1beta2DeviceRequest {
  readonly name?: string;
  readonly exactly?: ResourceV1beta2ExactDeviceRequest;
  readonly firstAvailable?: readonly ResourceV1beta2DeviceSubRequest[];
}

export interface ResourceV1beta2DeviceRequestAllocationResult {
  readonly request?: string;
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly adminAccess?: string;
  readonly tolerations?: readonly ResourceV1beta2DeviceToleration[];
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  readonly shareID?: string;
  readonly consumedCapacity?: { readonly [key: string]: string };
  readonly skipNodeOperations?: readonly string[];
}

export interface ResourceV1beta2DeviceSelector {
  readonly cel?: ResourceV1beta2CELDeviceSelector;
}

export interface ResourceV1beta2DeviceSubRequest {
  readonly name?: string;
  readonly deviceClassName?: string;
  readonly selectors?: readonly ResourceV1beta2DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: string;
  readonly tolerations?: readonly ResourceV1beta2DeviceToleration[];
  readonly capacity?: ResourceV1beta2CapacityRequirements;
  readonly derivedAttributes?: readonly ResourceV1beta2DeviceDerivedAttribute[];
}

export interface ResourceV1beta2DeviceTaint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly timeAdded?: string;
}

export interface ResourceV1beta2DeviceTaintRule {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta2DeviceTaintRuleSpec;
  readonly status?: ResourceV1beta2DeviceTaintRuleStatus;
}

export interface ResourceV1beta2DeviceTaintRuleList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1beta2DeviceTaintRule[];
}

export interface ResourceV1beta2DeviceTaintRuleSpec {
  readonly deviceSelector?: ResourceV1beta2DeviceTaintSelector;
  readonly taint?: ResourceV1beta2DeviceTaint;
}

export interface ResourceV1beta2DeviceTaintRuleStatus {
  readonly conditions?: readonly MetaV1Condition[];
}

export interface ResourceV1beta2DeviceTaintSelector {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
}

export interface ResourceV1beta2DeviceToleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: string;
}

export interface ResourceV1beta2ExactDeviceRequest {
  readonly deviceClassName?: string;
  readonly selectors?: readonly ResourceV1beta2DeviceSelector[];
  readonly allocationMode?: string;
  readonly count?: string;
  readonly adminAccess?: string;
  readonly tolerations?: readonly ResourceV1beta2DeviceToleration[];
  readonly capacity?: ResourceV1beta2CapacityRequirements;
  readonly derivedAttributes?: readonly ResourceV1beta2DeviceDerivedAttribute[];
}

export interface ResourceV1beta2NetworkDeviceData {
  readonly interfaceName?: string;
  readonly ips?: readonly string[];
  readonly hardwareAddress?: string;
}

export interface ResourceV1beta2NodeAllocatableMapping {
  readonly capacityKey?: string;
  readonly capacityMultiplier?: string;
  readonly deviceMultiplier?: string;
}

export interface ResourceV1beta2NodeAllocatableOverhead {
  readonly perPod?: string;
  readonly perContainer?: string;
}

export interface ResourceV1beta2NodeAllocatableResource {
  readonly mapping?: ResourceV1beta2NodeAllocatableMapping;
  readonly overhead?: ResourceV1beta2NodeAllocatableOverhead;
}

export interface ResourceV1beta2OpaqueDeviceConfiguration {
  readonly driver?: string;
  readonly parameters?: unknown;
}

export interface ResourceV1beta2ResourceClaim {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta2ResourceClaimSpec;
  readonly status?: ResourceV1beta2ResourceClaimStatus;
}

export interface ResourceV1beta2ResourceClaimConsumerReference {
  readonly apiGroup?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly uid?: string;
}

export interface ResourceV1beta2ResourceClaimList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1beta2ResourceClaim[];
}

export interface ResourceV1beta2ResourceClaimSpec {
  readonly devices?: ResourceV1beta2DeviceClaim;
}

export interface ResourceV1beta2ResourceClaimStatus {
  readonly allocation?: ResourceV1beta2AllocationResult;
  readonly reservedFor?: readonly ResourceV1beta2ResourceClaimConsumerReference[];
  readonly devices?: readonly ResourceV1beta2AllocatedDeviceStatus[];
}

export interface ResourceV1beta2ResourceClaimTemplate {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta2ResourceClaimTemplateSpec;
}

export interface ResourceV1beta2ResourceClaimTemplateList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1beta2ResourceClaimTemplate[];
}

export interface ResourceV1beta2ResourceClaimTemplateSpec {
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta2ResourceClaimSpec;
}

export interface ResourceV1beta2ResourcePool {
  readonly name?: string;
  readonly generation?: string;
  readonly resourceSliceCount?: string;
}

export interface ResourceV1beta2ResourceSlice {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: ResourceV1beta2ResourceSliceSpec;
}

export interface ResourceV1beta2ResourceSliceList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly ResourceV1beta2ResourceSlice[];
}

export interface ResourceV1beta2ResourceSliceSpec {
  readonly driver?: string;
  readonly pool?: ResourceV1beta2ResourcePool;
  readonly nodeName?: string;
  readonly nodeSelector?: CoreV1NodeSelector;
  readonly allNodes?: string;
  readonly devices?: readonly ResourceV1beta2Device[];
  readonly perDeviceNodeSelection?: string;
  readonly sharedCounters?: readonly ResourceV1beta2CounterSet[];
  readonly partitionTypeAttribute?: string;
  readonly skipNodeOperations?: readonly string[];
}

export interface SchedulingV1PriorityClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly value?: string;
  readonly globalDefault?: string;
  readonly description?: string;
  readonly preemptionPolicy?: string;
}

export interface SchedulingV1PriorityClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly SchedulingV1PriorityClass[];
}

export interface SchedulingV1alpha3AllCompositeDisruptionMode {
}

export interface SchedulingV1alpha3AllDisruptionMode {
}

export interface SchedulingV1alpha3BasicSchedulingPolicy {
}

export interface SchedulingV1alpha3CompositeBasicSchedulingPolicy {
}

export interface SchedulingV1alpha3CompositeDisruptionMode {
  readonly single?: SchedulingV1alpha3SingleCompositeDisruptionMode;
  readonly all?: SchedulingV1alpha3AllCompositeDisruptionMode;
}

export interface SchedulingV1alpha3CompositeGangSchedulingPolicy {
  readonly minGroupCount?: string;
}

export interface SchedulingV1alpha3CompositePodGroup {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: SchedulingV1alpha3CompositePodGroupSpec;
  readonly status?: SchedulingV1alpha3CompositePodGroupStatus;
}

export interface SchedulingV1alpha3CompositePodGroupList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly SchedulingV1alpha3CompositePodGroup[];
}

export interface SchedulingV1alpha3CompositePodGroupSchedulingConstraints {
  readonly topology?: readonly SchedulingV1alpha3TopologyConstraint[];
}

export interface SchedulingV1alpha3CompositePodGroupSchedulingPolicy {
  readonly basic?: SchedulingV1alpha3CompositeBasicSchedulingPolicy;
  readonly gang?: SchedulingV1alpha3CompositeGangSchedulingPolicy;
}

export interface SchedulingV1alpha3CompositePodGroupSpec {
  readonly parentCompositePodGroupName?: string;
  readonly workloadRef?: SchedulingV1alpha3WorkloadReference;
  readonly schedulingPolicy?: SchedulingV1alpha3CompositePodGroupSchedulingPolicy;
  readonly schedulingConstraints?: SchedulingV1alpha3CompositePodGroupSchedulingConstraints;
  readonly disruptionMode?: SchedulingV1alpha3CompositeDisruptionMode;
  readonly priorityClassName?: string;
  readonly priority?: string;
  readonly preemptionPolicy?: string;
}

export interface SchedulingV1alpha3CompositePodGroupStatus {
  readonly conditions?: readonly MetaV1Condition[];
}

export interface SchedulingV1alpha3CompositePodGroupTemplate {
  readonly name?: string;
  readonly schedulingPolicy?: SchedulingV1alpha3CompositePodGroupSchedulingPolicy;
  readonly schedulingConstraints?: SchedulingV1alpha3CompositePodGroupSchedulingConstraints;
  readonly disruptionMode?: SchedulingV1alpha3CompositeDisruptionMode;
  readonly priorityClassName?: string;
  readonly priority?: string;
  readonly preemptionPolicy?: string;
  readonly podGroupTemplates?: readonly SchedulingV1alpha3PodGroupTemplate[];
  readonly compositePodGroupTemplates?: readonly SchedulingV1alpha3CompositePodGroupTemplate[];
}

export interface SchedulingV1alpha3DisruptionMode {
  readonly single?: SchedulingV1alpha3SingleDisruptionMode;
  readonly all?: SchedulingV1alpha3AllDisruptionMode;
}

export interface SchedulingV1alpha3GangSchedulingPolicy {
  readonly minCount?: string;
}

export interface SchedulingV1alpha3PodGroup {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: SchedulingV1alpha3PodGroupSpec;
  readonly status?: SchedulingV1alpha3PodGroupStatus;
}

export interface SchedulingV1alpha3PodGroupList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly SchedulingV1alpha3PodGroup[];
}

export interface SchedulingV1alpha3PodGroupResourceClaim {
  readonly name?: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface SchedulingV1alpha3PodGroupResourceClaimStatus {
  readonly name?: string;
  readonly resourceClaimName?: string;
}

export interface SchedulingV1alpha3PodGroupSchedulingConstraints {
  readonly topology?: readonly SchedulingV1alpha3TopologyConstraint[];
}

export interface SchedulingV1alpha3PodGroupSchedulingPolicy {
  readonly basic?: SchedulingV1alpha3BasicSchedulingPolicy;
  readonly gang?: SchedulingV1alpha3GangSchedulingPolicy;
}

export interface SchedulingV1alpha3PodGroupSpec {
  readonly parentCompositePodGroupName?: string;
  readonly workloadRef?: SchedulingV1alpha3WorkloadReference;
  readonly schedulingPolicy?: SchedulingV1alpha3PodGroupSchedulingPolicy;
  readonly schedulingConstraints?: SchedulingV1alpha3PodGroupSchedulingConstraints;
  readonly resourceClaims?: readonly SchedulingV1alpha3PodGroupResourceClaim[];
  readonly disruptionMode?: SchedulingV1alpha3DisruptionMode;
  readonly priorityClassName?: string;
  readonly priority?: string;
  readonly preemptionPolicy?: string;
}

export interface SchedulingV1alpha3PodGroupStatus {
  readonly conditions?: readonly MetaV1Condition[];
  readonly resourceClaimStatuses?: readonly SchedulingV1alpha3PodGroupResourceClaimStatus[];
}

export interface SchedulingV1alpha3PodGroupTemplate {
  readonly name?: string;
  readonly schedulingPolicy?: SchedulingV1alpha3PodGroupSchedulingPolicy;
  readonly schedulingConstraints?: SchedulingV1alpha3PodGroupSchedulingConstraints;
  readonly resourceClaims?: readonly SchedulingV1alpha3PodGroupResourceClaim[];
  readonly disruptionMode?: SchedulingV1alpha3DisruptionMode;
  readonly priorityClassName?: string;
  readonly priority?: string;
  readonly preemptionPolicy?: string;
}

export interface SchedulingV1alpha3SingleCompositeDisruptionMode {
}

export interface SchedulingV1alpha3SingleDisruptionMode {
}

export interface SchedulingV1alpha3TopologyConstraint {
  readonly key?: string;
}

export interface SchedulingV1alpha3TypedLocalObjectReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface SchedulingV1alpha3Workload {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: SchedulingV1alpha3WorkloadSpec;
}

export interface SchedulingV1alpha3WorkloadList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly SchedulingV1alpha3Workload[];
}

export interface SchedulingV1alpha3WorkloadPodGroupAllDisruptionMode {
}

export interface SchedulingV1alpha3WorkloadPodGroupBasicSchedulingPolicy {
}

export interface SchedulingV1alpha3WorkloadPodGroupDisruptionMode {
  readonly single?: SchedulingV1alpha3WorkloadPodGroupSingleDisruptionMode;
  readonly all?: SchedulingV1alpha3WorkloadPodGroupAllDisruptionMode;
}

export interface SchedulingV1alpha3WorkloadPodGroupGangSchedulingPolicy {
  readonly minCount?: string;
}

export interface SchedulingV1alpha3WorkloadPodGroupResourceClaim {
  readonly name?: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface SchedulingV1alpha3WorkloadPodGroupSchedulingConstraints {
  readonly topology?: readonly SchedulingV1alpha3TopologyConstraint[];
}

export interface SchedulingV1alpha3WorkloadPodGroupSchedulingPolicy {
  readonly basic?: SchedulingV1alpha3WorkloadPodGroupBasicSchedulingPolicy;
  readonly gang?: SchedulingV1alpha3WorkloadPodGroupGangSchedulingPolicy;
}

export interface SchedulingV1alpha3WorkloadPodGroupSingleDisruptionMode {
}

export interface SchedulingV1alpha3WorkloadReference {
  readonly workloadName?: string;
  readonly templateName?: string;
}

export interface SchedulingV1alpha3WorkloadSpec {
  readonly controllerRef?: SchedulingV1alpha3TypedLocalObjectReference;
  readonly podGroupTemplates?: readonly SchedulingV1alpha3PodGroupTemplate[];
  readonly compositePodGroupTemplates?: readonly SchedulingV1alpha3CompositePodGroupTemplate[];
}

export interface SchedulingV1beta1AllCompositeDisruptionMode {
}

export interface SchedulingV1beta1AllDisruptionMode {
}

export interface SchedulingV1beta1BasicSchedulingPolicy {
}

export interface SchedulingV1beta1CompositeBasicSchedulingPolicy {
}

export interface SchedulingV1beta1CompositeDisruptionMode {
  readonly single?: SchedulingV1beta1SingleCompositeDisruptionMode;
  readonly all?: SchedulingV1beta1AllCompositeDisruptionMode;
}

export interface SchedulingV1beta1CompositeGangSchedulingPolicy {
  readonly minGroupCount?: string;
}

export interface SchedulingV1beta1CompositePodGroupSchedulingConstraints {
  readonly topology?: readonly SchedulingV1beta1TopologyConstraint[];
}

export interface SchedulingV1beta1CompositePodGroupSchedulingPolicy {
  readonly basic?: SchedulingV1beta1CompositeBasicSchedulingPolicy;
  readonly gang?: SchedulingV1beta1CompositeGangSchedulingPolicy;
}

export interface SchedulingV1beta1CompositePodGroupTemplate {
  readonly name?: string;
  readonly schedulingPolicy?: SchedulingV1beta1CompositePodGroupSchedulingPolicy;
  readonly schedulingConstraints?: SchedulingV1beta1CompositePodGroupSchedulingConstraints;
  readonly disruptionMode?: SchedulingV1beta1CompositeDisruptionMode;
  readonly priorityClassName?: string;
  readonly priority?: string;
  readonly preemptionPolicy?: string;
  readonly podGroupTemplates?: readonly SchedulingV1beta1PodGroupTemplate[];
  readonly compositePodGroupTemplates?: readonly SchedulingV1beta1CompositePodGroupTemplate[];
}

export interface SchedulingV1beta1DisruptionMode {
  readonly single?: SchedulingV1beta1SingleDisruptionMode;
  readonly all?: SchedulingV1beta1AllDisruptionMode;
}

export interface SchedulingV1beta1GangSchedulingPolicy {
  readonly minCount?: string;
}

export interface SchedulingV1beta1PodGroup {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: SchedulingV1beta1PodGroupSpec;
  readonly status?: SchedulingV1beta1PodGroupStatus;
}

export interface SchedulingV1beta1PodGroupList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly SchedulingV1beta1PodGroup[];
}

export interface SchedulingV1beta1PodGroupResourceClaim {
  readonly name?: string;
  readonly resourceClaimName?: string;
  readonly resourceClaimTemplateName?: string;
}

export interface SchedulingV1beta1PodGroupResourceClaimStatus {
  readonly name?: string;
  readonly resourceClaimName?: string;
}

export interface SchedulingV1beta1PodGroupSchedulingConstraints {
  readonly topology?: readonly SchedulingV1beta1TopologyConstraint[];
}

export interface SchedulingV1beta1PodGroupSchedulingPolicy {
  readonly basic?: SchedulingV1beta1BasicSchedulingPolicy;
  readonly gang?: SchedulingV1beta1GangSchedulingPolicy;
}

export interface SchedulingV1beta1PodGroupSpec {
  readonly parentCompositePodGroupName?: string;
  readonly workloadRef?: SchedulingV1beta1WorkloadReference;
  readonly schedulingPolicy?: SchedulingV1beta1PodGroupSchedulingPolicy;
  readonly schedulingConstraints?: SchedulingV1beta1PodGroupSchedulingConstraints;
  readonly resourceClaims?: readonly SchedulingV1beta1PodGroupResourceClaim[];
  readonly disruptionMode?: SchedulingV1beta1DisruptionMode;
  readonly priorityClassName?: string;
  readonly priority?: string;
  readonly preemptionPolicy?: string;
}

export interface SchedulingV1beta1PodGroupStatus {
  readonly conditions?: readonly MetaV1Condition[];
  readonly resourceClaimStatuses?: readonly SchedulingV1beta1PodGroupResourceClaimStatus[];
}

export interface SchedulingV1beta1PodGroupTemplate {
  readonly name?: string;
  readonly schedulingPolicy?: SchedulingV1beta1PodGroupSchedulingPolicy;
  readonly schedulingConstraints?: SchedulingV1beta1PodGroupSchedulingConstraints;
  readonly resourceClaims?: readonly SchedulingV1beta1PodGroupResourceClaim[];
  readonly disruptionMode?: SchedulingV1beta1DisruptionMode;
  readonly priorityClassName?: string;
  readonly priority?: string;
  readonly preemptionPolicy?: string;
}

export interface SchedulingV1beta1PriorityClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly value?: string;
  readonly globalDefault?: string;
  readonly description?: string;
  readonly preemptionPolicy?: string;
}

export interface SchedulingV1beta1PriorityClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly SchedulingV1beta1PriorityClass[];
}

export interface SchedulingV1beta1SingleCompositeDisruptionMode {
}

export interface SchedulingV1beta1SingleDisruptionMode {
}

export interface SchedulingV1beta1TopologyConstraint {
  readonly key?: string;
}

export interface SchedulingV1beta1TypedLocalObjectReference {
  readonly apiGroup?: string;
  readonly kind?: string;
  readonly name?: string;
}

export interface SchedulingV1beta1Workload {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: SchedulingV1beta1WorkloadSpec;
}

export interface SchedulingV1beta1WorkloadList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly SchedulingV1beta1Workload[];
}

export interface SchedulingV1beta1WorkloadReference {
  readonly workloadName?: string;
  readonly templateName?: string;
}

export interface SchedulingV1beta1WorkloadSpec {
  readonly controllerRef?: SchedulingV1beta1TypedLocalObjectReference;
  readonly podGroupTemplates?: readonly SchedulingV1beta1PodGroupTemplate[];
  readonly compositePodGroupTemplates?: readonly SchedulingV1beta1CompositePodGroupTemplate[];
}

export interface StorageV1CSIDriver {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: StorageV1CSIDriverSpec;
}

export interface StorageV1CSIDriverList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1CSIDriver[];
}

export interface StorageV1CSIDriverSpec {
  readonly attachRequired?: string;
  readonly podInfoOnMount?: string;
  readonly volumeLifecycleModes?: readonly string[];
  readonly storageCapacity?: string;
  readonly fsGroupPolicy?: string;
  readonly tokenRequests?: readonly StorageV1TokenRequest[];
  readonly requiresRepublish?: string;
  readonly seLinuxMount?: string;
  readonly nodeAllocatableUpdatePeriodSeconds?: string;
  readonly serviceAccountTokenInSecrets?: string;
  readonly preventPodSchedulingIfMissing?: string;
}

export interface StorageV1CSINode {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: StorageV1CSINodeSpec;
  readonly status?: StorageV1CSINodeStatus;
}

export interface StorageV1CSINodeDriver {
  readonly name?: string;
  readonly nodeID?: string;
  readonly topologyKeys?: readonly string[];
  readonly allocatable?: StorageV1VolumeNodeResources;
}

export interface StorageV1CSINodeList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1CSINode[];
}

export interface StorageV1CSINodeSpec {
  readonly drivers?: readonly StorageV1CSINodeDriver[];
}

export interface StorageV1CSINodeStatus {
  readonly storageHealth?: readonly StorageV1StorageHealth[];
}

export interface StorageV1CSIStorageCapacity {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly nodeTopology?: MetaV1LabelSelector;
  readonly storageClassName?: string;
  readonly capacity?: string;
  readonly maximumVolumeSize?: string;
}

export interface StorageV1CSIStorageCapacityList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1CSIStorageCapacity[];
}

export interface StorageV1StorageClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly provisioner?: string;
  readonly parameters?: { readonly [key: string]: string };
  readonly reclaimPolicy?: string;
  readonly mountOptions?: readonly string[];
  readonly allowVolumeExpansion?: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly CoreV1TopologySelectorTerm[];
}

export interface StorageV1StorageClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1StorageClass[];
}

export interface StorageV1StorageHealth {
  readonly name?: string;
  readonly healthConditions?: readonly StorageV1StorageHealthCondition[];
}

export interface StorageV1StorageHealthCondition {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly accessMode?: string;
  readonly volumeMode?: string;
  readonly lastTransitionTime?: string;
}

export interface StorageV1TokenRequest {
  readonly audience?: string;
  readonly expirationSeconds?: string;
}

export interface StorageV1VolumeAttachment {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: StorageV1VolumeAttachmentSpec;
  readonly status?: StorageV1VolumeAttachmentStatus;
}

export interface StorageV1VolumeAttachmentList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1VolumeAttachment[];
}

export interface StorageV1VolumeAttachmentSource {
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: CoreV1PersistentVolumeSpec;
}

export interface StorageV1VolumeAttachmentSpec {
  readonly attacher?: string;
  readonly source?: StorageV1VolumeAttachmentSource;
  readonly nodeName?: string;
}

export interface StorageV1VolumeAttachmentStatus {
  readonly attached?: string;
  readonly attachmentMetadata?: { readonly [key: string]: string };
  readonly attachError?: StorageV1VolumeError;
  readonly detachError?: StorageV1VolumeError;
}

export interface StorageV1VolumeAttributesClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly driverName?: string;
  readonly parameters?: { readonly [key: string]: string };
}

export interface StorageV1VolumeAttributesClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1VolumeAttributesClass[];
}

export interface StorageV1VolumeError {
  readonly time?: string;
  readonly message?: string;
  readonly errorCode?: string;
}

export interface StorageV1VolumeNodeResources {
  readonly count?: string;
}

export interface StorageV1alpha1CSIStorageCapacity {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly nodeTopology?: MetaV1LabelSelector;
  readonly storageClassName?: string;
  readonly capacity?: string;
  readonly maximumVolumeSize?: string;
}

export interface StorageV1alpha1CSIStorageCapacityList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1alpha1CSIStorageCapacity[];
}

export interface StorageV1alpha1VolumeAttachment {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: StorageV1alpha1VolumeAttachmentSpec;
  readonly status?: StorageV1alpha1VolumeAttachmentStatus;
}

export interface StorageV1alpha1VolumeAttachmentList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1alpha1VolumeAttachment[];
}

export interface StorageV1alpha1VolumeAttachmentSource {
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: CoreV1PersistentVolumeSpec;
}

export interface StorageV1alpha1VolumeAttachmentSpec {
  readonly attacher?: string;
  readonly source?: StorageV1alpha1VolumeAttachmentSource;
  readonly nodeName?: string;
}

export interface StorageV1alpha1VolumeAttachmentStatus {
  readonly attached?: string;
  readonly attachmentMetadata?: { readonly [key: string]: string };
  readonly attachError?: StorageV1alpha1VolumeError;
  readonly detachError?: StorageV1alpha1VolumeError;
}

export interface StorageV1alpha1VolumeAttributesClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly driverName?: string;
  readonly parameters?: { readonly [key: string]: string };
}

export interface StorageV1alpha1VolumeAttributesClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1alpha1VolumeAttributesClass[];
}

export interface StorageV1alpha1VolumeError {
  readonly time?: string;
  readonly message?: string;
  readonly errorCode?: string;
}

export interface StorageV1beta1CSIDriver {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: StorageV1beta1CSIDriverSpec;
}

export interface StorageV1beta1CSIDriverList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1beta1CSIDriver[];
}

export interface StorageV1beta1CSIDriverSpec {
  readonly attachRequired?: string;
  readonly podInfoOnMount?: string;
  readonly volumeLifecycleModes?: readonly string[];
  readonly storageCapacity?: string;
  readonly fsGroupPolicy?: string;
  readonly tokenRequests?: readonly StorageV1beta1TokenRequest[];
  readonly requiresRepublish?: string;
  readonly seLinuxMount?: string;
  readonly nodeAllocatableUpdatePeriodSeconds?: string;
  readonly serviceAccountTokenInSecrets?: string;
  readonly preventPodSchedulingIfMissing?: string;
}

export interface StorageV1beta1CSINode {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: StorageV1beta1CSINodeSpec;
  readonly status?: StorageV1beta1CSINodeStatus;
}

export interface StorageV1beta1CSINodeDriver {
  readonly name?: string;
  readonly nodeID?: string;
  readonly topologyKeys?: readonly string[];
  readonly allocatable?: StorageV1beta1VolumeNodeResources;
}

export interface StorageV1beta1CSINodeList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1beta1CSINode[];
}

export interface StorageV1beta1CSINodeSpec {
  readonly drivers?: readonly StorageV1beta1CSINodeDriver[];
}

export interface StorageV1beta1CSINodeStatus {
  readonly storageHealth?: readonly StorageV1beta1StorageHealth[];
}

export interface StorageV1beta1CSIStorageCapacity {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly nodeTopology?: MetaV1LabelSelector;
  readonly storageClassName?: string;
  readonly capacity?: string;
  readonly maximumVolumeSize?: string;
}

export interface StorageV1beta1CSIStorageCapacityList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1beta1CSIStorageCapacity[];
}

export interface StorageV1beta1StorageClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly provisioner?: string;
  readonly parameters?: { readonly [key: string]: string };
  readonly reclaimPolicy?: string;
  readonly mountOptions?: readonly string[];
  readonly allowVolumeExpansion?: string;
  readonly volumeBindingMode?: string;
  readonly allowedTopologies?: readonly CoreV1TopologySelectorTerm[];
}

export interface StorageV1beta1StorageClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1beta1StorageClass[];
}

export interface StorageV1beta1StorageHealth {
  readonly name?: string;
  readonly healthConditions?: readonly StorageV1beta1StorageHealthCondition[];
}

export interface StorageV1beta1StorageHealthCondition {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly accessMode?: string;
  readonly volumeMode?: string;
  readonly lastTransitionTime?: string;
}

export interface StorageV1beta1TokenRequest {
  readonly audience?: string;
  readonly expirationSeconds?: string;
}

export interface StorageV1beta1VolumeAttachment {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: StorageV1beta1VolumeAttachmentSpec;
  readonly status?: StorageV1beta1VolumeAttachmentStatus;
}

export interface StorageV1beta1VolumeAttachmentList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1beta1VolumeAttachment[];
}

export interface StorageV1beta1VolumeAttachmentSource {
  readonly persistentVolumeName?: string;
  readonly inlineVolumeSpec?: CoreV1PersistentVolumeSpec;
}

export interface StorageV1beta1VolumeAttachmentSpec {
  readonly attacher?: string;
  readonly source?: StorageV1beta1VolumeAttachmentSource;
  readonly nodeName?: string;
}

export interface StorageV1beta1VolumeAttachmentStatus {
  readonly attached?: string;
  readonly attachmentMetadata?: { readonly [key: string]: string };
  readonly attachError?: StorageV1beta1VolumeError;
  readonly detachError?: StorageV1beta1VolumeError;
}

export interface StorageV1beta1VolumeAttributesClass {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly driverName?: string;
  readonly parameters?: { readonly [key: string]: string };
}

export interface StorageV1beta1VolumeAttributesClassList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StorageV1beta1VolumeAttributesClass[];
}

export interface StorageV1beta1VolumeError {
  readonly time?: string;
  readonly message?: string;
  readonly errorCode?: string;
}

export interface StorageV1beta1VolumeNodeResources {
  readonly count?: string;
}

export interface StoragemigrationV1StorageVersionMigration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: StoragemigrationV1StorageVersionMigrationSpec;
  readonly status?: StoragemigrationV1StorageVersionMigrationStatus;
}

export interface StoragemigrationV1StorageVersionMigrationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StoragemigrationV1StorageVersionMigration[];
}

export interface StoragemigrationV1StorageVersionMigrationSpec {
  readonly resource?: MetaV1GroupResource;
}

export interface StoragemigrationV1StorageVersionMigrationStatus {
  readonly conditions?: readonly MetaV1Condition[];
  readonly resourceVersion?: string;
}

export interface StoragemigrationV1beta1StorageVersionMigration {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ObjectMeta;
  readonly spec?: StoragemigrationV1beta1StorageVersionMigrationSpec;
  readonly status?: StoragemigrationV1beta1StorageVersionMigrationStatus;
}

export interface StoragemigrationV1beta1StorageVersionMigrationList {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly metadata?: MetaV1ListMeta;
  readonly items?: readonly StoragemigrationV1beta1StorageVersionMigration[];
}

export interface StoragemigrationV1beta1StorageVersionMigrationSpec {
  readonly resource?: MetaV1GroupResource;
}

export interface StoragemigrationV1beta1StorageVersionMigrationStatus {
  readonly conditions?: readonly MetaV1Condition[];
  readonly resourceVersion?: string;
}
