import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CompactSign } from 'jose';
import { issueAuthority, issueLeaf } from '../../pkg/server/issue.js';

export interface IssuerKeyPair {
  readonly id: string;
  readonly algorithm: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** An OpenID Connect issuer on a free port of this machine, with a certificate of a separate authority. */
export interface TestIssuer {
  readonly url: string;
  readonly authority: string;
  /** The keys that it publishes. */
  keys: IssuerKeyPair[];
  /** The field `issuer` of the discovery document, if it differs from its URL. */
  claimedIssuer: string | undefined;
  /** Whether it responds at all. */
  available: boolean;
  /** Other documents, by path. */
  readonly documents: Map<string, string>;
  /** Redirects, by path. */
  readonly redirects: Map<string, string>;
  /** Requested paths. */
  readonly asked: string[];
  token(claims: Readonly<Record<string, unknown>>, options?: TokenOptions): Promise<string>;
  close(): Promise<void>;
}

export interface TokenOptions {
  readonly key?: IssuerKeyPair;
  readonly header?: Readonly<Record<string, unknown>>;
}

export function newKey(id: string, type: 'rsa' | 'ec' = 'ec'): IssuerKeyPair {
  const pair =
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id, algorithm: type === 'rsa' ? 'RS256' : 'ES256', ...pair };
}

export async function startIssuer(): Promise<TestIssuer> {
  const now = Date.now();
  const authority = await issueAuthority('test-issuer', now, 10);
  const leaf = await issueLeaf(
    authority,
    { subject: { commonName: 'issuer' }, use: 'server', addresses: ['127.0.0.1'], dnsNames: ['localhost'], days: 1 },
    now,
  );
  const server = createServer({ cert: leaf.cert, key: leaf.key }, (request, response) => {
    const path = request.url ?? '';
    issuer.asked.push(path);
    if (!issuer.available) {
      response.statusCode = 503;
      response.end('not now');
      return;
    }
    const moved = issuer.redirects.get(path);
    if (moved !== undefined) {
      response.writeHead(302, { location: moved }).end();
      return;
    }
    const document = issuer.documents.get(path);
    response.setHeader('content-type', 'application/json');
    if (document !== undefined) response.end(document);
    else if (path === '/.well-known/openid-configuration')
      response.end(JSON.stringify({ issuer: issuer.claimedIssuer ?? issuer.url, jwks_uri: `${issuer.url}/keys` }));
    else if (path === '/keys') response.end(keySetText(issuer.keys));
    else {
      response.statusCode = 404;
      response.end('{}');
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: TestIssuer = {
    url,
    authority: authority.cert,
    keys: [newKey('one')],
    claimedIssuer: undefined,
    available: true,
    documents: new Map(),
    redirects: new Map(),
    asked: [],
    token(claims, { key = issuer.keys[0]!, header = {} } = {}) {
      const seconds = Math.floor(Date.now() / 1000);
      const payload = { iss: url, aud: 'trireme', exp: seconds + 600, iat: seconds, sub: 'jane', ...claims };
      return new CompactSign(Buffer.from(JSON.stringify(payload)))
        .setProtectedHeader({ alg: key.algorithm, kid: key.id, ...header })
        .sign(key.privateKey);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return issuer;
}

export function keySetText(keys: readonly IssuerKeyPair[]): string {
  return JSON.stringify({
    keys: keys.map(({ id, algorithm, publicKey }) => ({
      ...publicKey.export({ format: 'jwk' }),
      kid: id,
      alg: algorithm,
      use: 'sig',
    })),
  });
}
