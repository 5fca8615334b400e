import type { Target, TargetPlace } from './requests.js';
import type { ServedResource } from './servedresources.js';

/**
 * Resolves the target of a request, once for all later code. Returns undefined if the resource has no such subresource.
 */
export function resolveTarget(
  resource: ServedResource,
  {
    namespace,
    name = '',
    subresource = '',
  }: { readonly namespace: string; readonly name?: string; readonly subresource?: string },
): Target | undefined {
  const place: TargetPlace = { resource, namespace, name, subresource };
  if (subresource === '') return wholeTarget(place);
  if (!Object.hasOwn(resource.subresources, subresource)) return undefined;
  const { behaviour } = resource.subresources[subresource]!;
  switch (behaviour.kind) {
    case 'status':
      return { kind: 'status', rules: behaviour.strategy, ...place };
    case 'scale':
      return { kind: 'scale', rules: resource.strategy, scale: behaviour, ...place };
    case 'action':
      return { ...behaviour, ...place };
    case 'connection':
      return { kind: 'connection', connection: behaviour, ...place };
  }
}

function wholeTarget(place: TargetPlace): Target {
  const { resource, name } = place;
  const { virtual } = resource.declaration;
  if (virtual !== undefined) return { kind: 'virtual', run: virtual, ...place };
  return { kind: name === '' ? 'collection' : 'object', rules: resource.strategy, ...place };
}

/** The target of one object of a stored resource. */
export function objectTarget(resource: ServedResource, namespace: string, name: string): Target {
  return wholeTarget({ resource, namespace, name, subresource: '' });
}
