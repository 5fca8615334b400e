// etcd's Put over plain gRPC: a client, used for etcd members and for trireme peers, and a server for a trireme
// keyspace, so that both stores are compared with the same clients, in their own process, over the same protocol.
// Both ends write gRPC frames to HTTP/2 themselves: the gRPC library takes 200 us of CPU for a call and 100 us to serve one
// (this takes 75 and 40). The members share the two cores, so the library would dominate the measurement.
import { connect, createServer } from 'node:http2';

const PUT = '/etcdserverpb.KV/Put';
const PREFIX = 5;

/** Encodes a PutRequest: two fields of bytes. */
function field(number, bytes) {
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
}

/** Decodes a PutRequest to the bytes of both fields, in order. */
function fields(request) {
  const found = [];
  for (let at = 0; at < request.length; ) {
    let length = request[at + 1];
    at += 2;
    if (length > 127) length = (length & 0x7f) | (request[at++] << 7);
    found.push(request.subarray(at, at + length));
    at += length;
  }
  return found;
}

/** A gRPC message: the compression flag, the length and the bytes. */
function framed(...parts) {
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(
    parts.reduce((sum, part) => sum + part.length, 0),
    1,
  );
  return Buffer.concat([prefix, ...parts]);
}

/** Returns the single message of a finished stream. */
function unframed(chunks) {
  const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  if (bytes.length < PREFIX || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - PREFIX) throw new Error('not one plain message');
  return bytes.subarray(PREFIX);
}

/** Puts 512 bytes under 10,000 keys, using the addresses in turn. */
export class KvClients {
  #value = field(2, Buffer.alloc(512, 7));

  #sessions = [];

  constructor(addresses) {
    this.addresses = addresses;
  }

  /** One connection to each address, reopened when it is closed. */
  #session(i) {
    const there = this.#sessions[i];
    if (there !== undefined && !there.closed && !there.destroyed) return there;
    const session = connect(`http://${this.addresses[i]}`, { settings: { enablePush: false } });
    // The stream reports the error to the caller.
    session.on('error', () => {});
    this.#sessions[i] = session;
    return session;
  }

  put(n) {
    const session = this.#session(n % this.addresses.length);
    return new Promise((resolve, reject) => {
      const stream = session.request({ ':method': 'POST', ':path': PUT, 'content-type': 'application/grpc', te: 'trailers' });
      const chunks = [];
      let status = 'missing';
      const told = (headers) => {
        status = headers['grpc-status'] ?? status;
      };
      stream.on('response', told).on('trailers', told).on('error', reject);
      stream.on('data', (chunk) => chunks.push(chunk));
      stream.on('end', () => (status === '0' ? resolve(chunks) : reject(new Error(`grpc-status ${status}`))));
      stream.end(framed(field(1, Buffer.from(`/bench/${n % 10_000}`)), this.#value));
    }).then(unframed);
  }

  close() {
    for (const session of this.#sessions) session.destroy();
  }
}

/** Serves Put by calling `put(key, value)`, which resolves on commit; resolves to the port. */
export function serveKv(put) {
  const server = createServer();
  // As large as the header of an etcd response: cluster, member, revision, term.
  const reply = framed(Buffer.from([10, 27, ...Buffer.alloc(27)]));
  const answer = (stream, status) => {
    if (stream.destroyed) return;
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }));
    stream.end(status === '0' ? reply : undefined);
  };
  server.on('stream', (stream) => {
    const chunks = [];
    stream.on('error', () => {});
    stream.on('data', (chunk) => chunks.push(chunk));
    stream.on('end', () => {
      const [key, value] = fields(unframed(chunks));
      put(key.toString(), value).then(
        () => answer(stream, '0'),
        () => answer(stream, '14'),
      );
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server.address().port));
  });
}
