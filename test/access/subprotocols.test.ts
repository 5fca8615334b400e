import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWithFlags } from '../../pkg/server/library.js';

let server: Awaited<ReturnType<typeof startWithFlags>>;
beforeAll(async () => {
  server = await startWithFlags(['--secure-port=0']);
}, 60_000);
afterAll(() => server.close());

/** Sends a WebSocket handshake without other credentials. Returns the status line. */
function handshake(path: string, connection: string, protocols: string): Promise<string> {
  const { port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }, () =>
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: ${connection}\r\nUpgrade: websocket\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: ${protocols}\r\n\r\n`,
      ),
    );
    socket.once('data', (data) => {
      resolve(data.toString().split('\r\n')[0]!);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

it.each([
  '/api/v1/namespaces/default/pods/x/exec?command=a',
  '/api/v1/namespaces/default/configmaps?watch=1',
  '/api/v1/namespaces/default/configmaps',
])('a token in a subprotocol is read at %s', async (path) => {
  const token = `base64url.bearer.authorization.k8s.io.${Buffer.from('a.b.c').toString('base64url')}`;
  for (const connection of ['Upgrade', 'keep-alive, upgrade']) {
    expect(await handshake(path, connection, `${token}, base64.binary.k8s.io`)).toBe('HTTP/1.1 401 Unauthorized');
    expect(await handshake(path, connection, 'base64.binary.k8s.io')).toBe('HTTP/1.1 403 Forbidden');
  }
});
