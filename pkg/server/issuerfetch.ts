import type { Fetch, IssuerConfig } from '../auth/index.js';
import type { Clock } from '../base/index.js';
import type { Outbound, OutboundTarget } from '../outbound/index.js';

/** Milliseconds for a whole exchange. */
const TIMEOUT = 30_000;
/** Redirects that are followed, as by Go. */
const REDIRECTS_MAX = 10;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Discovery documents and key sets are small: this is that of 600 RSA keys. */
const BODY_BYTES_MAX = 256 * 1024;

/**
 * Fetches from an issuer. `selected` connects through the egress configuration, which only issuers with an
 * `egressSelectorType` use; `direct` does not. Redirects are followed to https URLs; a token is sent only to the host that it is for.
 */
export function issuerFetch(
  { certificateAuthority: ca, egressSelectorType: network }: IssuerConfig,
  { selected, direct, clock }: { readonly selected: Outbound; readonly direct: Outbound; readonly clock: Clock },
): Fetch {
  const targets = new Map<string, OutboundTarget>();
  const targetOf = (origin: string): OutboundTarget => {
    let target = targets.get(origin);
    if (target === undefined) {
      target = {
        origin,
        ...(ca === '' ? {} : { ca }),
        ...(network === 'cluster' || network === 'controlplane' ? { network } : {}),
      };
      // The names of servers come from distributed claims, so only a few are kept.
      if (targets.size < 16) targets.set(origin, target);
    }
    return target;
  };
  return async (address, bearer) => {
    // `URL` would take the first segment of the path for the host.
    if (/^https:\/\/(?:[/?#]|$)/i.test(address))
      throw new Error(`Get ${JSON.stringify(address)}: http: no Host in request URL`);
    const deadline = clock.monotonic() + TIMEOUT;
    let at = new URL(address);
    for (let redirects = 0; ; redirects++) {
      if (at.protocol !== 'https:') throw new Error(`${at.href}: only https is supported`);
      const sendsToken = bearer !== '' && at.host === new URL(address).host;
      const { status, headers, body } = await (network === '' ? direct : selected).send(targetOf(at.origin), {
        method: 'GET',
        path: at.pathname + at.search,
        headers: { accept: 'application/json', ...(sendsToken ? { authorization: `Bearer ${bearer}` } : {}) },
        timeout: Math.max(1, deadline - clock.monotonic()),
        bodyBytesMax: BODY_BYTES_MAX,
      });
      const { location } = headers;
      if (!REDIRECTS.has(status) || typeof location !== 'string') return { status, body: body.toString('utf8') };
      if (redirects === REDIRECTS_MAX - 1)
        throw new Error(`Get ${JSON.stringify(address)}: stopped after 10 redirects`);
      if (!URL.canParse(location, at.href))
        throw new Error(`failed to parse Location header ${JSON.stringify(location)}`);
      at = new URL(location, at);
    }
  };
}
