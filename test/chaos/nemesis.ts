import { spawn, spawnSync } from 'node:child_process';
import type { Random } from '../sim/random.js';
import type { Cluster } from './cluster.js';
import { Asker, type Outcome } from './http.js';

/** One fault: done, left standing for a while, undone. */
export interface Fault {
  readonly name: string;
  /** Gives how to undo it, and says whom it hit. */
  strike(cluster: Cluster, random: Random): Promise<{ readonly hit: string; readonly undo: () => Promise<void> }>;
  /** How long it stands, milliseconds: from, to. */
  readonly stands: readonly [number, number];
}

const victim = async (cluster: Cluster, random: Random, who: 'leader' | 'follower'): Promise<string> => {
  const leader = await cluster.leader();
  return who === 'leader' ? leader : random.pick(cluster.names.filter((n) => n !== leader));
};

function killing(who: 'leader' | 'follower'): Fault {
  return {
    name: `kill the ${who}`,
    stands: [200, 2500],
    async strike(cluster, random) {
      const hit = await victim(cluster, random, who);
      await cluster.kill(hit);
      return { hit, undo: () => cluster.up(hit) };
    },
  };
}

const killAll: Fault = {
  name: 'kill all',
  stands: [0, 300],
  async strike(cluster) {
    await Promise.all(cluster.names.map((name) => cluster.kill(name)));
    return {
      hit: 'all',
      undo: async () => {
        await Promise.all(cluster.names.map((name) => cluster.up(name)));
      },
    };
  },
};

function pausing(who: 'leader' | 'follower'): Fault {
  return {
    name: `pause the ${who}`,
    stands: [500, 4000],
    async strike(cluster, random) {
      const hit = await victim(cluster, random, who);
      cluster.pause(hit);
      return { hit, undo: async () => cluster.resume(hit) };
    },
  };
}

/** `cuts`: which pairs (from, to) do not pass, given the leader and the others. */
function parting(
  name: string,
  cuts: (leader: string, others: readonly string[], random: Random) => readonly (readonly [string, string])[],
): Fault {
  return {
    name,
    stands: [1000, 6000],
    async strike(cluster, random) {
      const leader = await cluster.leader();
      const others = cluster.names.filter((n) => n !== leader);
      cluster.cut(cuts(leader, others, random));
      return { hit: leader, undo: async () => cluster.heal(random.chance(0.5)) };
    },
  };
}

const both = (a: string, b: string): readonly (readonly [string, string])[] => [
  [a, b],
  [b, a],
];

const isolateLeader = parting('isolate the leader', (leader, others) => others.flatMap((o) => both(leader, o)));
const isolateFollower = parting('isolate a follower', (leader, others, random) => {
  const one = random.pick(others);
  return [leader, ...others].filter((o) => o !== one).flatMap((o) => both(one, o));
});
const partAll = parting('part all', (leader, others) => [
  ...others.flatMap((o) => both(leader, o)),
  ...both(others[0]!, others[1]!),
]);
const muteLeader = parting('the leader is not heard', (leader, others) => others.map((o) => [leader, o] as const));
const deafLeader = parting('the leader does not hear', (leader, others) => others.map((o) => [o, leader] as const));
const bridge = parting('only one peer knows both others', (leader, others, random) => {
  const all = [leader, ...others];
  const middle = random.pick(all);
  const [x, y] = all.filter((n) => n !== middle);
  return both(x!, y!);
});

const moveLeader: Fault = {
  name: 'move the leader',
  stands: [100, 500],
  async strike(cluster) {
    const hit = await cluster.leader();
    const asker = new Asker(cluster.access, cluster.url(hit));
    await asker.ask('POST', '/peer/v1/leader', {});
    asker.close();
    return { hit, undo: async () => {} };
  },
};

const rollingRestart: Fault = {
  name: 'restart one in order',
  stands: [0, 200],
  async strike(cluster, random) {
    const hit = random.pick(cluster.names);
    await cluster.stop(hit);
    return { hit, undo: () => cluster.up(hit) };
  },
};

/** A peer joins, is made a voter by itself once it has caught up, and goes again. */
const joinAndGo: Fault = {
  name: 'a fourth joins and goes',
  stands: [500, 2000],
  async strike(cluster, random) {
    const hit = `d${random.int(0, 999_999)}`;
    const members = async (method: string, rest: string, body?: object): Promise<Outcome> => {
      const asker = new Asker(cluster.access, cluster.url(cluster.names[0]!));
      const outcome = await asker.ask(method, `/peer/v1/members${rest}`, body);
      asker.close();
      if (outcome.kind !== 'answer' || outcome.status !== 200)
        throw new Error(`${method} of a member: ${JSON.stringify(outcome)}`);
      return outcome;
    };
    const peerUrl = await cluster.planJoin(hit);
    const added = await members('POST', '', { name: hit, peerUrls: [peerUrl] });
    const id = (added as { readonly body: { readonly id?: number } }).body.id!.toString(16);
    await cluster.up(hit);
    const end = performance.now() + JOIN_TIME;
    while ((await cluster.status(hit)).role === 'learner') {
      if (performance.now() > end) throw new Error(`${hit} did not become a voter`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    return {
      hit,
      undo: async () => {
        await members('DELETE', `/${id}`);
        await cluster.forget(hit);
      },
    };
  },
};

const JOIN_TIME = 30_000;

const TRACEABLE = spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0;

/** Every sync takes a fifth of a second longer. Without a tracer on this machine nothing happens. */
const slowDisk: Fault = {
  name: "the leader's disk is slow",
  stands: [1500, 4000],
  async strike(cluster) {
    const hit = await cluster.leader();
    if (!TRACEABLE) return { hit: `nobody: strace is not there or may not trace`, undo: async () => {} };
    const slow = 'inject=fdatasync,fsync:delay_exit=200000';
    const args = [
      '-f',
      '-qq',
      '-o',
      '/dev/null',
      '-e',
      'trace=fdatasync,fsync',
      '-e',
      slow,
      '-p',
      String(cluster.pid(hit)),
    ];
    const tracer = spawn('strace', args, { stdio: 'ignore' });
    const gone = new Promise<void>((resolve) => tracer.once('exit', () => resolve()));
    return {
      hit,
      undo: async () => {
        tracer.kill();
        await gone;
      },
    };
  },
};

export const FAULTS: readonly Fault[] = [
  killing('leader'),
  killing('follower'),
  killAll,
  pausing('leader'),
  pausing('follower'),
  isolateLeader,
  isolateFollower,
  partAll,
  muteLeader,
  deafLeader,
  bridge,
  moveLeader,
  rollingRestart,
  joinAndGo,
  slowDisk,
];

/** What each fault of a run did, for the report. */
export interface Struck {
  readonly at: number;
  readonly name: string;
  readonly hit: string;
  readonly stood: number;
}

export async function strike(fault: Fault, cluster: Cluster, random: Random): Promise<Struck> {
  const at = performance.now();
  const { hit, undo } = await fault.strike(cluster, random);
  const stood = random.int(fault.stands[0], fault.stands[1]);
  await new Promise((resolve) => setTimeout(resolve, stood));
  await undo();
  return { at, name: fault.name, hit, stood };
}
