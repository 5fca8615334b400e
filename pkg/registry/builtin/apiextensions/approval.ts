import { type FieldErrors, FieldPath, type JsonObject, textAt } from '../../../api/index.js';

const APPROVED = 'api-approved.kubernetes.io';
const MUST = `protected groups must have approval annotation "${APPROVED}"`;
const SEE = ', see https://github.com/kubernetes/enhancements/pull/1111';

/** How a definition in a group of the community says that it is approved, with the message of kube-apiserver. */
export interface Approval {
  readonly state: 'missing' | 'bypassed' | 'approved' | 'invalid';
  readonly message: string;
}

/** Returns undefined for a definition in another group, which needs no approval. */
export function approvalOf(definition: JsonObject): Approval | undefined {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(textAt(definition, 'spec', 'group'))) return undefined;
  const text = textAt(definition, 'metadata', 'annotations', APPROVED);
  if (text === '') return { state: 'missing', message: MUST + SEE };
  if (text.startsWith('unapproved')) return { state: 'bypassed', message: `not approved: ${JSON.stringify(text)}` };
  if (/^[a-zA-Z][a-zA-Z0-9+.-]*:\/\/[^/?#\s]+(?:[/?#]|$)/.test(text))
    return { state: 'approved', message: `approved in ${text}` };
  return { state: 'invalid', message: `${MUST} with either a URL or a reason starting with "unapproved"${SEE}` };
}

/** Groups of the community need the approval of its reviewers. An update that does not change the approval is accepted. */
export function validateApproval(definition: JsonObject, errors: FieldErrors, old: JsonObject | undefined): void {
  const approval = approvalOf(definition);
  if (approval === undefined || (old !== undefined && approvalOf(old)?.state === approval.state)) return;
  const path = FieldPath.of('metadata', 'annotations').key(APPROVED);
  if (approval.state === 'missing') errors.required(path, approval.message);
  else if (approval.state === 'invalid')
    errors.invalid(path, textAt(definition, 'metadata', 'annotations', APPROVED), approval.message);
}
