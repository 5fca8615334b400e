export { AccessWebhook, type AccessWebhookConfig, type AccessWebhookObserver } from './access.js';
export { TokenWebhook, type TokenWebhookConfig } from './token.js';
