export { approvalOf } from './builtin/apiextensions/approval.js';
export { structuralViolations } from './builtin/apiextensions/structuralrules.js';
export { hasValidBundle } from './builtin/apiextensions/validation.js';
export { type BootstrapConfig, kubernetesServiceObject } from './builtin/bootstrapobjects.js';
export { heldPorts, NODE_PORT_PREFIX } from './builtin/core/service/nodeports.js';
export {
  builtinResources,
  type ClusterConfig,
  type ComponentHealth,
  defaultCluster,
  type TokenReviewOutcome,
} from './builtin/index.js';
export type { ConvertBatch, Converted, RemoteConverter } from './conversion.js';
export { compile } from './custom/compile.js';
export { type DefinitionHead, headOf, sameSchemas, storedSchemas } from './custom/definition.js';
export { SchemaMemory } from './custom/schemamemory.js';
export { declare, storagePrefixOf } from './declare.js';
export { checkDryRun, checkPropagation } from './deleteoptions.js';
export type { KindChange, KindObserver } from './kindset.js';
export { EVERYTHING } from './listoptions.js';
export { RegistryMetrics } from './metrics.js';
export { openRegistry, type RegistryConfig } from './open.js';
export type { Registry } from './registry.js';
export { createRenderer, type RenderAnswer, type Renderer, type Rendering, type RenderList } from './render.js';
export type {
  Answer,
  Body,
  BodyRecord,
  CreateRequest,
  DecodedBody,
  DeleteCollectionRequest,
  Deleted,
  DeleteOptions,
  DeleteRequest,
  EventStream,
  FieldValidation,
  Frames,
  GetRequest,
  ListOptions,
  ListRequest,
  ListResult,
  PatchRequest,
  PatchType,
  Representation,
  RequestContext,
  Target,
  UpdateRequest,
  WatchOptions,
  WatchRequest,
  WriteOptions,
  Written,
} from './requests.js';
export type {
  Backend,
  Change,
  DeclaredVersion,
  ObjectChange,
  ObjectPlace,
  Objects,
  Preconditions,
  Reader,
  ResourceDeclaration,
  Strategy,
  Subresource,
  SubresourceBehaviour,
  TableColumn,
  TableDeclaration,
  TxnPart,
  Verb,
  VirtualHandler,
  VirtualRequest,
  WriteContext,
} from './resource.js';
export { isServed, type RuntimeConfig, runtimeConfigProblem } from './runtimeconfig.js';
export {
  buildServedResources,
  type Conversion,
  firstServed,
  type Kind,
  type KindDelta,
  type ServedGroup,
  type ServedResource,
  type ServedResources,
  type ServedSubresource,
  type ServedVersion,
  type StorageForm,
  servedResourcesOf,
} from './servedresources.js';
export { objectTarget, resolveTarget } from './target.js';
export { UNSAFE_DELETE_GATE } from './unsafedelete.js';
