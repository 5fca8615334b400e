import { type AdmissionRequest, type ApiError, errors, type JsonObject } from '../api/index.js';

/** Whether a request is about the object itself of a resource, not about a subresource. */
export function isAbout({ subresource, groupResource }: AdmissionRequest, group: string, resource: string): boolean {
  return subresource === '' && groupResource.group === group && groupResource.resource === resource;
}

/** The pod of a create; undefined for every other request. */
export function newPod(request: AdmissionRequest): JsonObject | undefined {
  return request.operation === 'create' && isAbout(request, '', 'pods') ? request.object : undefined;
}

/** The 403 of a step. */
export function forbidden({ groupResource, name, operation }: AdmissionRequest, why: string): ApiError {
  // Deletions of a collection name no object.
  return errors.forbidden(groupResource, name === '' && operation === 'delete' ? 'Unknown' : name, why);
}
