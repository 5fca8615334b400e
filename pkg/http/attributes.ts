import {
  isPathSegmentName,
  parseFieldSelector,
  parseLabelSelector,
  type RequestAttributes,
  type ResourceAttributes,
  requiredValue,
} from '../api/index.js';
import type { Call } from './call.js';
import type { ResourceInfo } from './requestinfo.js';

const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

/** The attributes of a request that authorizers decide on. */
export function attributesOf(call: Call): RequestAttributes {
  const { info } = call;
  if (info.kind === 'path') return { kind: 'path', verb: call.exchange.method.toLowerCase(), path: info.path };
  if (info.query.empty || !SELECTING.has(info.verb)) return info;
  return withSelectors(info);
}

/**
 * A list or watch that selects one object by `metadata.name` has the name of that object, as in kube-apiserver.
 * Selectors that cannot be parsed are omitted: the request then covers everything.
 */
function withSelectors(info: ResourceInfo): ResourceAttributes {
  const field = info.query.text('fieldSelector');
  const label = info.query.text('labelSelector');
  if (field === '' && label === '') return info;
  const fields = field === '' ? undefined : parsed(() => parseFieldSelector(field));
  const labels = label === '' ? undefined : parsed(() => parseLabelSelector(label));
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

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}
