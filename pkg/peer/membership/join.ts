import {
  emptyConfiguration,
  initialConfiguration,
  type SnapshotMeta,
  toLogIndex,
  toPeerId,
  toTerm,
} from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import {
  CONTROL_LIMITS,
  foundingClusterId,
  foundingId,
  type Identity,
  memberIdText,
  type NoteLevel,
  type PeerConfig,
} from '../common/index.js';
import type { Founding } from '../durability/index.js';
import type { TransportProvider } from '../network/index.js';
import { HAS_STARTED, HAS_STARTED_CONFIRMED, type HasStarted } from './types.js';

/** Loads the transport. Called only by a peer that has others. */
export type LoadTransport = () => Promise<TransportProvider>;

export interface JoinPorts {
  readonly config: PeerConfig;
  readonly world: World;
  readonly loadTransport: LoadTransport;
  note(level: NoteLevel, message: string): void;
}

/**
 * Returns the identity of a peer without a log: a founder according to the flags, or a member that a running cluster
 * has added.
 */
export async function findIdentity(ports: JoinPorts): Promise<Founding> {
  if (ports.config.initialClusterState !== 'new') return joinCluster(ports);
  const founding = foundCluster(ports.config);
  await refuseKnownFounder(ports, founding);
  return founding;
}

/** The peer URLs of the other members in the flags. */
export const othersOf = ({ initialCluster, name }: PeerConfig): readonly string[] =>
  initialCluster.filter((member) => member.name !== name).flatMap((member) => member.peerUrls);

/**
 * Refuses to start when another founder already knows that this one must not take part: before anything is written, and with a message
 * that says what to do. If none can be reached nothing is known yet, and `Admission` asks again.
 */
async function refuseKnownFounder({ config, world, loadTransport }: JoinPorts, { identity }: Founding): Promise<void> {
  const others = othersOf(config);
  if (config.network === undefined || others.length === 0) return;
  const { callControl } = await loadTransport();
  const deadline = world.clock.now() + CONTROL_LIMITS.foundMs;
  const problems = await Promise.all(
    others.map((url) =>
      callControl(url, deadline, HAS_STARTED, identity.peerId).then(
        (answer) => founderProblem(identity, url, answer as HasStarted),
        () => undefined,
      ),
    ),
  );
  const problem = problems.find((found) => found !== undefined);
  if (problem !== undefined) throw new Error(problem);
}

/** Why a founder with an empty log must not take part, according to the answer of another founder; undefined if it may. */
export function founderProblem({ peerId, clusterId }: Identity, url: string, answer: HasStarted): string | undefined {
  if (answer.clusterId !== clusterId) {
    return (
      `${url} belongs to another cluster (${answer.clusterId}), which was founded with other flags or restored from a snapshot, and ` +
      'the data directory of this peer is empty. Add it as a member (triremectl member add), and start it with ' +
      '--initial-cluster-state=existing'
    );
  }
  return answer.started ? lostDisk(peerId) : undefined;
}

function lostDisk(peerId: number): string {
  return (
    `this member (${memberIdText(peerId)}) has been part of the cluster before, and its data directory is empty: it has ` +
    'forgotten what it promised, and must not come back as if it had not. Remove it (triremectl member remove), add it again ' +
    '(triremectl member add), and start it with --initial-cluster-state=existing; it then copies the state'
  );
}

/**
 * The identity in a new cluster. All founders compute the same cluster from the same flags. Throws if the flags
 * contradict each other.
 */
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
 * Joins a running cluster as the member that was added with this peer's URLs. The peer then waits for the leader, with
 * an empty log and no members. Rejects if the cluster does not know such a member, or if the member has taken part
 * before. If no member answers for the cluster it waits, because only the cluster can distinguish a new member from one
 * that lost its disk.
 */
async function joinCluster(ports: JoinPorts): Promise<Founding> {
  const { config, world, loadTransport, note } = ports;
  const others = othersOf(config);
  if (config.network === undefined || others.length === 0) {
    throw new Error('--initial-cluster-state=existing needs --initial-cluster with the other members, and peer URLs');
  }
  const provider = await loadTransport();
  const giveUp = world.clock.monotonic() + CONTROL_LIMITS.joinMs;
  let noted = '';
  for (;;) {
    const problems: string[] = [];
    for (const url of others) {
      const answer = await askToJoin(ports, provider, url);
      switch (answer.kind) {
        case 'joined':
          return answer.founding;
        case 'refused':
          throw new Error(answer.message);
        case 'unknownMember':
          if (world.clock.monotonic() > giveUp) throw new Error(`could not join the cluster: ${answer.message}`);
          problems.push(answer.message);
          break;
        case 'noAnswer':
          problems.push(`${url}: ${answer.message}`);
          break;
      }
    }
    const problem = problems.join('; ');
    if (problem !== noted) note('warn', `waiting to join the cluster: ${problem}`);
    noted = problem;
    await new Promise<void>((resolve) => world.timers.after(CONTROL_LIMITS.joinEveryMs, resolve));
  }
}

type JoinAnswer =
  | { readonly kind: 'joined'; readonly founding: Founding }
  | { readonly kind: 'refused' | 'unknownMember' | 'noAnswer'; readonly message: string };

async function askToJoin({ config, world }: JoinPorts, provider: TransportProvider, url: string): Promise<JoinAnswer> {
  const own = new Set(config.network?.advertiseUrls);
  try {
    const { clusterId, members } = await provider.fetchMembers(url, world.clock.now() + CONTROL_LIMITS.callMs);
    const me = members.find(({ peerUrls }) => peerUrls.some((peerUrl) => own.has(peerUrl)));
    if (me === undefined) {
      const message = `no member has the URL ${[...own].join(', ')}: add it first (triremectl member add)`;
      return { kind: 'unknownMember', message };
    }
    const deadline = world.clock.now() + CONTROL_LIMITS.callMs;
    const { started } = (await provider.callControl(url, deadline, HAS_STARTED_CONFIRMED, me.id)) as HasStarted;
    if (started) {
      // The list of members may be older than the response: a new member with the same URL may have replaced the
      // member.
      const confirmed = await provider.fetchMembers(url, world.clock.now() + CONTROL_LIMITS.callMs);
      const now = confirmed.members.find(({ peerUrls }) => peerUrls.some((peerUrl) => own.has(peerUrl)));
      if (now?.id === me.id) return { kind: 'refused', message: lostDisk(me.id) };
      return { kind: 'noAnswer', message: `${url}: the members have changed` };
    }
    const base: SnapshotMeta = { index: toLogIndex(0), term: toTerm(0), config: emptyConfiguration() };
    return { kind: 'joined', founding: { identity: { clusterId, peerId: me.id, name: config.name }, base } };
  } catch (error) {
    return { kind: 'noAnswer', message: error instanceof Error ? error.message : String(error) };
  }
}
