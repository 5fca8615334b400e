// A peer in a separate process, controlled by messages: {id, name, argument} -> {id, value} or {id, error}.
// argv: path of the compiled program. The first message is its configuration.
import { pathToFileURL } from 'node:url';

const { openPeerThread, PEER_DEFAULTS } = await import(pathToFileURL(process.argv[2]).href);

let peer;
const calls = {
  open: async (config) => {
    peer = await openPeerThread(
      { ...PEER_DEFAULTS, ...config },
      {
        fatal: (error) => {
          process.send({ fatal: error.message }, () => process.exit(1));
        },
      },
    );
    return true;
  },
  txn: ({ compares, ops }) =>
    peer.txn({
      compares,
      ops: ops.map((op) => (op.kind === 'put' ? { ...op, value: Buffer.from(op.value) } : op)),
    }),
  /** A consistent read of one key: its value and revision, or the error. */
  get: async (key) => {
    const read = await peer.readIndex();
    if (read.kind !== 'ok') return read;
    return valueOf(await peer.range({ start: key, end: `${key}\0` }));
  },
  all: async () => {
    // After its start a peer has applied only what it knows to be committed; the read index shows how far that is.
    for (let i = 0; i < 200 && (await peer.readIndex()).kind !== 'ok'; i++) await new Promise((r) => setTimeout(r, 25));
    const result = await peer.range({ start: '/', end: '0' });
    if (result.kind !== 'ok') return result;
    return result.items.map(({ key, value, modRevision }) => [key, Buffer.from(value).toString(), modRevision]);
  },
  compact: (revision) => peer.compact(revision),
  status: () => peer.status(),
  report: () => peer.report(),
  close: () => peer.close(),
};

function valueOf(result) {
  if (result.kind !== 'ok') return result;
  const item = result.items[0];
  return item === undefined
    ? { kind: 'ok', value: null, revision: 0 }
    : { kind: 'ok', value: Buffer.from(item.value).toString(), revision: item.modRevision };
}

process.on('message', async ({ id, name, argument }) => {
  try {
    process.send({ id, value: await calls[name](argument) });
  } catch (error) {
    process.send({ id, error: error.message });
  }
});
process.on('disconnect', () => process.exit(0));
process.send({ started: true });
