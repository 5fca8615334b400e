// etcd's Put over plain gRPC, from both ends: the load's, for members of etcd and for our peers alike, and a server of it before a
// keyspace of ours, so that the two stores are compared with the same clients, in a process of their own, over the same protocol.
// What gRPC says is written to HTTP/2 by hand, on both ends: its library takes 200 us of CPU for a call and 100 us to serve one
// (this takes 75 and 40), on two cores that the members want as well, and so the library was most of what was measured.
import { connect, createServer } from 'node:http2';

const PUT = '/etcdserverpb.KV/Put';
const PREFIX = 5;

/** Keys and values are written into the request by hand: two fields of bytes. */
function field(number, bytes) {
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
}

/** The reverse: the bytes of both fields, in order. */
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

/** A message as gRPC sends it: not compressed, so long, the bytes. */
function framed(...parts) {
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(
    parts.reduce((sum, part) => sum + part.length, 0),
    1,
  );
  return Buffer.concat([prefix, ...parts]);
}

/** The one message of a stream that has ended. */
function unframed(chunks) {
  const bytes = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  if (bytes.length < PREFIX || bytes[0] !== 0 || bytes.readUInt32BE(1) !== bytes.length - PREFIX) throw new Error('not one plain message');
  return bytes.subarray(PREFIX);
}

/** Puts of 512 bytes under 10,000 keys, each by the next of these addresses. */
export class KvClients {
  #value = field(2, Buffer.alloc(512, 7));

  #sessions = [];

  constructor(addresses) {
    this.addresses = addresses;
  }

  /** One connection to each address, made anew when it is gone. */
  #session(i) {
    const there = this.#sessions[i];
    if (there !== undefined && !there.closed && !there.destroyed) return there;
    const session = connect(`http://${this.addresses[i]}`, { settings: { enablePush: false } });
    // Whoever puts hears of it by the stream.
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

/** Serves Put before `put(key, value)`, which resolves when that is committed; resolves with the port. */
export function serveKv(put) {
  const server = createServer();
  // As many bytes as the header of etcd's answer has: cluster, member, revision, term.
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
