export type { DatedDocument } from './kept.js';
export { type RemoteDocument, remoteDocument } from './remote.js';
export type { ApiDescription, ApiGroupVersion, ApiResource, ApiSubresource, CustomSchema } from './served.js';
export {
  createOpenApi,
  type DocumentForm,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V3_PROTOBUF,
  type OpenApi,
  type OpenApiOptions,
} from './service.js';
