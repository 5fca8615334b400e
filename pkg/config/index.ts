export type { AccessConfig, OidcFlags, RequestHeaderFlags, ServiceAccountConfig } from './accessconfig.js';
export type { AuditBackendConfig, AuditConfig, AuditLogConfig, AuditWebhookConfig } from './auditflags.js';
export {
  type ApiConfig,
  type ClusterConfig,
  type Config,
  type ControllerSettings,
  configOf,
  type KeyFiles,
  type KubeletConfig,
  type LimitsConfig,
  type OutboundConfig,
  type ServingConfig,
  type Signer,
  type SigningConfig,
} from './config.js';
export {
  checkFields,
  describeErrors,
  type FileError,
  type FileRead,
  type FileTypes,
  fileErrorText,
  parseYaml,
  readConfigFile,
} from './file.js';
export { ConfigError, parseDuration } from './flag.js';
export { type AuthorizationMode, FLAGS, type FlagName } from './flags.js';
export { featureStates } from './gates.js';
export { type CommandLine, type FlagValues, helpText, isKnownFlag, parseCommandLine } from './parse.js';
