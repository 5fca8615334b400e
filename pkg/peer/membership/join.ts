import {
  emptyConfiguration,
  initialConfiguration,
  type SnapshotMeta,
  toLogIndex,
  toPeerId,
  toTerm,
} from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import { CONTROL_LIMITS, foundingClusterId, foundingId, memberIdText, type PeerConfig } from '../common/index.js';
import type { Founding } from '../durability/index.js';
import type { TransportProvider } from '../network/index.js';
import { HAS_STARTED, type HasStarted } from './types.js';

/** Loads the transport. Called only by a peer that has others. */
export type LoadTransport = () => Promise<TransportProvider>;

/** Who a peer without a log is: a founder, as the flags say, or a member that a running cluster has added. */
export async function findIdentity(config: PeerConfig, world: World, provider: LoadTransport): Promise<Founding> {
  if (config.initialClusterState !== 'new') return joinCluster(config, world, provider);
  const founding = foundCluster(config);
  await insistOnFirstStart(config, world, provider, founding);
  return founding;
}

/**
 * A founder that has lost its disk looks like one that starts for the first time. But it has forgotten what it promised: its votes,
 * and the entries that were counted as safe because it had them. With it a majority could forget an acknowledged write. Those of
 * the others who can be reached know whether it has taken part before.
 */
async function insistOnFirstStart(
  config: PeerConfig,
  world: World,
  load: LoadTransport,
  { identity }: Founding,
): Promise<void> {
  const { network, name } = config;
  const others = config.initialCluster.filter((member) => member.name !== name).flatMap((member) => member.peerUrls);
  if (network === undefined || others.length === 0) return;
  const { callControl } = await load();
  const deadline = world.clock.now() + CONTROL_LIMITS.foundMs;
  const answers = await Promise.all(
    others.map((url) =>
      callControl(url, deadline, HAS_STARTED, identity.peerId).then(
        (answer) => answer as HasStarted,
        () => undefined,
      ),
    ),
  );
  if (!answers.some((answer) => answer?.clusterId === identity.clusterId && answer.started)) return;
  throw new Error(
    `this member (${memberIdText(identity.peerId)}) has been part of the cluster before, and its data directory is empty: it has ` +
      'forgotten what it promised, and must not come back as if it had not. Remove it (triremectl member remove), add it again ' +
      '(triremectl member add), and start it with --initial-cluster-state=existing; it then copies the state',
  );
}

/** A new cluster. All founders compute the same from the same flags. Throws when the flags do not fit together. */
export function foundCluster(config: PeerConfig): Founding {
  const token = config.initialClusterToken;
  const founders =
    config.initialCluster.length > 0
      ? config.initialCluster
      : [{ name: config.name, peerUrls: config.network?.advertiseUrls ?? [] }];
  const me = founders.find((member) => member.name === config.name);
  if (me === undefined) throw new Error(`--initial-cluster does not name this peer (--name=${config.name})`);
  const ids = founders.map((member) => foundingId(member, token));
  if (new Set(ids).size !== ids.length) throw new Error('--initial-cluster names a member twice');
  const peerId = foundingId(me, token);
  const base: SnapshotMeta = { index: toLogIndex(0), term: toTerm(0), config: initialConfiguration(ids.map(toPeerId)) };
  return { identity: { clusterId: foundingClusterId(ids, token), peerId, name: config.name }, base };
}

/**
 * Asks the members of a running cluster who this peer is: the one that was added with this peer's URLs. It then waits to
 * hear from the leader, with a log that holds nothing and names nobody.
 */
async function joinCluster(config: PeerConfig, world: World, load: LoadTransport): Promise<Founding> {
  const { network, name } = config;
  const others = config.initialCluster.filter((member) => member.name !== name).flatMap((member) => member.peerUrls);
  if (network === undefined || others.length === 0) {
    throw new Error('--initial-cluster-state=existing needs --initial-cluster with the other members, and peer URLs');
  }
  const { fetchMembers } = await load();
  const mine = new Set(network.advertiseUrls);
  const giveUp = world.clock.monotonic() + CONTROL_LIMITS.joinMs;
  let problem = '';
  do {
    for (const url of others) {
      const deadline = world.clock.now() + CONTROL_LIMITS.callMs;
      try {
        const { clusterId, members } = await fetchMembers(url, deadline);
        const me = members.find(({ peerUrls }) => peerUrls.some((own) => mine.has(own)));
        if (me !== undefined) {
          const base: SnapshotMeta = { index: toLogIndex(0), term: toTerm(0), config: emptyConfiguration() };
          return { identity: { clusterId, peerId: me.id, name }, base };
        }
        problem = `no member has the URL ${[...mine].join(', ')}: add it first (triremectl member add)`;
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
      }
    }
    await new Promise<void>((resolve) => world.timers.after(CONTROL_LIMITS.joinEveryMs, resolve));
  } while (world.clock.monotonic() < giveUp);
  throw new Error(`could not join the cluster: ${problem}`);
}
