import { MessageChannel } from 'node:worker_threads';
import { describeKeyspace, expiryOrigin, type KeyspaceUnderTest } from '../../storage/contract.js';
import type { Keyspace } from '../../storage/index.js';
import { testWorld } from '../../storage/testworld.js';
import type { PeerConfig } from '../common/config.js';
import type { PeerKeyspace } from '../requests/keyspace.js';
import { withSoleReads } from '../requests/solereads.js';
import { soloConfig, temporaryFolder } from '../testing/solo.js';
import { connectKeyspace } from '../thread/connect.js';
import { serveKeyspace } from '../thread/serve.js';
import { threadWorld } from '../thread/world.js';
import { openPeer } from './peer.js';

const quiet = { compactionRetentionMs: 0, hashCheckMs: 0 };

/** The same keyspace over a message port. */
function bounded(keyspace: PeerKeyspace): Keyspace {
  const { port1, port2 } = new MessageChannel();
  const served = serveKeyspace(port2, keyspace, {}, threadWorld().timers);
  void served.closed.then(() => port2.close());
  return connectKeyspace(port1, { status: keyspace.status(), soleCell: keyspace.soleCell }, threadWorld().timers);
}

async function solo(
  dataDir: string | undefined,
  wrap: (keyspace: PeerKeyspace) => Keyspace,
  over: Partial<PeerConfig> = {},
): Promise<KeyspaceUnderTest> {
  const world = testWorld(expiryOrigin);
  const config = soloConfig({ ...quiet, ...over, ...(dataDir === undefined ? {} : { dataDir }) });
  const open = async (): Promise<Keyspace> => wrap((await openPeer(config, world)).keyspace);
  let keyspace = await open();
  return {
    keyspace,
    advance: (milliseconds) => world.advance(milliseconds),
    ...(dataDir === undefined
      ? {}
      : {
          reopen: async () => {
            await keyspace.close();
            keyspace = await open();
            return keyspace;
          },
        }),
    dispose: () => keyspace.close(),
  };
}

async function onDisk(
  wrap: (keyspace: PeerKeyspace) => Keyspace,
  over: Partial<PeerConfig> = {},
): Promise<KeyspaceUnderTest> {
  const folder = temporaryFolder();
  const under = await solo(folder.path, wrap, over);
  return {
    ...under,
    dispose: async () => {
      await under.dispose();
      folder.remove();
    },
  };
}

describeKeyspace('one peer in memory', () => solo(undefined, (keyspace) => keyspace));
describeKeyspace('one peer on disk', () => onDisk((keyspace) => keyspace));
describeKeyspace('one peer behind a message port', () => onDisk(bounded));
describeKeyspace('one peer on the thread of its callers', () => onDisk(withSoleReads, { servesRequests: true }));
