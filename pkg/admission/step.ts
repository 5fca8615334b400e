import { type AdmissionRequest, type ApiError, errors, type JsonObject } from '../api/index.js';

/** Whether a request is for an object of the resource, not for a subresource. */
export function isAbout({ subresource, groupResource }: AdmissionRequest, group: string, resource: string): boolean {
  return subresource === '' && groupResource.group === group && groupResource.resource === resource;
}

/** Returns the pod of a create; undefined for other requests. */
export function newPod(request: AdmissionRequest): JsonObject | undefined {
  return request.operation === 'create' && isAbout(request, '', 'pods') ? request.object : undefined;
}

/** Returns the 403 error of a step. */
export function forbidden({ groupResource, name, operation }: AdmissionRequest, why: string): ApiError {
  // Deletions of a collection name no object.
  return errors.forbidden(groupResource, name === '' && operation === 'delete' ? 'Unknown' : name, why);
}
