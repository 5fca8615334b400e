import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { issueAuthority, issueLeaf } from '../server/issue.js';
import { type MetricsPort, openMetricsPort } from './metricsport.js';
import { defaultTlsPolicy, type TlsMaterial } from './tls.js';

const opened: MetricsPort[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((port) => port.close()));
});

const NO_TLS: TlsMaterial = { cert: '', key: '', clientCa: '' };

interface Store {
  hasLeader: boolean;
  refusal: string | undefined;
  scrapes: number;
  /** Scrapes end when this resolves. */
  until: Promise<void>;
}

async function open(secure = false, tls = NO_TLS): Promise<{ port: number; store: Store; all: MetricsPort }> {
  const store: Store = { hasLeader: true, refusal: undefined, scrapes: 0, until: Promise.resolve() };
  const parts = {
    tls,
    policy: defaultTlsPolicy,
    store: {
      hasLeader: () => store.hasLeader,
      linearizableRead: async () => store.refusal,
    },
    exposition: {
      async scrape(format: 'text' | 'protobuf') {
        store.scrapes++;
        await store.until;
        return Buffer.from(format === 'text' ? 'a_total 1\n' : 'messages');
      },
    },
  };
  const all = await openMetricsPort([{ secure, host: '127.0.0.1', port: 0 }], parts);
  opened.push(all);
  return { port: all.ports[0]!, store, all };
}

function ask(port: number, method: string, path: string, ca?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, method, path, agent: false, ca };
    const sent = (ca === undefined ? request : secureRequest)(options, (response) => {
      let text = '';
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('end', () => resolve(`${response.statusCode} ${text}`));
    });
    sent.on('error', reject);
    sent.end();
  });
}

// The answers of etcd 3.7.3 to the same requests, without the check of learners.
it.each([
  ['GET', '/health', '200 {"health":"true","reason":""}'],
  ['GET', '/health?serializable=true', '200 {"health":"true","reason":""}'],
  ['POST', '/health', '405 Method Not Allowed\n'],
  ['OPTIONS', '/health', '405 Method Not Allowed\n'],
  ['GET', '/health/', '404 404 page not found\n'],
  ['GET', '/healthz', '404 404 page not found\n'],
  ['GET', '/', '404 404 page not found\n'],
  ['GET', '/version', '404 404 page not found\n'],
  ['GET', '/api/v1/secrets', '404 404 page not found\n'],
  ['GET', '/peer/v1/members', '404 404 page not found\n'],
  ['GET', '/metrics/', '404 404 page not found\n'],
  ['GET', '/metrics', '200 a_total 1\n'],
  ['POST', '/metrics', '200 a_total 1\n'],
  ['DELETE', '/metrics', '200 a_total 1\n'],
  ['GET', '/livez', '200 ok\n'],
  ['GET', '/livez?verbose', '200 [+]serializable_read ok\nok\n'],
  ['GET', '/livez?allowlist=serializable_read&verbose', '200 [+]serializable_read ok\nok\n'],
  ['GET', '/livez?allowlist=a&exclude=b', '200 ok\n'],
  ['GET', '/readyz/linearizable_read?verbose', '200 [+]linearizable_read ok\nok\n'],
  ['GET', '/readyz/x', '404 404 page not found\n'],
  ['POST', '/readyz', '405 Method Not Allowed\n'],
])('%s %s', async (method, path, answer) => {
  const { port } = await open();
  expect(await ask(port, method, path)).toBe(answer);
});

describe('without a leader', () => {
  it.each([
    ['/health', '503 {"health":"false","reason":"RAFT NO LEADER"}\n'],
    ['/health?serializable=true', '200 {"health":"true","reason":""}'],
    ['/livez', '200 ok\n'],
    [
      '/readyz',
      '503 [+]data_corruption ok\n[+]serializable_read ok\n[-]linearizable_read failed: request timed out\n\n',
    ],
    ['/readyz/linearizable_read', '503 [-]linearizable_read failed: request timed out\n\n'],
    ['/readyz?exclude=linearizable_read', '200 ok\n'],
  ])('%s', async (path, answer) => {
    const { port, store } = await open();
    store.hasLeader = false;
    store.refusal = 'request timed out';
    expect(await ask(port, 'GET', path)).toBe(answer);
  });
});

it('serves metrics in the protobuf format to clients that prefer it', async () => {
  const { port } = await open();
  const accept = 'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited';
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { accept } });
  expect(response.headers.get('content-type')).toBe(`${accept.replaceAll(';', '; ')}; escaping=underscores`);
  expect(await response.text()).toBe('messages');
});

it('shares one scrape between the requests that wait for it', async () => {
  const { port, store } = await open();
  let release = (): void => {};
  store.until = new Promise((resolve) => {
    release = resolve;
  });
  const socket = connect(port, '127.0.0.1');
  let text = '';
  const all = new Promise<void>((resolve) => {
    socket.on('data', (piece) => {
      text += piece;
      if (text.split('a_total 1').length > 10) resolve();
    });
  });
  socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(10));
  // This connection is accepted after the first one, whose requests are in its first bytes.
  while (store.scrapes === 0) expect(await ask(port, 'GET', '/livez')).toBe('200 ok\n');
  release();
  await all;
  expect(store.scrapes).toBe(1);
  socket.destroy();
});

it('closes a connection that sends more requests than are served at once', async () => {
  const { port, store } = await open();
  store.until = new Promise(() => {});
  const socket = connect(port, '127.0.0.1');
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.on('error', () => {});
  socket.resume();
  socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(65));
  await closed;
  expect(store.scrapes).toBe(1);
});

it('serves HTTPS with the certificate of the server, and with a new one after its renewal', async () => {
  const now = Date.now();
  const leaf = {
    subject: { commonName: 'x' },
    use: 'server',
    dnsNames: ['localhost'],
    addresses: ['127.0.0.1'],
  } as const;
  const make = async () => {
    const ca = await issueAuthority('ca', now, 30);
    return { ca: ca.cert, tls: { ...(await issueLeaf(ca, { ...leaf, days: 10 }, now)), clientCa: ca.cert } };
  };
  const [before, after] = [await make(), await make()];
  const { port, all } = await open(true, before.tls);
  expect(await ask(port, 'GET', '/metrics', before.ca)).toBe('200 a_total 1\n');
  all.renew(after.tls);
  expect(await ask(port, 'GET', '/metrics', after.ca)).toBe('200 a_total 1\n');
  await expect(ask(port, 'GET', '/metrics', before.ca)).rejects.toThrow();
});
