import {
  equalJson,
  type FieldErrors,
  FieldPath,
  forbidden,
  isDns1123Subdomain,
  isObject,
  type JsonObject,
  type ResourceAttributes,
  type Shaped,
  textAt,
  type UserInfo,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { WriteContext } from '../../resource.js';
import { at, listAt, objectsAt } from '../access.js';
import type { ClusterConfig } from '../cluster.js';

/**
 * Who may write which part of the status of a ResourceClaim (`DRAResourceClaimGranularStatusAuthorization`): `update` or `patch` of
 * `resourceclaims/status` is not enough.
 *
 *   allocation, reservedFor  the same verb on `resourceclaims/binding`, in the whole cluster
 *   devices of a driver      `arbitrary-node:` and the verb on `resourceclaims/driver` with the name of the driver; for a service
 *                            account of the node on which the claim is allocated, `associated-node:` and the verb also
 */

export type Authorize = ClusterConfig['authorize'];
type Claim = Shaped<shapes.ResourceV1ResourceClaim>;

const GATE = 'DRAResourceClaimGranularStatusAuthorization';
const STATUS = FieldPath.in<shapes.ResourceV1ResourceClaim>().child('status');
const NODE_NAME_EXTRA = 'authentication.kubernetes.io/node-name';
const SERVICE_ACCOUNT = /^system:serviceaccount:[^:]+:[^:]+$/;

/** Reports what the user of a request may not change. The server's own requests are not checked. */
export async function authorizeClaimStatus(
  o: Claim,
  old: Claim,
  { errors, context, authorize }: { errors: FieldErrors; context: WriteContext; authorize: Authorize },
): Promise<void> {
  const { verb } = context;
  if (verb === '' || !context.featureEnabled(GATE)) return;
  const refusal = (attributes: Attributes) => refusalOf(context, authorize, attributes);
  if (bindingChanged(o, old)) {
    const why = await refusal({ verb, subresource: 'binding', namespace: '', name: '' });
    if (why !== undefined)
      errors.forbidden(
        STATUS.child('allocation'),
        `changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="${verb}" permission: ${why}`,
      );
  }
  // Without an allocation no status of devices remains.
  if (at(o, 'status', 'allocation') === undefined) return;
  const verbs = isOnNode(context.user, allocatedNode(o))
    ? [`associated-node:${verb}`, `arbitrary-node:${verb}`]
    : [`arbitrary-node:${verb}`];
  for (const driver of driversChanged(o, old)) {
    const reasons: string[] = [];
    for (const v of verbs) {
      const why = await refusal({ verb: v, subresource: 'driver', namespace: context.namespace, name: driver });
      if (why === undefined) break;
      reasons.push(why);
    }
    if (reasons.length === verbs.length)
      errors.forbidden(
        STATUS.child('devices'),
        `changing status.devices requires resource="resourceclaims/driver", verb="[${verbs.join(' ')}]" permission: ${reasons[0]}`,
      );
  }
}

type Attributes = Pick<ResourceAttributes, 'verb' | 'subresource' | 'namespace' | 'name'>;

/** Returns why the user of the request may not do it, or undefined. */
async function refusalOf(
  { user, group, version }: WriteContext,
  authorize: Authorize,
  asked: Attributes,
): Promise<string | undefined> {
  const attributes = { kind: 'resource', group, version, resource: 'resourceclaims', ...asked } as const;
  const { kind, reason, error } = await authorize(user, attributes);
  if (kind === 'allow') return undefined;
  return forbidden(user, attributes, [error ?? '', reason].filter((s) => s !== '').join(': ')).message;
}

function bindingChanged(o: Claim, old: Claim): boolean {
  return (
    !equalJson(at(o, 'status', 'allocation') ?? null, at(old, 'status', 'allocation') ?? null) ||
    !equalJson(listAt(o, 'status', 'reservedFor'), listAt(old, 'status', 'reservedFor'))
  );
}

/** The drivers whose devices were added, removed or changed, in order. */
function driversChanged(o: Claim, old: Claim): readonly string[] {
  const before = devicesOf(old);
  const drivers = new Set<string>();
  for (const [key, device] of devicesOf(o)) {
    const known = before.get(key);
    before.delete(key);
    if (known === undefined || !equalJson(known, device)) drivers.add(textAt(device, 'driver'));
  }
  for (const device of before.values()) drivers.add(textAt(device, 'driver'));
  return [...drivers].sort();
}

function devicesOf(o: Claim): Map<string, JsonObject> {
  const devices = new Map<string, JsonObject>();
  for (const device of objectsAt(o, 'status', 'devices')) {
    const { driver, pool, device: name, shareID = null } = device;
    devices.set(JSON.stringify([driver, pool, name, shareID]), device);
  }
  return devices;
}

/** The node to which an allocation is bound by name; '' if it is for several or any. */
function allocatedNode(o: Claim): string {
  const terms = objectsAt(o, 'status', 'allocation', 'nodeSelector', 'nodeSelectorTerms');
  const term = terms.length === 1 ? terms[0]! : undefined;
  if (term === undefined || !isObject(term) || listAt(term, 'matchExpressions').length > 0) return '';
  const fields = objectsAt(term, 'matchFields');
  const field = fields.length === 1 ? fields[0]! : undefined;
  if (field === undefined || textAt(field, 'key') !== 'metadata.name' || textAt(field, 'operator') !== 'In') return '';
  const values = listAt(field, 'values');
  return values.length === 1 ? String(values[0]) : '';
}

function isOnNode({ name, extra }: UserInfo, node: string): boolean {
  const names = extra?.[NODE_NAME_EXTRA] ?? [];
  return (
    node !== '' &&
    SERVICE_ACCOUNT.test(name) &&
    names.length === 1 &&
    names[0] === node &&
    isDns1123Subdomain(node).length === 0
  );
}
