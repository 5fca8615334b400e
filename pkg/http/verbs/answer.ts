import { isStatus } from '../../api/index.js';
import type { Answer, ListResult, Representation } from '../../registry/index.js';
import { isCustom } from '../../schema/index.js';
import { withoutManagedFields } from '../audit.js';
import { type Call, timed } from '../call.js';
import { limits } from '../limits.js';
import {
  checkRoute,
  encodingsOf,
  looseRepresentationOf,
  MEDIA_TYPES,
  type Negotiated,
  type Shape,
  watchableTypes,
} from '../negotiate.js';
import type { ResourceRequest } from '../resources.js';
import { sendBytes, sendRendering } from '../responses.js';
import type { HttpServices } from '../services.js';

/**
 * Negotiates the representation of the response. Types that the server cannot send are refused before the operation, which then changes
 * nothing. As in kube-apiserver, other errors come before a mismatch of the shape.
 */
export function answerForm(request: ResourceRequest, services: HttpServices, shape: Shape): Negotiated {
  const { call, info, served } = request;
  const { accept } = call.exchange.headers;
  const collection = info.name === '' && (call.exchange.method === 'GET' || call.exchange.method === 'HEAD');
  const custom = isCustom(served.type);
  // Custom resources have no routes in kube-apiserver, only the types that are negotiated.
  if (!custom)
    checkRoute(
      accept,
      collection || shape === 'watch'
        ? watchableTypes(services.stages.supportedEncodings)
        : services.stages.supportedEncodings.types,
    );
  warnOfDeprecation(request, services);
  const wanted = { accept, query: info.query, userAgent: call.userAgent, withoutTable: !hasTable(request) };
  const encodings = encodingsOf(services.stages.supportedEncodings, custom);
  return looseRepresentationOf(
    wanted,
    encodings,
    shape,
    custom ? '*unstructured.Unstructured' : goKind(served.group, served.kind),
  );
}

/**
 * As in kube-apiserver, a request that has no route is not a use of the deprecated version. Custom resources have no routes: their requests
 * are warned when they are resolved.
 */
function warnOfDeprecation({ call, served: { deprecation, type } }: ResourceRequest, { stages }: HttpServices): void {
  if (deprecation === undefined) return;
  if (!isCustom(type)) call.warn(deprecation);
  call.annotate('k8s.io/deprecated', 'true');
  const removed = /unavailable in v([0-9.]+)/.exec(deprecation)?.[1];
  if (removed !== undefined) call.annotate('k8s.io/removed-release', removed);
  stages.counter.deprecated(call);
}

/** Reviews, bindings and other objects that only answer a request have no Table. */
function hasTable({ served, info }: ResourceRequest): boolean {
  const subresource = served.subresources[info.subresource];
  if (subresource !== undefined) return subresource.behaviour.kind !== 'action' && !subresource.withoutTable;
  return served.declaration.virtual === undefined || served.verbs.includes('list');
}

/** The name of a kind in kube-apiserver's messages: `*apps.Deployment`. */
function goKind(group: string, kind: string): string {
  return `*${group === '' || group === 'events.k8s.io' ? 'core' : group.split('.')[0]}.${kind}`;
}

/** Sends an object. Encoding a large one yields. */
export function sendObject(
  request: ResourceRequest,
  services: HttpServices,
  status: number,
  answer: Answer,
  representation: Negotiated,
): void | Promise<void> {
  if (representation.mismatch !== undefined) throw representation.mismatch;
  const { call, target } = request;
  if (call.audit !== undefined && answer.kind === 'value' && isStatus(answer.value)) call.audit.status = answer.value;
  const { slice } = call;
  const send = (body: Buffer): void | Promise<void> =>
    sendBytes(call, status, MEDIA_TYPES[representation.encoding], body);
  const body = timed(call, 'encodingTime', () => slice.run(services.renderAnswer(target, answer, representation)));
  const records = call.audit?.wantsResponse === true;
  if (!records && !(body instanceof Promise)) return send(body);
  return (async () => {
    const bytes = await body;
    if (records) {
      const plain = plainJson(representation);
      recordResponse(
        call,
        isPlainJson(representation) ? bytes : await slice.run(services.renderAnswer(target, answer, plain)),
      );
    }
    if (slice.spent()) await slice.yield();
    return send(bytes);
  })();
}

/** Sends a list in pieces. The audit, if it records responses, has a separate copy. */
export function sendList(
  request: ResourceRequest,
  services: HttpServices,
  result: ListResult,
  representation: Representation,
): Promise<void> {
  const { call, target } = request;
  if (call.audit?.wantsResponse === true)
    recordList(call, services.renderList(target, result, plainJson(representation)));
  return timed(call, 'encodingTime', () =>
    sendRendering(call, MEDIA_TYPES[representation.encoding], services.renderList(target, result, representation)),
  );
}

const isPlainJson = (r: Representation): boolean => r.encoding === 'json' && !r.pretty;

const plainJson = (r: Representation): Representation =>
  isPlainJson(r) ? r : { ...r, encoding: 'json', pretty: false };

function recordList(call: Call, { bytes, chunks }: ReturnType<HttpServices['renderList']>): void {
  if (bytes !== undefined && bytes > limits.auditObjectBytesMax) {
    leaveOut(call);
    return;
  }
  const pieces: Buffer[] = [];
  let size = 0;
  for (const piece of chunks) {
    size += piece.length;
    if (size > limits.auditObjectBytesMax) {
      leaveOut(call);
      return;
    }
    pieces.push(piece);
  }
  recordResponse(call, Buffer.concat(pieces, size));
}

function recordResponse(call: Call, json: Buffer): void {
  const { audit } = call;
  if (audit === undefined) return;
  if (json.length > limits.auditObjectBytesMax) {
    leaveOut(call);
    return;
  }
  const text = json.toString().trimEnd();
  audit.responseObject = audit.decision.omitManagedFields
    ? JSON.stringify(withoutManagedFields(audit, JSON.parse(text)))
    : text;
}

/** The event shows that it does not have the whole response. */
function leaveOut(call: Call): void {
  call.annotate('audit.k8s.io/truncated', 'true');
}
