export { AccessWebhook, type AccessWebhookConfig, type AccessWebhookObserver } from './access.js';
export { type CallResult, ReviewClient, type ReviewClientParts, type ReviewTarget } from './client.js';
export { TokenWebhook, type TokenWebhookConfig } from './token.js';
