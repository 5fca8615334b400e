import { isObject, type JsonObject, listAt, objectAt, objectsAt, textAt, type UserInfo } from '../../api/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { observing, placeOf } from '../observe.js';
import { WorkQueue } from '../queue.js';
import {
  type CertificateAuthority,
  hasCondition,
  KUBELET_CLIENT,
  REQUESTS,
  refusalOf,
  requestOf,
  usagesOf,
} from './requests.js';

const NAME = 'certificatesigningrequest-approving-controller';

export interface ApprovingOptions {
  readonly authority: Pick<CertificateAuthority, 'read'>;
  /** Reports whether a user may create a subresource of certificate requests. */
  mayCreate(user: UserInfo, subresource: 'selfnodeclient' | 'nodeclient'): Promise<boolean>;
}

/** Approves requests of kubelets for client certificates, if they have the permission. */
export function approvingController({ cluster, world, log }: ControllerContext, options: ApprovingOptions): Controller {
  const queue = new WorkQueue({
    world,
    workers: 2,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { request: key, error: String(error) }),
  });

  async function sync(name: string): Promise<void> {
    const place = placeOf(cluster, REQUESTS, name);
    const request = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || request === undefined || textAt(request, 'spec', 'signerName') !== KUBELET_CLIENT)
      return;
    if (hasCondition(request, 'Approved') || hasCondition(request, 'Denied')) return;
    const identity = await options.authority.read(requestOf(request));
    if (refusalOf(KUBELET_CLIENT, identity, usagesOf(request)) !== undefined) return;
    const user = userOf(request);
    const own = user.name === identity.commonName && (await options.mayCreate(user, 'selfnodeclient'));
    if (!own && !(await options.mayCreate(user, 'nodeclient'))) return;
    const approved: JsonObject = {
      type: 'Approved',
      status: 'True',
      reason: 'AutoApproved',
      message: `Auto approving ${own ? 'self ' : ''}kubelet client certificate after SubjectAccessReview.`,
    };
    const status = objectAt(request, 'status');
    const conditions = [...objectsAt(status, 'conditions'), approved];
    await cluster.replace(place, 'approval', { ...request, status: { ...status, conditions } });
  }

  return controllerOf(NAME, cluster, queue, observing({ [REQUESTS]: (_, after) => after && queue.add(after.name) }));
}

function userOf(request: JsonObject): UserInfo {
  const extra = Object.entries(objectAt(request, 'spec', 'extra')).map(
    ([key, values]) => [key, Array.isArray(values) ? values.filter((v) => !isObject(v)).map(String) : []] as const,
  );
  return {
    name: textAt(request, 'spec', 'username'),
    uid: textAt(request, 'spec', 'uid'),
    groups: listAt(request, 'spec', 'groups').map(String),
    extra: Object.fromEntries(extra),
  };
}
