import type { Socket } from 'node:net';
import type { World } from '../base/index.js';
import { type Dialer, dialDirect, dialUnix, startTls } from './dial.js';
import { OutboundError } from './errors.js';
import { outboundLimits } from './limits.js';
import { type Address, addressOf, hostPort, type ProxyPlace } from './target.js';

/** A proxy in messages: its address, without credentials. */
export const nameOf = (proxy: ProxyPlace): string => ('url' in proxy ? new URL(proxy.url).host : proxy.unixSocket);

/** Connects through the HTTP proxy of a kubeconfig (`proxy-url`), which `dial` reaches. `ca` is for `https:` proxies. */
export function httpProxy(url: string, ca: string | undefined, world: Pick<World, 'clock'>, dial?: Dialer): Dialer {
  const proxy: ProxyPlace = { url, tls: url.startsWith('https:') ? (ca === undefined ? {} : { ca }) : undefined };
  return async (address, signal) => {
    try {
      return await throughConnect(await openProxy(proxy, world, signal, dial), { proxy, address, signal });
    } catch (error) {
      throw new OutboundError('dial', `proxyconnect tcp: ${(error as Error).message}`);
    }
  };
}

interface ConnectParts {
  readonly proxy: ProxyPlace;
  readonly address: Address;
  readonly signal: AbortSignal;
}

/** HTTP CONNECT (RFC 9110, section 9.3.6) over a connection to the proxy. A URL with a user has basic credentials. */
export async function throughConnect(socket: Socket, { proxy, address, signal }: ConnectParts): Promise<Socket> {
  const target = hostPort(address);
  try {
    const { status, text } = await connectThrough(socket, target, authorizationOf(proxy), signal);
    if (status === 200) return socket;
    throw new Error(`proxy error from ${nameOf(proxy)} while dialing ${target}, code ${status}: ${text}`);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function authorizationOf(proxy: ProxyPlace): string {
  if (!('url' in proxy)) return '';
  const { username, password } = new URL(proxy.url);
  if (username === '' && password === '') return '';
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Proxy-Authorization: Basic ${Buffer.from(pair).toString('base64')}\r\n`;
}

/** A connection to the proxy: TCP, with or without TLS, or a UNIX domain socket. */
export async function openProxy(
  proxy: ProxyPlace,
  world: Pick<World, 'clock'>,
  signal: AbortSignal,
  dial = dialDirect,
): Promise<Socket> {
  if ('unixSocket' in proxy) return dialUnix(proxy.unixSocket, signal);
  const address = addressOf(proxy.url);
  const socket = await dial(address, signal);
  if (proxy.tls === undefined) return socket;
  const { ca, certificate, serverName } = proxy.tls;
  const parts = { name: serverName ?? address.host, protocols: ['http/1.1'], ...(ca === undefined ? {} : { ca }) };
  return startTls(
    socket,
    { ...parts, ...(certificate === undefined ? {} : { credentials: { certificate } }) },
    world,
    signal,
  );
}

/** Sends CONNECT and reads the header of the response; the bytes after it belong to the connection. */
function connectThrough(
  socket: Socket,
  target: string,
  authorization: string,
  signal: AbortSignal,
): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0);
    const finish = (): void => {
      socket.removeListener('data', read);
      socket.removeListener('error', reject);
      socket.removeListener('close', closed);
      signal.removeEventListener('abort', late);
    };
    const closed = (): void =>
      reject(new Error(`reading HTTP response from CONNECT to ${target} via proxy failed: EOF`));
    const late = (): void => reject(new Error(`CONNECT to ${target} via proxy: i/o timeout`));
    const read = (piece: Buffer): void => {
      head = Buffer.concat([head, piece]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) {
        if (head.length > outboundLimits.proxyResponseBytesMax)
          reject(new Error('the response of the proxy is too long'));
        return;
      }
      finish();
      socket.pause();
      const rest = head.subarray(end + 4);
      if (rest.length > 0) socket.unshift(rest);
      const [, status = '0', text = ''] = /^HTTP\/1\.[01] (\d{3})(?: ([^\r\n]*))?/.exec(head.toString('latin1')) ?? [];
      resolve({ status: Number(status), text: `${status} ${text}` });
    };
    socket.on('data', read);
    socket.once('error', reject);
    socket.once('close', closed);
    signal.addEventListener('abort', late, { once: true });
    socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n${authorization}\r\n`);
  });
}
