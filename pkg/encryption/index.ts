export { connectKms, type Encryption, type EncryptionOptions, type KmsPlugin, openEncryption } from './encryption.js';
export type { KmsService } from './kms.js';
export type { TransformationMetrics } from './metrics.js';
export type { StoredResource } from './resources.js';
