import type { Answer, Representation } from '../../registry/index.js';
import { isCustom } from '../../schema/index.js';
import {
  checkRoute,
  encodingsOf,
  MEDIA_TYPES,
  type Negotiated,
  representationOf,
  type Shape,
  watchableTypes,
} from '../negotiate.js';
import type { ResourceRequest } from '../resources.js';
import { sendBytes } from '../responses.js';
import type { HttpServices } from '../services.js';

/** Negotiates the representation of the response. This happens before the operation, so that a 406 changes nothing. */
export function answerForm(request: ResourceRequest, services: HttpServices, shape: Shape): Negotiated {
  const { call, info, served } = request;
  const { accept } = call.exchange.headers;
  const collection = info.name === '' && (call.exchange.method === 'GET' || call.exchange.method === 'HEAD');
  checkRoute(
    accept,
    collection || shape === 'watch' ? watchableTypes(services.stages.spoken) : services.stages.spoken.types,
  );
  const wanted = { accept, query: info.query, userAgent: call.userAgent };
  const encodings = encodingsOf(services.stages.spoken, isCustom(served.type));
  return representationOf(wanted, encodings, shape, goKind(served.group, served.kind));
}

/** The name of a kind in kube-apiserver's messages: `*apps.Deployment`. */
function goKind(group: string, kind: string): string {
  return `*${group === '' ? 'core' : group.split('.')[0]}.${kind}`;
}

export function sendObject(
  request: ResourceRequest,
  services: HttpServices,
  status: number,
  answer: Answer,
  representation: Representation,
): void | Promise<void> {
  const body = services.renderAnswer(request.target, answer, representation);
  return sendBytes(request.call, status, MEDIA_TYPES[representation.encoding], body);
}
