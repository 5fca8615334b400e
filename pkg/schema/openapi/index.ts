export type { ApiDescription, ApiGroupVersion, ApiResource, ApiSubresource, CustomSchema } from './served.js';
export {
  createOpenApi,
  type EncodedDocument,
  OPENAPI_V2_PROTOBUF,
  OPENAPI_V3_PROTOBUF,
  type OpenApi,
  type OpenApiOptions,
} from './service.js';
