import { createServer as createPlain, type IncomingMessage, type ServerResponse } from 'node:http';
import { createSecureServer } from 'node:http2';
import { createServer as createH1 } from 'node:https';
import { type AddressInfo, connect as connectTcp, createServer as createTcp, type Socket } from 'node:net';
import { issueAuthority, issueLeaf, type KeyPair } from '../../server/issue.js';

/** Answers a request; the body has been read. */
export type TestHandler = (body: string, request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** A server on loopback for tests of outgoing calls. */
export interface TestServer {
  readonly port: number;
  readonly origin: string;
  /** The authority of its certificate, PEM. */
  readonly ca: string;
  /** Connections that were accepted so far. */
  readonly connections: () => number;
  /** Closes all connections. */
  cut(): void;
  close(): Promise<void>;
}

export interface TestServerOptions {
  readonly http2?: boolean;
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
  /** Days that the certificate is valid; negative for one that has expired. */
  readonly days?: number;
  /** Requires certificates of clients by this authority. */
  readonly clientCa?: string;
  readonly authority?: KeyPair;
  readonly plain?: boolean;
}

let shared: Promise<KeyPair> | undefined;
const pairs = new Map<string, Promise<KeyPair>>();

/** The authority that test servers share. */
export function testAuthority(): Promise<KeyPair> {
  shared ??= issueAuthority('test-authority', Date.now(), 30);
  return shared;
}

/** Starts an HTTPS server whose certificate is valid for 127.0.0.1 and localhost unless the options say otherwise. */
export async function testServer(handler: TestHandler, options: TestServerOptions = {}): Promise<TestServer> {
  const { http2 = false, dnsNames = ['localhost'], addresses = ['127.0.0.1'], days = 10, clientCa, plain } = options;
  const authority = options.authority ?? (await testAuthority());
  const id = JSON.stringify([dnsNames, addresses, days, authority.cert]);
  let pair = pairs.get(id);
  if (pair === undefined) {
    const subject = { commonName: 'test-server' };
    pair = issueLeaf(authority, { subject, use: 'server', dnsNames, addresses, days }, Date.now());
    pairs.set(id, pair);
  }
  const { cert, key } = await pair;
  const tls = { cert, key, ...(clientCa === undefined ? {} : { ca: clientCa, requestCert: true }) };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('error', () => {});
    request.on('end', () => void handler(Buffer.concat(pieces).toString(), request, response));
  };
  const server =
    plain === true
      ? createPlain(listener)
      : http2
        ? createSecureServer({ ...tls, allowHTTP1: true }, listener as never)
        : createH1(tls, listener);
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    origin: `${plain === true ? 'http' : 'https'}://127.0.0.1:${port}`,
    ca: authority.cert,
    connections: () => connections,
    cut: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A TCP server that handles each connection by `f`. */
export async function tcpServer(f: (socket: Socket) => void, path?: string): Promise<Omit<TestServer, 'ca' | 'cut'>> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createTcp((socket) => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    f(socket);
  });
  await new Promise<void>((resolve) =>
    path === undefined ? void server.listen(0, '127.0.0.1', resolve) : void server.listen(path, resolve),
  );
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    origin: `https://127.0.0.1:${port}`,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A loopback port without a listener. */
export async function closedPort(): Promise<number> {
  const server = await tcpServer(() => {});
  await server.close();
  return server.port;
}

/** A proxy that supports HTTP CONNECT. `heads` has the headers of its requests. */
export async function connectProxy(): Promise<Omit<TestServer, 'ca' | 'cut'> & { readonly heads: readonly string[] }> {
  const heads: string[] = [];
  const proxy = await tcpServer((socket) => {
    socket.once('data', (head: Buffer) => {
      heads.push(head.toString());
      const port = Number(head.toString().split(' ')[1]!.split(':')[1]);
      const upstream = connectTcp(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(upstream).pipe(socket);
      });
      upstream.on('error', () => socket.destroy());
    });
  });
  return { ...proxy, heads };
}
