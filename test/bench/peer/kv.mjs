// etcd's Put over plain gRPC, from both ends: the load's, for members of etcd and for our peers alike, and a server of it before a
// keyspace of ours, so that the two stores are compared with the same clients, in a process of their own, over the same protocol.
import { Client, credentials, Server, ServerCredentials } from '@grpc/grpc-js';

const PUT = '/etcdserverpb.KV/Put';
const identity = (bytes) => bytes;

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

/** Puts of 512 bytes under 10,000 keys, each by the next of these addresses. */
export class KvClients {
  #value = field(2, Buffer.alloc(512, 7));

  constructor(addresses) {
    this.channels = addresses.map((address) => new Client(address, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 }));
  }

  put(n) {
    const request = Buffer.concat([field(1, Buffer.from(`/bench/${n % 10_000}`)), this.#value]);
    const channel = this.channels[n % this.channels.length];
    return new Promise((resolve, reject) => channel.makeUnaryRequest(PUT, identity, identity, request, (error, reply) => (error ? reject(error) : resolve(reply))));
  }

  close() {
    for (const channel of this.channels) channel.close();
  }
}

/** Serves Put before `put(key, value)`, which resolves when that is committed; resolves with the port. */
export function serveKv(put) {
  const server = new Server();
  const one = { path: PUT, requestStream: false, responseStream: false, requestSerialize: identity, requestDeserialize: identity, responseSerialize: identity, responseDeserialize: identity };
  // As many bytes as the header of etcd's answer has: cluster, member, revision, term.
  const reply = Buffer.from([10, 27, ...Buffer.alloc(27)]);
  server.addService({ put: one }, {
    put({ request }, done) {
      const [key, value] = fields(request);
      put(key.toString(), value).then(() => done(null, reply), done);
    },
  });
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => (error ? reject(error) : resolve(port)));
  });
}
