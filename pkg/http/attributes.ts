import {
  isPathSegmentName,
  parseFieldSelector,
  parseLabelSelector,
  type RequestAttributes,
  type RequestSelectors,
  type ResourceAttributes,
  requiredValue,
  SelectorError,
} from '../api/index.js';
import type { Call } from './call.js';
import { limits } from './limits.js';
import { SELECTING } from './longselectors.js';
import type { ResourceInfo } from './requestinfo.js';

/** The attributes of a request that authorizers decide on. */
export function attributesOf(call: Call): RequestAttributes {
  const { info } = call;
  if (info.kind === 'path') return { kind: 'path', verb: call.exchange.method.toLowerCase(), path: info.path };
  if (info.query.empty || !SELECTING.has(info.verb)) return info;
  // Long selectors are parsed in steps, before authorization. They are missing where a request fails before that.
  if (call.selectors === undefined && call.exchange.url.length > limits.longUrlCharacters) return info;
  return withSelectors(info, call.selectors);
}

/**
 * A list or watch that selects one object by `metadata.name` has the name of that object, as in kube-apiserver.
 * Selectors that cannot be parsed are omitted: the request then covers everything.
 */
function withSelectors(info: ResourceInfo, read: RequestSelectors | undefined): ResourceAttributes {
  const field = info.query.text('fieldSelector');
  const label = info.query.text('labelSelector');
  if (field === '' && label === '') return info;
  const fields = field === '' ? undefined : parsed(() => read?.fields ?? parseFieldSelector(field));
  const labels = label === '' ? undefined : parsed(() => read?.labels ?? parseLabelSelector(label));
  const selected =
    fields === undefined || info.verb === 'deletecollection' ? undefined : requiredValue(fields, 'metadata.name');
  const names =
    info.name === '' && selected !== undefined && selected !== '' && isPathSegmentName(selected).length === 0;
  return {
    ...info,
    name: names ? selected : info.name,
    ...(fields === undefined ? {} : { fieldSelector: fields }),
    ...(labels === undefined ? {} : { labelSelector: labels }),
  };
}

function parsed<T>(parse: () => T | SelectorError): T | undefined {
  try {
    const found = parse();
    return found instanceof SelectorError ? undefined : found;
  } catch {
    return undefined;
  }
}
