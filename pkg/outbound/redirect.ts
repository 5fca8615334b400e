import type { World } from '../base/index.js';
import type { Outbound } from './client.js';
import { OutboundError } from './errors.js';
import { headerOf, type OutboundRequest, type OutboundResponse, type OutboundTarget } from './target.js';

/** As Go's HTTP client. */
export const REDIRECTS_MAX = 10;
/** Codes after which the same request is sent to the other place, and those after which it is a GET without a body. */
const KEEPS_METHOD: ReadonlySet<number> = new Set([307, 308]);
const BECOMES_GET: ReadonlySet<number> = new Set([301, 302, 303]);

export interface RedirectParts {
  readonly world: Pick<World, 'clock'>;
  readonly outbound: Pick<Outbound, 'send'>;
}

/**
 * Sends a request, and again where redirects lead, by the rules of Go's HTTP client. The timeout of the request is for all of it. Throws
 * `OutboundError`, which names the method of the first request.
 */
export async function sendFollowing(
  { world: { clock }, outbound }: RedirectParts,
  given: OutboundTarget,
  request: OutboundRequest,
): Promise<OutboundResponse> {
  const { method, timeout } = request;
  const end = clock.monotonic() + timeout;
  let target = given;
  let sent = request;
  for (let redirects = 0; ; redirects++) {
    const response = await outbound.send(target, sent).catch((error: unknown) => {
      if (redirects === 0 || !(error instanceof OutboundError) || error.phase === 'body') throw error;
      throw new OutboundError(error.phase, error.reason, { method, url: target.origin + sent.path }, error.fault);
    });
    const location = headerOf(response, 'location');
    const keeps = KEEPS_METHOD.has(response.status);
    if (location === '' || !(keeps || BECOMES_GET.has(response.status))) return response;
    const call = { method, url: target.origin + sent.path };
    const next = placeOf(location, call.url);
    if (next === undefined)
      throw new OutboundError('exchange', `failed to parse Location header ${JSON.stringify(location)}`, call);
    if (redirects + 1 === REDIRECTS_MAX)
      throw new OutboundError('exchange', `stopped after ${REDIRECTS_MAX} redirects`, call);
    sent = { ...(keeps ? sent : asGet(sent)), path: next.path, timeout: Math.max(0, end - clock.monotonic()) };
    if (next.origin !== target.origin) target = elsewhere(target, next.origin);
  }
}

function placeOf(location: string, base: string): { readonly origin: string; readonly path: string } | undefined {
  if (!URL.canParse(location, base)) return undefined;
  const { protocol, origin, pathname, search } = new URL(location, base);
  return protocol === 'https:' || protocol === 'http:' ? { origin, path: pathname + search } : undefined;
}

function asGet({ body: _, ...rest }: OutboundRequest): OutboundRequest {
  return { ...rest, method: 'GET' };
}

/** Another server is verified by the same authorities. It gets no token, which it could use here; the address is that of the first one. */
function elsewhere({ address: _, credentials, ...rest }: OutboundTarget, origin: string): OutboundTarget {
  const certificate = credentials?.certificate;
  return { ...rest, origin, ...(certificate === undefined ? {} : { credentials: { certificate } }) };
}
