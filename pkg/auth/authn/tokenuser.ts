import type { ServiceAccountClaims } from '../tokens/claims.js';
import { serviceAccountGroups, type UserInfo, withAuthenticatedGroup } from '../user.js';

const PREFIX = 'authentication.kubernetes.io';
const REVIEW_GROUPS = 'attestation.authentication.kubernetes.io/admissionReviewAPIGroups';

/** The user of a service-account token. Its extra names the objects that the token is bound to. */
export function userOf({ namespace, serviceAccount, id, pod, node, webhooks }: ServiceAccountClaims): UserInfo {
  const { validating, mutating, reviewGroups } = webhooks;
  const extra: Record<string, readonly string[]> = {};
  if (pod !== undefined) Object.assign(extra, bound('pod', pod));
  if (id !== '') extra[`${PREFIX}/credential-id`] = [`JTI=${id}`];
  if (node !== undefined) {
    extra[`${PREFIX}/node-name`] = [node.name];
    if (node.uid !== '') extra[`${PREFIX}/node-uid`] = [node.uid];
  }
  if (validating !== undefined) Object.assign(extra, bound('validatingwebhookconfiguration', validating));
  if (mutating !== undefined) Object.assign(extra, bound('mutatingwebhookconfiguration', mutating));
  if ((validating ?? mutating) !== undefined) extra[REVIEW_GROUPS] = reviewGroups;
  return withAuthenticatedGroup({
    name: `system:serviceaccount:${namespace}:${serviceAccount.name}`,
    uid: serviceAccount.uid,
    groups: serviceAccountGroups({ namespace, name: serviceAccount.name }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  });
}

const bound = (kind: string, { name, uid }: { readonly name: string; readonly uid: string }) => ({
  [`${PREFIX}/${kind}-name`]: [name],
  [`${PREFIX}/${kind}-uid`]: [uid],
});
