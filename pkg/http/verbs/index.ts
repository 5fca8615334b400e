import { errors } from '../../api/index.js';
import type { Verb } from '../../registry/index.js';
import type { Call } from '../call.js';
import { type ResourceRequest, resolve } from '../resources.js';
import type { HttpServices } from '../services.js';
import { connect } from './connect.js';
import { create } from './create.js';
import { deleteOne } from './delete.js';
import { deleteCollection } from './deletecollection.js';
import { get } from './get.js';
import { list } from './list.js';
import { patch } from './patch.js';
import { update } from './update.js';
import { watch } from './watch.js';

const VERBS: Readonly<Record<Verb, (request: ResourceRequest, services: HttpServices) => Promise<void>>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: deleteOne,
  deletecollection: deleteCollection,
};

/** Serves a request for a resource. */
export function serveResource(call: Call, services: HttpServices): Promise<void> {
  if (call.info.kind !== 'resource') throw errors.noSuchPath();
  const request = resolve(services.registry.servedResources, call, call.info);
  const handler = request.target.kind === 'connection' ? connect : VERBS[request.action];
  return handler(request, services);
}
