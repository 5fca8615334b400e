import {
  type FieldErrors,
  type FieldPath,
  isDns1123Subdomain,
  isPortNumber,
  type JsonObject,
} from '../../api/index.js';
import { at, numberAt, textAt } from './access.js';
import { urlProblem } from './urlsyntax.js';

/** The rules of webhook clients that admission webhooks and conversion webhooks share. */

/** Rules of the service of a webhook. */
export function serviceReference(service: JsonObject, path: FieldPath, errors: FieldErrors): void {
  // kube-apiserver swaps the two.
  if (textAt(service, 'namespace') === '') errors.required(path.child('name'));
  if (textAt(service, 'name') === '') errors.required(path.child('namespace'));
  const port = numberAt(service, 'port');
  for (const s of isPortNumber(port)) errors.invalid(path.child('port'), port, `port is not valid: ${s}`);
  const where = at(service, 'path');
  if (typeof where === 'string') servicePath(where, path.child('path'), errors);
}

const FORM = '; desired format: https://host[/path]';

/** Rules of the URL of a webhook. */
export function webhookUrl(text: string, path: FieldPath, errors: FieldErrors): void {
  const problem = urlProblem(text);
  if (problem !== undefined) {
    errors.required(path, `url must be a valid URL: ${problem}${FORM}`);
    return;
  }
  const parts = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/.exec(text);
  const authority = parts?.[2] ?? '';
  if (parts?.[1]?.toLowerCase() !== 'https')
    errors.invalid(path, parts?.[1] ?? '', `'https' is the only allowed URL scheme${FORM}`);
  if (authority.replace(/^[^@]*@/, '') === '') errors.invalid(path, authority, `host must be specified${FORM}`);
  if (authority.includes('@'))
    errors.invalid(path, authority.split('@')[0], 'user information is not permitted in the URL');
  if (parts?.[5] !== undefined && parts[5].length > 1)
    errors.invalid(path, parts[5].slice(1), 'fragments are not permitted in the URL');
  if (parts?.[4] !== undefined && parts[4].length > 1)
    errors.invalid(path, parts[4].slice(1), 'query parameters are not permitted in the URL');
}

function servicePath(where: string, path: FieldPath, errors: FieldErrors): void {
  if (where === '' || where === '/') return;
  if (where === '//') {
    errors.invalid(path, where, 'segment[0] may not be empty');
    return;
  }
  if (!where.startsWith('/')) errors.invalid(path, where, "must start with a '/'");
  // The first byte is dropped even if it is not a slash.
  const segments = Buffer.from(where).subarray(1).toString().replace(/\/$/, '').split('/');
  for (const [i, segment] of segments.entries()) {
    if (segment === '') {
      errors.invalid(path, where, `segment[${i}] may not be empty`);
      continue;
    }
    for (const s of isDns1123Subdomain(segment)) errors.invalid(path, where, `segment[${i}]: ${s}`);
  }
}
