export { CertificateMetrics } from './certificatemetrics.js';
export { bundleProblem, Outbound, type OutboundParts } from './client.js';
export { ClientConfigError, type WebhookCall, type WebhookClientParts, WebhookClients } from './clientconfig.js';
export { ClientMetrics } from './clientmetrics.js';
export type { Dialer } from './dial.js';
export { type EgressConnection, egressDialers } from './egress.js';
export { EgressMetrics } from './egressmetrics.js';
export { OutboundError, type OutboundPhase } from './errors.js';
export { httpProxy } from './httpconnect.js';
export { KubeconfigError, type KubeconfigSource, OutboundKubeconfig } from './kubeconfig.js';
export { outboundLimits } from './limits.js';
export type { OpenResponse } from './pool.js';
export { sendFollowing } from './redirect.js';
export { sendRepeatedly } from './repeat.js';
export { restError } from './rest.js';
export { DecodeError, decodeReview, jsonType, type ReviewType, readVersioned, reviewSteps } from './review.js';
export {
  type CallResult,
  pathWithTimeout,
  ReviewClient,
  type ReviewClientParts,
  type ReviewTarget,
} from './reviewclient.js';
export { type ServiceReference, type ServiceResolver, serviceName, serviceResolver } from './services.js';
export {
  type Address,
  addressOf,
  type Credentials,
  type EgressNetwork,
  headerOf,
  hostPort,
  type OutboundRequest,
  type OutboundResponse,
  type OutboundTarget,
  type ProxyPlace,
  type ProxyTls,
} from './target.js';
export type { UpgradeReply } from './upgrade.js';
