import type { RequestAttributes, UserInfo } from './request.js';
import { type ApiError, errors } from './status.js';

/** The 403 response of kube-apiserver: it names the user, the verb, the resource and the scope. */
export function forbidden(user: UserInfo, attributes: RequestAttributes, reason: string): ApiError {
  const why = escaped(sentence(user, attributes)) + (reason === '' ? '' : `: ${reason}`);
  return attributes.kind === 'path'
    ? errors.forbidden({ group: '', resource: '' }, '', why)
    : errors.forbidden({ group: attributes.group, resource: attributes.resource }, attributes.name, why);
}

/** A path or name is no markup for a browser that shows the message. */
function escaped(text: string): string {
  if (!/[&<>]/.test(text)) return text;
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function sentence(user: UserInfo, a: RequestAttributes): string {
  const start = `User ${JSON.stringify(user.name)} cannot ${a.verb}`;
  if (a.kind === 'path') return `${start} path ${JSON.stringify(a.path)}`;
  const resource = a.subresource === '' ? a.resource : `${a.resource}/${a.subresource}`;
  const what = `${start} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(a.group)}`;
  return a.namespace === ''
    ? `${what} at the cluster scope`
    : `${what} in the namespace ${JSON.stringify(a.namespace)}`;
}
