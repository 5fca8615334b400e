import { spawn, spawnSync } from 'node:child_process';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../sim/random.js';
import type { Cluster } from './cluster.js';
import { Asker, type Outcome } from './http.js';
import { untilMember } from './members.js';

/** One fault: injected, kept for a while, reverted. */
export interface Fault {
  readonly name: string;
  /** Injects the fault. Returns how to revert it, and which peers it affects. */
  strike(cluster: Cluster, random: Random): Promise<{ readonly hit: string; readonly undo: () => Promise<void> }>;
  /** Milliseconds that it lasts: minimum and maximum. */
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

/** `cuts`: the blocked pairs (from, to), given the leader and the others. */
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
const muteLeader = parting('messages from the leader are lost', (leader, others) =>
  others.map((o) => [leader, o] as const),
);
const deafLeader = parting('messages to the leader are lost', (leader, others) =>
  others.map((o) => [o, leader] as const),
);
const bridge = parting('only one peer reaches both others', (leader, others, random) => {
  const all = [leader, ...others];
  const middle = random.pick(all);
  const [x, y] = all.filter((n) => n !== middle);
  return both(x!, y!);
});

/** Any of the six directions between three peers, independently. */
const someWays = parting('some links are cut', (leader, others, random) => {
  const all = [leader, ...others];
  const ways = all.flatMap((from) => all.filter((to) => to !== from).map((to) => [from, to] as const));
  return ways.filter(() => random.chance(0.4));
});
/** A ring: each peer receives from one of the others and sends to the other. */
const ring = parting('a ring', (leader, others) => [
  [others[0]!, leader],
  [others[1]!, others[0]!],
  [leader, others[1]!],
]);

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
  name: 'restart one peer gracefully',
  stands: [0, 200],
  async strike(cluster, random) {
    const hit = random.pick(cluster.names);
    await cluster.stop(hit);
    return { hit, undo: () => cluster.up(hit) };
  },
};

async function members(cluster: Cluster, method: string, rest: string, body?: object): Promise<Outcome> {
  const asker = new Asker(cluster.access, cluster.url(cluster.names[0]!));
  const outcome = await asker.ask(method, `/peer/v1/members${rest}`, body);
  asker.close();
  if (outcome.kind !== 'answer' || outcome.status !== 200)
    throw new Error(`${method} of a member: ${JSON.stringify(outcome)}`);
  return outcome;
}

const isLearner = async (cluster: Cluster, name: string): Promise<boolean> =>
  (await cluster.status(name)).role === 'learner';

/** A peer joins, is promoted automatically or by hand once it has caught up, and is removed. */
function joinAndGo(by: 'itself' | 'hand'): Fault {
  return {
    name: `a fourth peer joins, promoted by ${by}, and is removed`,
    stands: [500, 2000],
    async strike(cluster, random) {
      const hit = `d${random.int(0, 999_999)}`;
      const peerUrl = await cluster.planJoin(hit);
      const added = await members(cluster, 'POST', '', { name: hit, peerUrls: [peerUrl], staysLearner: by === 'hand' });
      const id = (added as { readonly body: { readonly id?: number } }).body.id!.toString(16);
      await cluster.up(hit);
      // Rejected until it has caught up.
      if (by === 'hand')
        await untilMember(`${hit} could not be promoted`, async () => {
          await members(cluster, 'POST', `/${id}/promote`);
          return true;
        });
      await untilMember(`${hit} did not become a voter`, async () => !(await isLearner(cluster, hit)));
      return {
        hit,
        undo: async () => {
          await cluster.crash([hit], async () => {
            await members(cluster, 'DELETE', `/${id}`);
          });
          await cluster.forget(hit);
        },
      };
    },
  };
}

/** Removes a member and adds it again with an empty disk, as the state check and a lost disk require. */
const wipeAndRejoin: Fault = {
  name: 'one peer is removed, wiped and joins again',
  stands: [0, 1500],
  async strike(cluster, random) {
    const hit = await victim(cluster, random, random.chance(0.3) ? 'leader' : 'follower');
    await cluster.crash([hit], async () => {
      const removed = await cluster.ctl('member', 'remove', hit);
      if (removed.code !== 0) throw new Error(removed.out);
    });
    return {
      hit,
      undo: async () => {
        await cluster.leader();
        await cluster.rejoin(hit);
        await untilMember(`${hit} did not become a voter again`, async () => !(await isLearner(cluster, hit)));
      },
    };
  },
};

const TRACEABLE = spawnSync('strace', ['-f', '-e', 'trace=none', 'true']).status === 0;

/** Changes the result of every sync of the process. Has no effect on a machine without a tracer. */
function traced(pid: number, injected: string): () => Promise<void> {
  const syncs = ['-e', 'trace=fdatasync,fsync', '-e', `inject=fdatasync,fsync:${injected}`];
  const args = ['-f', '-qq', '-o', '/dev/null', ...syncs, '-p', String(pid)];
  const tracer = spawn('strace', args, { stdio: 'ignore' });
  const gone = new Promise<void>((resolve) => tracer.once('exit', () => resolve()));
  return async () => {
    tracer.kill();
    await gone;
  };
}

const NO_TRACER = { hit: 'nobody: strace is not installed or not permitted', undo: async () => {} };

/** Every sync takes 200 ms longer. */
const slowDisk: Fault = {
  name: "the leader's disk is slow",
  stands: [1500, 4000],
  async strike(cluster) {
    if (!TRACEABLE) return NO_TRACER;
    const hit = await cluster.leader();
    return { hit, undo: traced(cluster.pid(hit), 'delay_exit=200000') };
  },
};

/** the disk of one peer is full */
export const fullDisk: Fault = {
  name: 'the disk of one is full',
  stands: [500, 4000],
  async strike(cluster, random) {
    const hit = random.pick(cluster.names);
    const file = join(cluster.dataDir(hit), 'filled');
    const { bavail, bsize } = statfsSync(cluster.dataDir(hit));
    spawnSync('fallocate', ['-l', String(bavail * bsize), file]);
    spawnSync('sh', ['-c', `head -c 64M /dev/zero >> "${file}" 2> /dev/null`]);
    return { hit, undo: async () => rmSync(file, { force: true }) };
  },
};

/** Syncs fail. A peer must exit after the first failure; the run fails if it does not. */
function failingDisk(who: 'leader' | 'follower'): Fault {
  return {
    name: `the disk of a ${who} fails`,
    stands: [200, 2000],
    async strike(cluster, random) {
      if (!TRACEABLE) return NO_TRACER;
      const hit = await victim(cluster, random, who);
      const pid = cluster.pid(hit);
      const ended = cluster.ending(hit);
      await cluster.crash([hit], async () => {
        const detach = traced(pid, 'error=EIO');
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<'late'>((resolve) => {
          timer = setTimeout(() => resolve('late'), DISK_FAILURE_TIME);
        });
        const first = await Promise.race([ended, late]);
        clearTimeout(timer);
        await detach();
        if (first === 'late') throw new Error(`${hit} continues although its disk fails`);
      });
      return { hit, undo: () => cluster.up(hit) };
    },
  };
}

const DISK_FAILURE_TIME = 30_000;

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
  ring,
  someWays,
  moveLeader,
  rollingRestart,
  joinAndGo('itself'),
  joinAndGo('hand'),
  wipeAndRejoin,
  slowDisk,
  failingDisk('leader'),
  failingDisk('follower'),
];

/** The effect of each fault of a run, for the report. */
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
