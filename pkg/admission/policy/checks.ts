import {
  type AdmissionRequest,
  parseFieldSelector,
  parseLabelSelector,
  type RequestAttributes,
  type UserInfo,
} from '../../api/index.js';
import type { Check, CheckDecision } from '../../cel/index.js';

/** Calls the authorizer of the server. */
export type AuthorizeCheck = (user: UserInfo, attributes: RequestAttributes) => CheckDecision | Promise<CheckDecision>;

/** Resolves authorizer checks in expressions for the user of this request. */
export function checkDecider(request: AdmissionRequest, authorize: AuthorizeCheck) {
  return (check: Check): CheckDecision | Promise<CheckDecision> => {
    const user = check.serviceAccount === undefined ? request.user : serviceAccountUser(check.serviceAccount);
    return authorize(user, attributesOf(check));
  };
}

function serviceAccountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

function attributesOf(check: Check): RequestAttributes {
  if (check.path !== undefined) return { kind: 'path', verb: check.verb, path: check.path };
  return {
    kind: 'resource',
    verb: check.verb,
    group: check.group,
    version: '*',
    resource: check.resource,
    subresource: check.subresource,
    namespace: check.namespace,
    name: check.name,
    ...parsed('fieldSelector', check.fieldSelector, parseFieldSelector),
    ...parsed('labelSelector', check.labelSelector, parseLabelSelector),
  };
}

/** A selector that cannot be parsed is omitted, as in requests: the check then covers everything. */
function parsed<T>(
  name: string,
  selector: string | undefined,
  parse: (text: string) => T,
): { readonly [field: string]: T } {
  if (selector === undefined) return {};
  try {
    return { [name]: parse(selector) };
  } catch {
    return {};
  }
}
