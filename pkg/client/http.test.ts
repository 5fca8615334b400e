import { expect, it } from 'vitest';
import { closedPort, connectProxy, testServer } from '../outbound/testing/server.js';
import { readAccess } from './access.js';
import { ask, askAny, Unreachable } from './http.js';

it('requests go through the proxy of the kubeconfig', async () => {
  const there = await testServer((_, request, response) => void response.end(JSON.stringify({ path: request.url })));
  const proxy = await connectProxy();
  const server = there.origin.replace('127.0.0.1', 'localhost');
  const access = (proxyPort: number) =>
    readAccess(
      JSON.stringify({
        'current-context': 'x',
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        clusters: [
          {
            name: 'c',
            cluster: {
              server,
              'certificate-authority-data': Buffer.from(there.ca).toString('base64'),
              'proxy-url': `http://127.0.0.1:${proxyPort}`,
            },
          },
        ],
        users: [{ name: 'u', user: { token: 'abc' } }],
      }),
      '/kubeconfig',
    );
  try {
    expect(await askAny(access(proxy.port), { method: 'GET', path: '/peer/v1/members' })).toEqual({
      path: '/peer/v1/members',
    });
    expect(proxy.heads).toEqual([`CONNECT localhost:${there.port} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`]);
    // The request was not sent: a change may be tried at another server.
    const refused = ask(access(await closedPort()), server, { method: 'POST', path: '/' });
    await expect(refused).rejects.toThrow(/proxyconnect tcp: dial tcp 127\.0\.0\.1:\d+: connect: connection refused/);
    await expect(refused).rejects.toMatchObject({ connected: false, constructor: Unreachable });
  } finally {
    await proxy.close();
    await there.close();
  }
});

it.each(['no leader is known: try again', 'the leader has changed: try again'])(
  'a change that a server refuses during an election is sent to the next server: %s',
  async (message) => {
    const there = await testServer((_, { headers }, response) => {
      const isFirst = headers.host?.startsWith('127.0.0.1');
      response.statusCode = isFirst ? 409 : 200;
      response.end(JSON.stringify(isFirst ? { message } : { done: true }));
    });
    try {
      const access = readAccess(
        JSON.stringify({
          'current-context': 'x',
          contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
          clusters: [
            {
              name: 'c',
              cluster: {
                server: there.origin,
                'certificate-authority-data': Buffer.from(there.ca).toString('base64'),
              },
            },
          ],
          users: [{ name: 'u', user: { token: 'abc' } }],
        }),
        '/kubeconfig',
      );
      const endpoints = [there.origin, there.origin.replace('127.0.0.1', 'localhost')];
      expect(await askAny({ ...access, endpoints }, { method: 'POST', path: '/peer/v1/leader' })).toEqual({
        done: true,
      });
    } finally {
      await there.close();
    }
  },
);
