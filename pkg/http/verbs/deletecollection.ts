import { checkedCollectionOptions, collectionOptions } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import type { HttpServices } from '../services.js';
import { answerForm, sendList } from './answer.js';
import { deleteOptions } from './delete.js';

/** DELETE of a collection: deletes all objects that the selectors match. The response is the list of them. */
export async function deleteCollection(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  const form = answerForm(request, services, 'list');
  const listed = collectionOptions(info.query);
  // kube-apiserver reads the selectors before the options of the deletion.
  await services.registry.checkSelectors({ target, options: listed }, call);
  const wanted = await deleteOptions(request, services, checkedCollectionOptions);
  // A request whose list has no acceptable form deletes nothing, but warns.
  const options = form.mismatch === undefined ? wanted : { ...wanted, dryRun: true };
  const result = await services.registry.deleteCollection({ target, list: listed, options }, call);
  if (form.mismatch !== undefined) throw form.mismatch;
  call.selected();
  await sendList(request, services, result, form);
}
