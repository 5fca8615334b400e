import {
  errors,
  type FieldErrors,
  FieldPath,
  forbidden,
  isDns1123Subdomain,
  type JsonObject,
  type JsonValue,
  numberAt,
  type RequestAttributes,
} from '../../../api/index.js';
import type { VirtualRequest } from '../../resource.js';
import { at, listAt, textAt } from '../access.js';
import type { BoundWebhooks, ClusterConfig } from '../cluster.js';

/**
 * Tokens bound to a configuration of webhooks: the caller of a webhook proves with one that it may send admission reviews
 * of an API group to it. The audience is the address of the webhook, never the API server.
 */

export const SPEC = FieldPath.of('spec');
export const ATTESTATIONS = SPEC.child('attestations');
const GATE = 'APIServerWebhookAuthenticationToken';
const API_GROUPS = 'admissionReviewAPIGroups';
const HOOKS = 'admissionregistration.k8s.io';
/** A token is meant for one call, or few: ten minutes are the shortest lifetime that a request may have. */
const SECONDS_MAX = 600;

const RESOURCES: Readonly<Record<string, 'validatingwebhookconfigurations' | 'mutatingwebhookconfigurations'>> = {
  ValidatingWebhookConfiguration: 'validatingwebhookconfigurations',
  MutatingWebhookConfiguration: 'mutatingwebhookconfigurations',
};

export const isWebhook = (ref: JsonValue | undefined): boolean =>
  textAt(ref, 'apiVersion') === `${HOOKS}/v1` && Object.hasOwn(RESOURCES, textAt(ref, 'kind'));

/** A token for a webhook attests to one API group whose requests its bearer may review. */
export function validateAttestations(attestations: JsonValue, found: FieldErrors): void {
  const all = Object.entries(attestations ?? {});
  if (all.length !== 1) {
    const why = `webhook bound requests require exactly one ${API_GROUPS} attestation`;
    found.invalid(ATTESTATIONS, attestations, why);
    return;
  }
  const [key, values] = all[0]!;
  const path = ATTESTATIONS.key(key);
  if (key !== API_GROUPS) found.notSupported(path, key, [API_GROUPS]);
  else if (!Array.isArray(values) || values.length !== 1) found.invalid(path, values, 'must specify a single value');
  else {
    const group = String(values[0]);
    if (group === '') found.invalid(path.index(0), group, 'may not be an empty string');
    else if (group !== '*')
      for (const why of isDns1123Subdomain(group))
        found.invalid(path.index(0), group, `must specify a valid API Group: ${why}`);
  }
}

export interface WebhookTokenParts extends Pick<ClusterConfig, 'tokens' | 'authorize'> {
  /** Of the service account. */
  readonly uid: string;
}

/** The configuration that a valid `spec` names, if the account may attest to the group. Shortens the lifetime of the token. */
export async function boundWebhook(
  request: VirtualRequest,
  spec: JsonObject,
  parts: WebhookTokenParts,
): Promise<BoundWebhooks> {
  const ref = at(spec, 'boundObjectRef');
  const kind = textAt(ref, 'kind');
  if (!request.context.featureEnabled(GATE))
    throw errors.badRequest(
      `cannot bind token to object of type ${HOOKS}/v1, Kind=${kind} (feature gate ${GATE} is disabled)`,
    );
  const audience = String(listAt(spec, 'audiences')[0]);
  if (parts.tokens.audiences.includes(audience))
    throw errors.badRequest('api server audiences are invalid for webhook token requests');
  const group = String(listAt(spec, 'attestations', API_GROUPS)[0]);
  spec['expirationSeconds'] = Math.min(numberAt(spec, 'expirationSeconds'), SECONDS_MAX);
  await authorize(request, group, parts);
  const place = { group: HOOKS, resource: RESOURCES[kind]!, namespace: '', name: textAt(ref, 'name') };
  const found = place.name === '' ? undefined : await request.objects.get(place);
  if (found === undefined || !isFor(found, { group, audience, now: request.context.world.clock.now() }))
    throw errors.forbidden({ group: '', resource: 'serviceaccounts/token' }, request.name, 'token request denied');
  const bound = { name: place.name, uid: textAt(found, 'metadata', 'uid') };
  checkBoundUid(ref, bound.uid);
  const reviewGroups = [group];
  return kind === 'MutatingWebhookConfiguration'
    ? { mutating: bound, reviewGroups }
    : { validating: bound, reviewGroups };
}

/** The account, not the user of the request, must be allowed to attest to the group. */
async function authorize(
  { namespace, name }: VirtualRequest,
  group: string,
  { authorize, uid }: WebhookTokenParts,
): Promise<void> {
  const user = {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
  };
  const attributes: RequestAttributes = {
    kind: 'resource',
    verb: 'attest',
    group: 'authentication.k8s.io',
    version: '*',
    resource: API_GROUPS,
    subresource: '',
    namespace: '',
    name: group,
  };
  const decision = await authorize(user, attributes);
  if (decision.kind === 'allow') return;
  const texts = [decision.error ?? '', decision.reason].filter((text) => text !== '');
  throw forbidden(user, attributes, texts.join(': '));
}

/** Whether one webhook of a configuration has both the group in its rules and the address. The group `*` matches any. */
function isFor(
  configuration: JsonObject,
  { group, audience, now }: { readonly group: string; readonly audience: string; readonly now: number },
): boolean {
  if (Date.parse(textAt(configuration, 'metadata', 'deletionTimestamp')) < now) return false;
  if (group === '*') return true;
  return listAt(configuration, 'webhooks').some((webhook) => {
    const groups = listAt(webhook, 'rules').flatMap((rule) => listAt(rule, 'apiGroups'));
    return (groups.includes('*') || groups.includes(group)) && addresses(webhook).includes(audience);
  });
}

/** The audiences of a webhook: its URL as it is, or the full URL of its service. */
function addresses(webhook: JsonValue): readonly string[] {
  const service = at(webhook, 'clientConfig', 'service') ?? null;
  const url = textAt(webhook, 'clientConfig', 'url');
  if (service === null) return [url];
  const path = textAt(service, 'path');
  const host = `${textAt(service, 'name')}.${textAt(service, 'namespace')}.svc`;
  const address = `https://${host}:${numberAt(service, 'port') || 443}${path.startsWith('/') ? '' : '/'}${path}`;
  return url === '' ? [address] : [url, address];
}

export function checkBoundUid(ref: JsonValue | undefined, uid: string): void {
  const given = textAt(ref, 'uid');
  if (given === '' || given === uid) return;
  const [apiVersion, kind] = [textAt(ref, 'apiVersion'), textAt(ref, 'kind')];
  const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
  throw errors.conflict(
    { group, resource: kind },
    textAt(ref, 'name'),
    `the UID in the bound object reference (${given}) does not match the UID in record. The object might have been deleted and then recreated`,
  );
}
