import type { TrustedAuthorities } from '../controllers/index.js';
import { issueAuthority, issueLeaf, type KeyPair } from './issue.js';
import { AUTHORITY_DAYS, isOf, keepAuthority, keepPair, lasts } from './pki.js';

/** By what aggregated API servers know this server, so that they believe the user that it names in a request. */
export interface FrontProxy {
  readonly ca: KeyPair;
  readonly client: KeyPair;
}

const CLIENT = 'front-proxy-client';

/**
 * Reads or creates the authority of the front proxy and the client certificate of this server in `folder`. They are used when no flag
 * names others. The authority signs nothing else: who holds such a certificate may act as any user at an aggregated server.
 */
export async function keepFrontProxy(folder: string, now: number): Promise<FrontProxy> {
  const ca = await keepAuthority(folder, 'front-proxy-ca', () => issueAuthority('front-proxy-ca', now, AUTHORITY_DAYS));
  const request = { subject: { commonName: CLIENT }, use: 'client', days: AUTHORITY_DAYS } as const;
  const fits = (pair: KeyPair): boolean => isOf(pair, ca) && lasts(pair, now);
  return { ca, client: await keepPair(folder, CLIENT, fits, () => issueLeaf(ca, request, now)) };
}

/** What is published of it to aggregated servers, with the headers of kube-apiserver. */
export const trustOf = ({ ca }: FrontProxy): TrustedAuthorities['requestHeader'] => ({
  clientCa: ca.cert,
  allowedNames: [CLIENT],
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
});
