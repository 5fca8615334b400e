export {
  type AuthenticationTrust,
  authenticationTrust,
  type TrustedAuthorities,
} from './apiserver/authenticationtrust.js';
export { defaultServiceCidr } from './apiserver/defaultservicecidr.js';
export { identityLeaseCollector, keepIdentityLease } from './apiserver/identitylease.js';
export { kubernetesService } from './apiserver/kubernetesservice.js';
export { legacyTokenTracking } from './apiserver/legacytokentracking.js';
export { announceServer, type LiveServer, type ServerAddress } from './apiserver/liveservers.js';
export { apiServiceAvailability, type CheckServer } from './apiservices/availability.js';
export { apiServiceRegistration } from './apiservices/registration.js';
export { bootstrapSigner } from './bootstrap/signer.js';
export { tokenCleaner } from './bootstrap/tokencleaner.js';
export { approvingController } from './certificates/approving.js';
export { cleanerController } from './certificates/cleaner.js';
export type { CertificateAuthority, RequestedIdentity, SigningTerms } from './certificates/requests.js';
export { signingController } from './certificates/signing.js';
export type { Cluster, DeleteOptions, Following, Observer, Place, Policy } from './cluster.js';
export { clusterRoleAggregation } from './clusterroleaggregation.js';
export type { Collected } from './collected.js';
export type { Controller, ControllerContext } from './controller.js';
export { ConversionMetrics } from './conversionmetrics.js';
export { definitionCleanup } from './definitioncleanup.js';
export { definitionNames } from './definitionnames.js';
export { type ServedDefinitions, serveDefinitions } from './definitionserving.js';
export { deviceTaintEviction } from './devicetaints/eviction.js';
export { endpointsController } from './endpoints/endpoints.js';
export { endpointSliceController } from './endpoints/endpointslice.js';
export { mirroringController } from './endpoints/mirroring.js';
export { flowSchemaStatus } from './flowschemastatus.js';
export { garbageCollector } from './garbagecollector.js';
export { candidateCollector, leaderElection } from './leaderelection/election.js';
export { ControllerManager, controllersElsewhere, isWanted, unknownControllers } from './manager.js';
export { storageVersionMigrator } from './migration/storageversionmigration.js';
export { CONTROLLERS } from './names.js';
export { namespaceController } from './namespace.js';
export { defaultServiceAccount, rootCaPublisher } from './namespacecontent.js';
export { addressRepair } from './network/addressrepair.js';
export { nodePortRepair } from './network/nodeportrepair.js';
export { serviceCidrController } from './network/servicecidr.js';
export { policyStatus } from './policystatus.js';
export { attributesClassProtection, claimProtection, volumeProtection } from './protection/volumes.js';
export type { RemoteContent, RemoteResource } from './remotecontent.js';
export type { RemoteCollection, RemoteCollections, RemoteObjects } from './remotedependents.js';
export type { RemoteOwners } from './remoteowners.js';
export { replicationController } from './replication/replicationcontroller.js';
export { resourceQuotaController } from './resourcequota.js';
export { tokenSecrets } from './tokensecrets.js';
