import {
  errors,
  FieldErrors,
  FieldPath,
  formatTime,
  isPathSegmentName,
  type JsonObject,
  numberAt,
  parseApiVersion,
} from '../../../api/index.js';
import type { Subresource, VirtualRequest } from '../../resource.js';
import { at, listAt, objectAt, objectIn, textAt } from '../access.js';
import type { BoundObject, BoundWebhooks, ClusterConfig } from '../cluster.js';
import { ATTESTATIONS, boundWebhook, checkBoundUid, isWebhook, SPEC, validateAttestations } from './tokenwebhook.js';

/** `serviceaccounts/token`: issues a token for the account. */
export function tokenSubresource(cluster: Pick<ClusterConfig, 'tokens' | 'authorize'>): Subresource {
  return {
    verbs: ['create'],
    kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
    behaviour: { kind: 'action', defaults, run: (request) => requestToken(request, cluster) },
  };
}

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' } as const;
const SECONDS_DEFAULT = 3600;
const SECONDS_MIN = 600;
const SECONDS_MAX = 2 ** 32;
/** The lifetime that the ServiceAccount admission plugin requests for pods: an hour and seven seconds that mark it. */
const POD_SECONDS = 3607;

function defaults(body: JsonObject): void {
  const spec = objectIn(body, 'spec');
  if (at(spec, 'expirationSeconds') === undefined || at(spec, 'expirationSeconds') === null)
    spec['expirationSeconds'] = SECONDS_DEFAULT;
}

async function requestToken(
  request: VirtualRequest,
  cluster: Pick<ClusterConfig, 'tokens' | 'authorize'>,
): Promise<JsonObject> {
  const { tokens } = cluster;
  const { namespace, name, objects, context } = request;
  const body = request.body ?? {};
  const metadata = objectIn(body, 'metadata');
  checkName(textAt(metadata, 'name'), name);
  const account = await objects.get({ group: '', resource: 'serviceaccounts', namespace, name });
  if (account === undefined) throw errors.notFound({ group: '', resource: 'serviceaccounts' }, name);
  const uid = textAt(account, 'metadata', 'uid');
  checkUid(textAt(metadata, 'uid'), uid, name);

  const spec = objectIn(body, 'spec');
  if (listAt(spec, 'audiences').length === 0) spec['audiences'] = [...tokens.audiences];
  if (at(spec, 'boundObjectRef') === undefined) spec['boundObjectRef'] = null;
  validate(spec);
  const now = context.world.clock.now();
  Object.assign(metadata, { name, namespace, uid, creationTimestamp: formatTime(now) });

  const bound = isWebhook(at(spec, 'boundObjectRef'))
    ? { webhooks: await boundWebhook(request, spec, { ...cluster, uid }) }
    : await boundObject(request, spec);
  const asked = numberAt(spec, 'expirationSeconds');
  const seconds = tokens.secondsMax > 0 && asked > tokens.secondsMax ? tokens.secondsMax : asked;
  if (seconds < asked) context.warn(`requested expiration of ${asked} seconds shortened to ${seconds} seconds`);
  spec['expirationSeconds'] = seconds;
  const audiences = listAt(spec, 'audiences').map(String);
  // A pod whose client does not reload its token keeps working, because the token is valid longer than it states.
  const extended =
    tokens.extendedSeconds > 0 &&
    bound.pod !== undefined &&
    seconds === POD_SECONDS &&
    audiences.every((audience) => tokens.audiences.includes(audience));
  const id = context.world.random.uuid();
  body['status'] = {
    // A dry run issues a token, too: nothing is stored.
    token: await tokens.issue({
      id,
      namespace,
      serviceAccount: { name, uid },
      audiences,
      seconds: extended ? tokens.extendedSeconds : seconds,
      warnAfterSeconds: extended ? seconds : 0,
      ...bound,
    }),
    expirationTimestamp: formatTime(now + seconds * 1000),
  };
  context.annotate('authentication.kubernetes.io/issued-credential-id', `JTI=${id}`);
  return { ...body, kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1' };
}

function checkName(given: string, name: string): void {
  if (given === '' || given === name) return;
  const found = new FieldErrors();
  found.invalid(FieldPath.of('metadata', 'name'), given, 'must match the service account name if specified');
  throw errors.invalid(KIND, name, found.list);
}

function checkUid(given: string, uid: string, name: string): void {
  if (given === '' || given === uid) return;
  throw errors.conflict(
    { group: KIND.group, resource: KIND.kind },
    name,
    `the UID in the token request (${given}) does not match the UID of the service account (${uid})`,
  );
}

function validate(spec: JsonObject): void {
  const seconds = numberAt(spec, 'expirationSeconds');
  const found = new FieldErrors();
  const path = SPEC.child('expirationSeconds');
  if (seconds < SECONDS_MIN) found.invalid(path, seconds, 'may not specify a duration less than 10 minutes');
  if (seconds > SECONDS_MAX) found.invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds');
  const attestations = at(spec, 'attestations') ?? null;
  if (isWebhook(at(spec, 'boundObjectRef'))) {
    const audiences = listAt(spec, 'audiences');
    if (audiences.length !== 1)
      found.invalid(SPEC.child('audiences'), [...audiences], 'must be length 1 when bound to a webhook config');
    validateAttestations(attestations, found);
  } else if (attestations !== null && Object.keys(attestations).length > 0) {
    // As in kube-apiserver, this is then the only error.
    const only = new FieldErrors();
    only.invalid(
      ATTESTATIONS,
      attestations,
      'attestations may only be specified with a webhook bound object reference',
    );
    throw errors.invalid(KIND, '', only.list);
  }
  if (!found.empty) throw errors.invalid(KIND, '', found.list);
}

interface Bound {
  readonly pod?: BoundObject;
  readonly secret?: BoundObject;
  readonly node?: BoundObject;
  readonly webhooks?: BoundWebhooks;
}

async function boundObject(request: VirtualRequest, spec: JsonObject): Promise<Bound> {
  const ref = at(spec, 'boundObjectRef');
  if (ref === undefined || ref === null) return {};
  const [kind, apiVersion, name] = [textAt(ref, 'kind'), textAt(ref, 'apiVersion'), textAt(ref, 'name')];
  // As in kube-apiserver, a version that cannot be parsed is that of the core group.
  const { group, version } = parseApiVersion(apiVersion) ?? { group: '', version: '' };
  const resource = group === '' ? BOUND[kind] : undefined;
  if (resource === undefined)
    throw errors.badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  if (name === '') throw errors.badRequest('Name parameter required.');
  const [unusable] = isPathSegmentName(name);
  if (unusable !== undefined) throw errors.badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${unusable}`);
  const namespace = resource === 'nodes' ? '' : request.namespace;
  const found = await request.objects.get({ group: '', resource, namespace, name });
  if (found === undefined) throw errors.notFound({ group: '', resource }, name);
  if (resource === 'pods' && textAt(found, 'spec', 'serviceAccountName') !== request.name)
    throw errors.badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(request.name)} to pod running with different serviceaccount name.`,
    );
  const bound = { name, uid: textAt(found, 'metadata', 'uid') };
  checkBoundUid(ref, bound.uid);
  if (resource === 'secrets') return { secret: bound };
  if (resource === 'nodes') return { node: bound };
  const node = textAt(objectAt(found, 'spec'), 'nodeName');
  return node === '' ? { pod: bound } : { pod: bound, node: await nodeOf(request, node) };
}

const BOUND: Readonly<Record<string, 'pods' | 'secrets' | 'nodes' | undefined>> = Object.assign(Object.create(null), {
  Pod: 'pods',
  Secret: 'secrets',
  Node: 'nodes',
});

/** The node of a pod; only its name if the Node object does not exist. */
async function nodeOf({ objects }: VirtualRequest, name: string): Promise<BoundObject> {
  const node = await objects.get({ group: '', resource: 'nodes', namespace: '', name });
  return { name, uid: textAt(node, 'metadata', 'uid') };
}
