export { type Access, accessOf } from './access.js';
export { Informer, type InformerHandlers, type InformerOptions } from './api/informer.js';
export {
  type ApiObject,
  type ObjectList,
  type PatchType,
  type Query,
  ResourceClient,
  type ResourcePath,
  type WatchEvent,
} from './api/resource.js';
export { RestClient, type RestOptions, type RestRequest } from './api/rest.js';
export type { Offline, RestoreRequest } from './commands/command.js';
export { type ClientConfig, type ConfigParts, clientConfig } from './config/connect.js';
export { inClusterConfig } from './config/incluster.js';
export { type ConfigSources, type LoadedConfig, loadConfig } from './config/load.js';
export { ClientError } from './error.js';
export { ask, askAny, Unreachable } from './http.js';
export { findMember, idText, listMembers, type Member, type PeerStatus, statusOf } from './peers.js';
export { type CtlDoor, runCtl } from './run.js';
