export type { ApiDescription, ApiGroupVersion, ApiResource, ApiSubresource, CustomSchema } from './served.js';
export { createOpenApi, type EncodedDocument, type OpenApi, type OpenApiOptions } from './service.js';
