import { errors } from '../../api/index.js';
import type { DeleteOptions } from '../../registry/index.js';
import { readResourceBody } from '../body.js';
import { deleteWishOfBody } from '../deletebody.js';
import { bodyEncoding } from '../negotiate.js';
import { checkedDeleteOptions, type DeleteWish, deleteWishOfQuery } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import { sendStatus } from '../responses.js';
import type { HttpServices } from '../services.js';
import { answerForm, sendObject } from './answer.js';

/**
 * DELETE of one object. The response is a Status when the object is removed, otherwise the object that waits for its finalizers.
 */
export async function deleteOne(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, target } = request;
  const form = answerForm(request, services, 'object');
  const options = await deleteOptions(request, services, checkedDeleteOptions);
  if (options.ignoreStoreReadError) await authorizeUnsafe(request, services);
  const deleted = await services.registry.delete({ target, options }, call);
  // A Status has this form whatever the client requested.
  if (deleted.kind === 'deleted') return sendStatus(call, 200, deleted.status, form);
  if (form.mismatch !== undefined) throw form.mismatch;
  switch (deleted.kind) {
    case 'deletedObject':
      return sendObject(request, services, 200, deleted.object, form);
    case 'deleting':
      return sendObject(request, services, deleted.accepted ? 202 : 200, deleted.object, form);
  }
}

/** The options come from the body if there is one, otherwise from the query; never from both. */
export async function deleteOptions(
  request: ResourceRequest,
  services: HttpServices,
  checked: (wish: DeleteWish, unsafe: boolean) => DeleteOptions,
): Promise<DeleteOptions> {
  const { call, info } = request;
  const bytes = await readResourceBody(request, services);
  const { stages, unsafeDeletion } = services;
  if (bytes.length === 0) return checked(deleteWishOfQuery(info.query), unsafeDeletion);
  const encoding = bodyEncoding(call.exchange.headers['content-type'], stages.supportedEncodings);
  const wish = deleteWishOfBody({ bytes, encoding });
  if (call.audit?.wantsRequest === true) call.audit.requestObject = JSON.stringify(shownOptions(wish));
  return checked(wish, unsafeDeletion);
}

const UNSAFE_VERB = 'unsafe-delete-ignore-read-errors';

/** Deleting an object that cannot be read needs a separate permission. */
async function authorizeUnsafe({ call, info, target }: ResourceRequest, { stages }: HttpServices): Promise<void> {
  call.annotate('apiserver.k8s.io/unsafe-delete-ignore-read-error', '');
  const decision = await stages.authorizer.authorize(call.user, { ...info, verb: UNSAFE_VERB });
  if (decision.kind === 'allow') return;
  throw errors.forbidden(
    target.resource.groupResource,
    info.name,
    `not permitted to do ${JSON.stringify(UNSAFE_VERB)}, reason: ${decision.reason}`,
  );
}

/** The options as kube-apiserver shows them in audit events: in its internal version. */
function shownOptions(wish: DeleteWish): object {
  const { dryRun, gracePeriodSeconds, preconditions, propagationPolicy, orphanDependents } = wish;
  return {
    kind: 'DeleteOptions',
    apiVersion: 'meta.k8s.io/__internal',
    gracePeriodSeconds,
    preconditions,
    orphanDependents,
    propagationPolicy,
    ...(dryRun.length === 0 ? {} : { dryRun }),
    ...(wish.ignoreStoreReadError ? { ignoreStoreReadErrorWithClusterBreakingPotential: true } : {}),
  };
}
