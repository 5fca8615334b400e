import type { PeerCertificate } from 'node:tls';
import {
  Server,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import {
  bundleCodec,
  controlCallCodec,
  controlReplyCodec,
  membersReplyCodec,
  PEER_METHODS,
  snapshotAckCodec,
  snapshotPartCodec,
  type WireBundle,
  type WireHello,
  type WireMembers,
  type WireSnapshotAck,
  type WireSnapshotPart,
} from '../../../proto/index.js';
import type { PeerTls } from '../common/index.js';
import { CHANNEL_OPTIONS, identity } from './credentials.js';
import { PeerServerCredentials } from './tls.js';

export interface ServerPorts {
  /** Answers a handshake; `refused` is the reason if the connection is refused. */
  greet(hello: WireHello, certificate: PeerCertificate): WireHello;
  /** Handles a bundle of a peer after the handshake. An error ends the connection. */
  bundle(from: number, bundle: WireBundle, bytes: number): void;
  /** Receives a snapshot. Resolves when it is installed or not needed; an error is sent as the refusal. */
  snapshot(
    parts: AsyncIterable<WireSnapshotPart>,
    cancelled: AbortSignal,
    certificate: PeerCertificate,
  ): Promise<WireSnapshotAck>;
  members(certificate: PeerCertificate): WireMembers;
  /** Runs a control call that another peer forwards. An error is returned to it. */
  control(name: string, argument: unknown, certificate: PeerCertificate): Promise<unknown>;
}

/** Accepts the connections of other peers. */
export interface PeerServer {
  /** Bound addresses, `host:port`. */
  readonly addresses: readonly string[];
  /** New connections are accepted with these certificates. */
  replaceTls(tls: PeerTls): void;
  close(): Promise<void>;
}

/** Listens on all URLs. Rejects when one cannot be bound. */
export async function servePeers(urls: readonly string[], tls: PeerTls, ports: ServerPorts): Promise<PeerServer> {
  const server = new Server({ ...CHANNEL_OPTIONS, 'grpc.max_concurrent_streams': 64 });
  server.addService(
    {
      connect: duplex(PEER_METHODS.connect),
      snapshot: { ...duplex(PEER_METHODS.snapshot), responseStream: false },
      members: { ...duplex(PEER_METHODS.members), requestStream: false, responseStream: false },
      control: { ...duplex(PEER_METHODS.control), requestStream: false, responseStream: false },
    },
    {
      connect: (call: ServerDuplexStream<Buffer, Buffer>) => serveStream(call, ports),
      snapshot: (call: ServerReadableStream<Buffer, Buffer>, done: sendUnaryData<Buffer>) =>
        void serveSnapshot(call, done, ports),
      members: (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) => serveMembers(call, done, ports),
      control: (call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>) =>
        void serveControl(call, done, ports),
    },
  );
  const credentials = new PeerServerCredentials(tls);
  const addresses: string[] = [];
  for (const url of urls) {
    const { host, hostname } = new URL(url);
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync(host, credentials, (error, bound) =>
        error === null ? resolve(bound) : reject(new Error(notBound(url, error.message))),
      );
    }).catch((error: unknown) => {
      server.forceShutdown();
      throw error;
    });
    addresses.push(`${hostname}:${port}`);
  }
  return {
    addresses,
    replaceTls: (renewed) => credentials.replace(renewed),
    close: async () => server.forceShutdown(),
  };
}

function notBound(url: string, why: string): string {
  const reason = why.includes('EADDRINUSE')
    ? 'the port is taken by another process'
    : why.includes('EADDRNOTAVAIL')
      ? 'that is not an address of this machine'
      : why;
  return `cannot listen for peers on ${url} (--listen-peer-urls): ${reason}`;
}

function duplex(path: string) {
  return {
    path,
    requestStream: true,
    responseStream: true,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  };
}

function serveStream(call: ServerDuplexStream<Buffer, Buffer>, ports: ServerPorts): void {
  let from: number | undefined;
  let ended = false;
  call.on('data', (bytes: Buffer) => {
    if (ended) return;
    try {
      const bundle = bundleCodec.decode(bytes);
      if (from === undefined) {
        if (bundle.hello === null) throw new RangeError('a peer must greet first');
        const answer = ports.greet(bundle.hello, certificateOf(call));
        call.write(bundleCodec.encode({ hello: answer }));
        if (answer.refused === '') from = bundle.hello.from;
        else call.end();
        return;
      }
      if (bundle.ping !== null) call.write(bundleCodec.encode({ pong: bundle.ping }));
      ports.bundle(from, bundle, bytes.length);
    } catch (error) {
      ended = true;
      // Ends the call with a status. After `destroy`, the other side would continue to send.
      call.emit('error', error instanceof Error ? error : new Error(String(error)));
    }
  });
  call.on('end', () => call.end());
  // The other side sees the error too and reconnects.
  call.on('error', () => {});
}

async function serveSnapshot(
  call: ServerReadableStream<Buffer, Buffer>,
  done: sendUnaryData<Buffer>,
  ports: ServerPorts,
): Promise<void> {
  const abort = new AbortController();
  call.on('cancelled', () => abort.abort(new Error('the sender gave up')));
  call.on('error', (error) => abort.abort(error));
  let ack: WireSnapshotAck;
  try {
    ack = await ports.snapshot(decoded(call), abort.signal, certificateOf(call));
  } catch (error) {
    ack = { installed: false, refused: error instanceof Error ? error.message : String(error) };
  }
  done(null, snapshotAckCodec.encode(ack));
}

function serveMembers(call: ServerUnaryCall<Buffer, Buffer>, done: sendUnaryData<Buffer>, ports: ServerPorts): void {
  try {
    done(null, membersReplyCodec.encode(ports.members(certificateOf(call))));
  } catch (error) {
    done({ code: status.PERMISSION_DENIED, details: (error as Error).message });
  }
}

/** Returns the certificate of the other side. Throws if there is none, which the TLS handshake excludes. */
function certificateOf(call: { getAuthContext(): AuthContext | null }): PeerCertificate {
  const certificate = call.getAuthContext()?.sslPeerCertificate;
  if (certificate === undefined) throw new Error('the peer shows no certificate');
  return certificate;
}

type AuthContext = { readonly sslPeerCertificate?: PeerCertificate };

async function serveControl(
  call: ServerUnaryCall<Buffer, Buffer>,
  done: sendUnaryData<Buffer>,
  ports: ServerPorts,
): Promise<void> {
  let reply: { readonly result: string; readonly failed: string };
  try {
    const { name, argument } = controlCallCodec.decode(call.request);
    reply = {
      result: JSON.stringify(await ports.control(name, JSON.parse(argument), certificateOf(call))),
      failed: '',
    };
  } catch (error) {
    reply = { result: '', failed: error instanceof Error ? error.message : String(error) };
  }
  done(null, controlReplyCodec.encode(reply));
}

async function* decoded(call: ServerReadableStream<Buffer, Buffer>): AsyncGenerator<WireSnapshotPart, void, void> {
  // A receiver stops reading at the last part, before the stream ends. That must not break the stream, because the
  // response is still to be sent.
  const all = call.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const bytes of all) yield snapshotPartCodec.decode(bytes);
}
