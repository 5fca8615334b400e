import type { World } from '../base/index.js';
import { headerOf, type OpenResponse, Outbound, OutboundError, type OutboundTarget } from '../outbound/index.js';
import type { ClusterConfig, ComponentHealth } from '../registry/index.js';

/** Milliseconds for a whole probe. */
const TIMEOUT = 20_000;
/** Milliseconds to connect. */
const DIAL_TIME = 10_000;
/** Redirects that are followed, as by Go. */
const REDIRECTS_MAX = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Bytes of a body that are shown. */
const SHOWN_BYTES = 10 * 1024;
const HEADERS = { 'user-agent': 'kube-probe/1.37', accept: '*/*', connection: 'close' };

/**
 * Asks components of the control plane for their health, as kube-apiserver does: directly, and without verifying certificates, because
 * a component makes its own by default. The text of a healthy one and what is wrong with another are shown to the client.
 */
export function componentProbe(world: World): ClusterConfig['probe'] {
  const outbound = new Outbound({ world });
  return async (url) => {
    const timeUp = new AbortController();
    const cancel = world.timers.after(TIMEOUT, () => timeUp.abort());
    try {
      const response = await follow(outbound, url, timeUp.signal);
      const body = await shownBody(response, timeUp.signal);
      return 'error' in body
        ? { status: 'Unknown', message: '', error: body.error }
        : judged(response.status, body.text);
    } catch (e) {
      return { status: 'False', message: e instanceof Error ? e.message : String(e), error: '' };
    } finally {
      cancel();
    }
  };
}

function judged(status: number, text: string): ComponentHealth {
  if (status < 200 || status >= 400)
    return { status: 'False', message: `HTTP probe failed with statuscode: ${status}`, error: '' };
  if (status < 300) return { status: 'True', message: text, error: '' };
  return { status: 'Unknown', message: `Probe terminated redirects, Response body: ${text}`, error: '' };
}

async function follow(outbound: Outbound, url: string, signal: AbortSignal): Promise<OpenResponse> {
  let at = new URL(url);
  for (let redirects = 0; ; redirects++) {
    const response = await begin(outbound, at, signal);
    const location = headerOf(response, 'location');
    if (!REDIRECTS.has(response.status) || location === '') return response;
    response.abort();
    if (redirects === REDIRECTS_MAX - 1) throw new Error(`Get ${JSON.stringify(location)}: stopped after 10 redirects`);
    if (!URL.canParse(location, at.href))
      throw new Error(`failed to parse Location header ${JSON.stringify(location)}`);
    at = new URL(location, at);
  }
}

async function begin(outbound: Outbound, at: URL, signal: AbortSignal): Promise<OpenResponse> {
  const target: OutboundTarget = { origin: at.origin, insecure: true, http2: false, dialTime: DIAL_TIME };
  try {
    return await outbound.open(target, {
      method: 'GET',
      path: at.pathname + at.search,
      headers: HEADERS,
      timeout: TIMEOUT,
      signal,
    });
  } catch (e) {
    const late = e instanceof OutboundError && (e.phase === 'timeout' || signal.aborted);
    if (!late) throw e;
    const reason = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
    throw new OutboundError('timeout', reason, { method: 'GET', url: at.href });
  }
}

/** The begin of a body as text; the rest is not read. */
async function shownBody(
  response: OpenResponse,
  signal: AbortSignal,
): Promise<{ readonly text: string } | { readonly error: string }> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const stop = (): void => void response.body.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const piece of response.body as AsyncIterable<Buffer>) {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes >= SHOWN_BYTES) break;
    }
  } catch (e) {
    if (signal.aborted)
      return { error: 'context deadline exceeded (Client.Timeout or context cancellation while reading body)' };
    const { code = '' } = e as NodeJS.ErrnoException;
    return { error: code === 'ECONNRESET' ? 'unexpected EOF' : (e as Error).message };
  } finally {
    signal.removeEventListener('abort', stop);
    response.abort();
  }
  return { text: Buffer.concat(pieces).subarray(0, SHOWN_BYTES).toString('utf8') };
}
