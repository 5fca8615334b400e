import type { Random } from '../sim/random.js';
import type { Cluster } from './cluster.js';
import { Asker, type Outcome } from './http.js';
import { untilMember } from './members.js';
import type { Fault } from './nemesis.js';

// Membership changes while the network is partitioned, for five peers: two are cut off, three continue.

type Pair = readonly [string, string];

/** All pairs between two groups, in both directions. */
const between = (some: readonly string[], others: readonly string[]): readonly Pair[] =>
  some.flatMap((a) =>
    others.flatMap((b): readonly Pair[] => [
      [a, b],
      [b, a],
    ]),
  );

const idOf = async (cluster: Cluster, name: string): Promise<string> => (await cluster.status(name)).id.toString(16);

async function ask(cluster: Cluster, via: string, method: string, path: string, body?: object): Promise<Outcome> {
  const asker = new Asker(cluster.access, cluster.url(via));
  try {
    return await asker.ask(method, path, body);
  } finally {
    asker.close();
  }
}

/** Adds a member and returns its id. A request that was refused during an election is repeated; it has changed nothing. */
async function add(cluster: Cluster, via: string, name: string, peerUrl: string): Promise<string> {
  let last: Outcome | undefined;
  await untilMember(`${name} was not added`, async () => {
    last = await ask(cluster, via, 'POST', '/peer/v1/members', { name, peerUrls: [peerUrl] });
    const { message } = (last.kind === 'answer' ? last.body : {}) as { readonly message?: string };
    return !(last.kind === 'answer' && last.status === 409 && message?.endsWith(': try again'));
  });
  if (last?.kind !== 'answer' || last.status !== 200) throw new Error(`adding ${name}: ${JSON.stringify(last)}`);
  return (last.body as { readonly id: number }).id.toString(16);
}

/** Retries until the request succeeds; for requests that may be repeated. */
async function succeed(cluster: Cluster, via: readonly string[], method: string, path: string): Promise<void> {
  let last: Outcome | undefined;
  await untilMember(`${method} ${path} did not succeed`, async () => {
    for (const name of via) {
      last = await ask(cluster, name, method, path);
      if (last.kind === 'answer' && last.status < 300) return true;
      // A repeated removal of a member that is already removed.
      if (method === 'DELETE' && last.kind === 'answer' && JSON.stringify(last.body).includes('not a member'))
        return true;
    }
    return false;
  });
}

/** Resolves when one of these peers leads and has committed an entry of its term. */
async function untilLed(cluster: Cluster, names: readonly string[]): Promise<void> {
  await untilMember('the majority elected no leader', async () => {
    for (const name of names) {
      if ((await cluster.status(name)).role !== 'leader') continue;
      const read = await ask(cluster, name, 'GET', '/api/v1/namespaces/default/configmaps?limit=1');
      if (read.kind === 'answer' && read.status === 200) return true;
    }
    return false;
  });
}

async function isVoter(cluster: Cluster, name: string): Promise<boolean> {
  const { role } = await cluster.status(name);
  return role === 'leader' || role === 'follower';
}

/** Partitions the peers: the leader or two followers, and one more, are cut off from the other three. */
async function split(
  cluster: Cluster,
  random: Random,
  withLeader: boolean,
): Promise<{ readonly cutOff: readonly string[]; readonly rest: readonly string[] }> {
  const leader = await cluster.leader();
  const followers = cluster.names.filter((name) => name !== leader);
  const first = withLeader ? leader : random.pick(followers);
  const cutOff = [first, random.pick(followers.filter((name) => name !== first))];
  const rest = cluster.names.filter((name) => !cutOff.includes(name));
  cluster.cut(between(cutOff, rest));
  return { cutOff, rest };
}

/** The old leader appends a removal that is never committed. The member must stay a member. */
const removalInMinority: Fault = {
  name: 'a leader in a minority removes a member without effect',
  stands: [500, 2000],
  async strike(cluster, random) {
    const leader = await cluster.leader();
    const followers = cluster.names.filter((name) => name !== leader);
    const target = random.pick(followers);
    const id = await idOf(cluster, target);
    const cutOff = [leader, random.pick(followers.filter((name) => name !== target))];
    const rest = cluster.names.filter((name) => !cutOff.includes(name));
    cluster.cut(between(cutOff, rest));
    const asked = ask(cluster, leader, 'DELETE', `/peer/v1/members/${id}`);
    return {
      hit: `${leader}, removing ${target}`,
      undo: async () => {
        await untilLed(cluster, rest);
        cluster.heal(random.chance(0.5));
        const outcome = await asked;
        if (outcome.kind === 'answer' && outcome.status === 200) throw new Error('a minority has removed a member');
        await cluster.leader();
        await untilMember(`${target} is not a member any more`, () => isVoter(cluster, target));
      },
    };
  },
};

/**
 * The majority removes a member that is cut off. The member detects this when the network heals, and joins again with
 * an empty disk.
 */
const removalOfCutOff: Fault = {
  name: 'a member that is cut off is removed, and joins again',
  stands: [200, 2000],
  async strike(cluster, random) {
    const leader = await cluster.leader();
    const followers = cluster.names.filter((name) => name !== leader);
    const gone = random.pick(followers);
    const id = await idOf(cluster, gone);
    const other = random.pick(followers.filter((name) => name !== gone));
    const rest = cluster.names.filter((name) => name !== gone && name !== other);
    cluster.cut(between([gone, other], rest));
    await succeed(cluster, rest, 'DELETE', `/peer/v1/members/${id}`);
    return {
      hit: gone,
      undo: async () => {
        await cluster.crash([gone], async () => cluster.heal(random.chance(0.5)));
        await cluster.leader();
        await cluster.rejoin(gone);
        await untilMember(`${gone} did not become a voter again`, () => isVoter(cluster, gone));
      },
    };
  },
};

/** A member is added and promoted while two of the others are cut off. It is removed when they are back. */
const joinWhileSplit: Fault = {
  name: 'a sixth peer joins while two are cut off, and is removed',
  stands: [200, 1500],
  async strike(cluster, random) {
    const { cutOff, rest } = await split(cluster, random, random.chance(0.5));
    await untilLed(cluster, rest);
    const hit = `n${random.int(0, 999_999)}`;
    const peerUrl = await cluster.planJoin(hit);
    // Keep the others cut off, so that the new member cannot forward messages between them.
    cluster.cut(between([hit], cutOff));
    const id = await add(cluster, rest[0]!, hit, peerUrl);
    await cluster.up(hit);
    await untilMember(`${hit} did not become a voter`, () => isVoter(cluster, hit));
    return {
      hit: `${cutOff.join(' and ')}, with ${hit}`,
      undo: async () => {
        cluster.heal(random.chance(0.5));
        await cluster.leader();
        await cluster.crash([hit], () => succeed(cluster, rest, 'DELETE', `/peer/v1/members/${id}`));
        await cluster.forget(hit);
      },
    };
  },
};

export const SPLIT_MEMBER_FAULTS: readonly Fault[] = [removalInMinority, removalOfCutOff, joinWhileSplit];
export const FIVE_PEERS = ['a', 'b', 'c', 'd', 'e'] as const;
