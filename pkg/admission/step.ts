import { type AdmissionRequest, type ApiError, errors, type JsonObject, textAt } from '../api/index.js';

/** Whether a request is for an object of the resource, not for a subresource. */
export function isAbout({ subresource, groupResource }: AdmissionRequest, group: string, resource: string): boolean {
  return subresource === '' && groupResource.group === group && groupResource.resource === resource;
}

/** Returns the pod of a create; undefined for other requests. */
export function newPod(request: AdmissionRequest): JsonObject | undefined {
  return request.operation === 'create' && isAbout(request, '', 'pods') ? request.object : undefined;
}

/** Returns the 403 error of a step. */
export function forbidden(request: AdmissionRequest, why: string): ApiError {
  return errors.forbidden(request.groupResource, nameShown(request), why);
}

/** The name of the object as errors show it: before a name is generated, its prefix. Deletions of a collection name no object. */
export function nameShown({ name, object }: AdmissionRequest): string {
  if (name !== '') return name;
  return textAt(object, 'metadata', 'name') || textAt(object, 'metadata', 'generateName') || 'Unknown';
}
