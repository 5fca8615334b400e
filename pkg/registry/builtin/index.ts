import type { ResourceDeclaration } from '../resource.js';
import { mutatingAdmissionPolicy } from './admissionregistration/mutatingadmissionpolicy.js';
import { mutatingAdmissionPolicyBinding } from './admissionregistration/mutatingadmissionpolicybinding.js';
import { mutatingWebhookConfiguration } from './admissionregistration/mutatingwebhookconfiguration.js';
import { validatingAdmissionPolicy } from './admissionregistration/validatingadmissionpolicy.js';
import { validatingAdmissionPolicyBinding } from './admissionregistration/validatingadmissionpolicybinding.js';
import { validatingWebhookConfiguration } from './admissionregistration/validatingwebhookconfiguration.js';
import { customResourceDefinition } from './apiextensions/customresourcedefinition.js';
import { apiService } from './apiregistration/apiservice.js';
import { controllerRevision } from './apps/controllerrevision.js';
import { daemonSet } from './apps/daemonset.js';
import { deployment } from './apps/deployment.js';
import { replicaSet } from './apps/replicaset.js';
import { statefulSet } from './apps/statefulset.js';
import { selfSubjectReview } from './authentication/selfsubjectreview.js';
import { tokenReview } from './authentication/tokenreview.js';
import { accessReviews } from './authorization/accessreviews.js';
import { selfSubjectRulesReview } from './authorization/rulesreview.js';
import { horizontalPodAutoscaler } from './autoscaling/horizontalpodautoscaler.js';
import { cronJob } from './batch/cronjob.js';
import { job } from './batch/job.js';
import { certificateSigningRequest } from './certificates/certificatesigningrequest.js';
import { clusterTrustBundle } from './certificates/clustertrustbundle.js';
import { podCertificateRequest } from './certificates/podcertificaterequest.js';
import { type ClusterConfig, type ComponentHealth, defaultCluster, type TokenReviewOutcome } from './cluster.js';
import { lease } from './coordination/lease.js';
import { leaseCandidate } from './coordination/leasecandidate.js';
import { componentStatus } from './core/componentstatus.js';
import { configMap } from './core/configmap.js';
import { endpoints } from './core/endpoints.js';
import { event } from './core/event.js';
import { limitRange } from './core/limitrange.js';
import { namespace } from './core/namespace.js';
import { node } from './core/node.js';
import { persistentVolume } from './core/persistentvolume.js';
import { persistentVolumeClaim } from './core/persistentvolumeclaim.js';
import { binding } from './core/pod/binding.js';
import { pod } from './core/pod/pod.js';
import { podTemplate } from './core/podtemplate.js';
import { replicationController } from './core/replicationcontroller.js';
import { resourceQuota } from './core/resourcequota.js';
import { secret } from './core/secret.js';
import { serviceResource } from './core/service/service.js';
import { serviceAccount } from './core/serviceaccount.js';
import { endpointSlice } from './discovery/endpointslice.js';
import { flowSchema } from './flowcontrol/flowschema.js';
import { priorityLevelConfiguration } from './flowcontrol/prioritylevelconfiguration.js';
import { storageVersion } from './internal/storageversion.js';
import { evictionRecord } from './lifecycle/eviction.js';
import { evictionRequest } from './lifecycle/evictionrequest.js';
import { ingress } from './networking/ingress.js';
import { ingressClass } from './networking/ingressclass.js';
import { ipAddress } from './networking/ipaddress.js';
import { networkPolicy } from './networking/networkpolicy.js';
import { serviceCidr } from './networking/servicecidr.js';
import { runtimeClass } from './node/runtimeclass.js';
import { podDisruptionBudget } from './policy/poddisruptionbudget.js';
import { clusterRole } from './rbac/clusterrole.js';
import { clusterRoleBinding } from './rbac/clusterrolebinding.js';
import { role } from './rbac/role.js';
import { roleBinding } from './rbac/rolebinding.js';
import { deviceClass } from './resource/deviceclass.js';
import { deviceTaintRule } from './resource/devicetaintrule.js';
import { resourceClaim } from './resource/resourceclaim.js';
import { resourceClaimTemplate } from './resource/resourceclaimtemplate.js';
import { resourcePoolStatusRequest } from './resource/resourcepoolstatusrequest.js';
import { resourceSlice } from './resource/resourceslice.js';
import { compositePodGroup } from './scheduling/compositepodgroup.js';
import { podGroup } from './scheduling/podgroup.js';
import { priorityClass } from './scheduling/priorityclass.js';
import { workload } from './scheduling/workload.js';
import { csiDriver } from './storage/csidriver.js';
import { csiNode } from './storage/csinode.js';
import { csiStorageCapacity } from './storage/csistoragecapacity.js';
import { storageClass } from './storage/storageclass.js';
import { volumeAttachment } from './storage/volumeattachment.js';
import { volumeAttributesClass } from './storage/volumeattributesclass.js';
import { storageVersionMigration } from './storagemigration/storageversionmigration.js';

/** Every built-in resource, one file each. To add a kind, write its file and list it here. */
export function builtinResources(cluster: ClusterConfig = defaultCluster): readonly ResourceDeclaration[] {
  return [
    binding,
    componentStatus(cluster),
    configMap,
    endpoints,
    event(cluster),
    limitRange,
    namespace,
    node,
    persistentVolume,
    persistentVolumeClaim,
    pod,
    podTemplate,
    replicationController,
    resourceQuota,
    secret,
    serviceResource(cluster),
    serviceAccount(cluster),
    selfSubjectReview,
    tokenReview(cluster),
    ...accessReviews(cluster),
    selfSubjectRulesReview(cluster),
    horizontalPodAutoscaler,
    cronJob,
    job,
    certificateSigningRequest,
    clusterTrustBundle,
    podCertificateRequest,
    lease,
    leaseCandidate,
    endpointSlice,
    ingress,
    ingressClass,
    ipAddress,
    networkPolicy,
    serviceCidr,
    runtimeClass,
    podDisruptionBudget,
    clusterRole,
    clusterRoleBinding,
    role,
    roleBinding,
    compositePodGroup,
    podGroup,
    priorityClass,
    workload,
    csiDriver,
    csiNode,
    csiStorageCapacity,
    storageClass,
    volumeAttachment,
    volumeAttributesClass,
    flowSchema,
    priorityLevelConfiguration,
    apiService,
    controllerRevision,
    daemonSet,
    deployment,
    replicaSet,
    statefulSet,
    mutatingAdmissionPolicy,
    mutatingAdmissionPolicyBinding,
    mutatingWebhookConfiguration,
    validatingAdmissionPolicy,
    validatingAdmissionPolicyBinding,
    validatingWebhookConfiguration,
    deviceClass,
    deviceTaintRule,
    resourceClaim(cluster),
    resourceClaimTemplate,
    resourcePoolStatusRequest,
    resourceSlice,
    storageVersionMigration,
    storageVersion,
    evictionRecord,
    evictionRequest,
    customResourceDefinition,
  ];
}

export { type ClusterConfig, type ComponentHealth, defaultCluster, type TokenReviewOutcome };
