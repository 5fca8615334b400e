import { MEDIA_TYPES } from '../negotiate.js';
import { checkedCollectionOptions, listOptions } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import { sendRendering } from '../responses.js';
import type { HttpServices } from '../services.js';
import { answerForm } from './answer.js';
import { deleteOptions } from './delete.js';

/** DELETE of a collection: deletes all objects that the selectors match. The response is the list of them. */
export async function deleteCollection(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target } = request;
  const form = answerForm(request, services, 'list');
  const listed = listOptions(info.query);
  const options = await deleteOptions(request, services, checkedCollectionOptions);
  const result = await services.registry.deleteCollection({ target, list: listed, options }, call);
  await sendRendering(call, MEDIA_TYPES[form.encoding], services.renderList(target, result, form));
}
