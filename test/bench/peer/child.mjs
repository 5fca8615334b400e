// One of the three peers, in its own process. Its serving thread also generates the load.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dist } from './dist.mjs';
import { serveKv } from './kv.mjs';
import { clients, offered, wait } from './measure.mjs';

const { openPeerThread, PEER_DEFAULTS } = await import(pathToFileURL(join(dist, 'pkg/peer/index.js')).href);
let keyspace;
let written = 0;

async function commit(ops) {
  const result = await keyspace.txn({ compares: [], ops });
  if (result.kind !== 'committed') throw new Error(JSON.stringify(result));
  return result;
}

/** Keys of the load: 10,000 keys of this process, in rotation. */
const putOf = (bytes) => {
  const value = Buffer.alloc(bytes, 7);
  return () => commit([{ kind: 'put', key: `/bench/${process.pid}/${written++ % 10_000}`, value }]);
};

/** Text that compresses to about a third of its size, like API objects. */
function objectOf(bytes) {
  const random = randomBytes(Math.ceil(bytes / 4)).toString('base64').slice(0, Math.ceil(bytes / 4));
  return Buffer.from(random.padEnd(bytes, '{"apiVersion":"v1","metadata":{"namespace":"default","labels":{"app":"web"}}}'));
}

const CALLS = {
  async open(config) {
    const note = (level, text) => process.env.BENCH_NOTES && process.stderr.write(`${config.name} ${level} ${text}\n`);
    const fatal = (error) => process.stderr.write(`${config.name}: ${error}\n`);
    keyspace = await openPeerThread({ ...PEER_DEFAULTS, ...config }, { fatal, note });
    while ((await keyspace.readIndex()).kind !== 'ok') await wait(50);
  },
  status: () => keyspace.status(),
  metrics: () => keyspace.metrics(),
  compact: ({ at }) => keyspace.compact(at),
  /** Retries until one write is acknowledged. */
  async once() {
    for (;;) {
      const result = await keyspace.txn({ compares: [], ops: [{ kind: 'put', key: '/once', value: Buffer.from('x') }] });
      if (result.kind === 'committed') return;
    }
  },
  /** Writes this many bytes of state as keys of 8 KiB or of the given size. */
  async fill({ megabytes, bytes = 8192 }) {
    const keys = Math.ceil((megabytes * 2 ** 20) / bytes);
    const perTxn = Math.max(1, Math.floor(65_536 / bytes));
    let n = 0;
    const writer = async () => {
      while (n < keys) {
        const first = n;
        n += perTxn;
        await commit(Array.from({ length: perTxn }, (_, i) => ({ kind: 'put', key: `/fill/${first + i}`, value: objectOf(bytes) })));
      }
    };
    await Promise.all(Array.from({ length: 8 }, writer));
  },
  /** Makes this many writes, each its own entry, with 64 concurrent clients. */
  async entries({ count, bytes }) {
    const put = putOf(bytes);
    let n = 0;
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        while (n++ < count) await put();
      }),
    );
    return keyspace.status().applied;
  },
  async puts({ clients: count, rate, bytes, milliseconds }) {
    const put = putOf(bytes);
    const { latencies, elapsed } = await (rate === undefined ? clients(count, milliseconds, put) : offered(rate, milliseconds, put));
    return { latencies: [...latencies], elapsed };
  },
  serveKv: () => serveKv((key, value) => commit([{ kind: 'put', key, value }])),
  async reads({ clients: count, milliseconds }) {
    const { latencies, elapsed } = await clients(count, milliseconds, () => keyspace.readIndex());
    return { latencies: [...latencies], elapsed };
  },
};

process.on('message', ({ id, call, argument }) => {
  Promise.resolve(CALLS[call](argument)).then(
    (reply) => process.send({ id, reply }),
    (error) => process.send({ id, error: String(error?.stack ?? error) }),
  );
});
process.on('disconnect', () => process.exit(0));
