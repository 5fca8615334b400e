import type { Fetch, IssuerConfig } from '../auth/index.js';
import type { Outbound, OutboundTarget } from '../outbound/index.js';

/** Milliseconds for a whole exchange. */
const TIMEOUT = 30_000;
/** Discovery documents and key sets are small. */
const BODY_BYTES_MAX = 1 << 20;

/**
 * Fetches from an issuer. `selected` connects through the egress configuration, which only issuers with an
 * `egressSelectorType` use; `direct` does not.
 */
export function issuerFetch(
  { certificateAuthority: ca, egressSelectorType: network }: IssuerConfig,
  { selected, direct }: { readonly selected: Outbound; readonly direct: Outbound },
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
    const { origin, pathname, search } = new URL(address);
    const response = await (network === '' ? direct : selected).send(targetOf(origin), {
      method: 'GET',
      path: pathname + search,
      headers: { accept: 'application/json', ...(bearer === '' ? {} : { authorization: `Bearer ${bearer}` }) },
      timeout: TIMEOUT,
      bodyBytesMax: BODY_BYTES_MAX,
    });
    return { status: response.status, body: response.body.toString('utf8') };
  };
}
