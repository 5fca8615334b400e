// Membership as pure functions on configurations (paper section 6, dissertation chapter 4).
//
// Worked example. Voters {1,2,3}; 4 and 5 are learners that caught up; 2 and 3 are to leave:
//
//   asked     addVoter 4, addVoter 5, remove 2, remove 3
//   C_old     voters {1,2,3}                               in force
//   C_old,new voters {1,4,5}  votersOutgoing {1,2,3}       appended at once: decisions need both majorities
//   C_new     voters {1,4,5}                               appended by the leader when C_old,new is committed
//
// A request with only `remove 3` appends C_new = {1,2} directly: configurations that differ by one voter have overlapping
// majorities.

import { invariant } from './invariant.js';
import type { ConfigChange, Configuration, Entry, MemberChange, PeerId } from './types.js';
import { toPeerId } from './types.js';

const NO_BYTES = new Uint8Array(0);

/** No members: the base of a peer that waits to be added. */
export function emptyConfiguration(): Configuration {
  return { voters: [], votersOutgoing: [], learners: [], learnersNext: [] };
}

/** The first membership of a new cluster. Every founding peer must be given the same. */
export function initialConfiguration(voters: readonly PeerId[], learners: readonly PeerId[] = []): Configuration {
  return checkConfiguration({
    voters: sorted(voters),
    votersOutgoing: [],
    learners: sorted(learners),
    learnersNext: [],
  });
}

/** All members, voters and learners, each once, in ascending order. */
export function members(config: Configuration): readonly PeerId[] {
  return sorted(new Set([...config.voters, ...config.votersOutgoing, ...config.learners]));
}

export function isJoint(config: Configuration): boolean {
  return config.votersOutgoing.length > 0;
}

/** True for voters of either half. */
export function isVoter(config: Configuration, id: PeerId): boolean {
  return config.voters.includes(id) || config.votersOutgoing.includes(id);
}

export function sameConfiguration(a: Configuration, b: Configuration): boolean {
  return (
    sameIds(a.voters, b.voters) &&
    sameIds(a.votersOutgoing, b.votersOutgoing) &&
    sameIds(a.learners, b.learners) &&
    sameIds(a.learnersNext, b.learnersNext)
  );
}

export type ChangePlan =
  | { readonly kind: 'config'; readonly config: Configuration }
  | { readonly kind: 'invalid'; readonly detail: string };

/**
 * The configuration to append for a change: the target itself when at most one voter differs, otherwise the
 * joint configuration that leads there. `current` must not be joint.
 */
export function planChange(current: Configuration, changes: readonly MemberChange[]): ChangePlan {
  invariant(!isJoint(current), 10, 'a change was planned inside a joint phase');
  const voters = new Set(current.voters);
  const learners = new Set(current.learners);
  const touched = new Set<PeerId>();
  for (const { kind, id } of changes) {
    if (touched.has(id)) return { kind: 'invalid', detail: `peer ${id} is changed twice` };
    touched.add(id);
    const before = voters.has(id) ? 'addVoter' : learners.has(id) ? 'addLearner' : 'remove';
    if (before === kind) return { kind: 'invalid', detail: ALREADY[kind](id) };
    voters.delete(id);
    learners.delete(id);
    if (kind === 'addVoter') voters.add(id);
    if (kind === 'addLearner') learners.add(id);
  }
  if (touched.size === 0) return { kind: 'invalid', detail: 'no change is asked for' };
  if (voters.size === 0) return { kind: 'invalid', detail: 'the last voter cannot leave' };

  const joined = [...voters].filter((id) => !current.voters.includes(id));
  const left = current.voters.filter((id) => !voters.has(id));
  if (joined.length + left.length <= 1) {
    return {
      kind: 'config',
      config: checkConfiguration({
        voters: sorted(voters),
        votersOutgoing: [],
        learners: sorted(learners),
        learnersNext: [],
      }),
    };
  }
  // A voter that becomes a learner still votes in the outgoing half, so it cannot be a learner yet.
  const learnersNext = left.filter((id) => learners.has(id));
  for (const id of learnersNext) learners.delete(id);
  return {
    kind: 'config',
    config: checkConfiguration({
      voters: sorted(voters),
      votersOutgoing: current.voters,
      learners: sorted(learners),
      learnersNext: sorted(learnersNext),
    }),
  };
}

const ALREADY = {
  addVoter: (id) => `peer ${id} is a voter already`,
  addLearner: (id) => `peer ${id} is a learner already`,
  remove: (id) => `peer ${id} is not a member`,
} satisfies Record<MemberChange['kind'], (id: PeerId) => string>;

/** C_new of a joint configuration. */
export function leaveJoint(joint: Configuration): Configuration {
  invariant(isJoint(joint), 10, 'only a joint configuration can be left');
  return checkConfiguration({
    voters: joint.voters,
    votersOutgoing: [],
    learners: sorted([...joint.learners, ...joint.learnersNext]),
    learnersNext: [],
  });
}

/** Checks the shape of a configuration (invariant 10) and returns it. */
export function checkConfiguration(config: Configuration): Configuration {
  for (const ids of [config.voters, config.votersOutgoing, config.learners, config.learnersNext]) {
    for (let i = 1; i < ids.length; i++) {
      invariant(ids[i - 1]! < ids[i]!, 10, 'members are listed once, in ascending order');
    }
  }
  invariant(!config.learners.some((id) => isVoter(config, id)), 10, 'no peer is a voter and a learner at once');
  invariant(
    config.learnersNext.every((id) => config.votersOutgoing.includes(id) && !config.voters.includes(id)),
    10,
    'learners to be are voters that go out',
  );
  return config;
}

/**
 * Bytes of a `config` entry: u32 (big endian) length of a JSON object, that object, then the context.
 * `{"voters":[1,2],"votersOutgoing":[],"learners":[],"learnersNext":[]}`
 */
export function encodeConfigEntry(config: Configuration, context: Uint8Array = NO_BYTES): Uint8Array {
  const json = new TextEncoder().encode(
    JSON.stringify({
      voters: config.voters,
      votersOutgoing: config.votersOutgoing,
      learners: config.learners,
      learnersNext: config.learnersNext,
    }),
  );
  const bytes = new Uint8Array(4 + json.length + context.length);
  new DataView(bytes.buffer).setUint32(0, json.length);
  bytes.set(json, 4);
  bytes.set(context, 4 + json.length);
  return bytes;
}

export interface ConfigEntry {
  readonly config: Configuration;
  /** The context of the proposer; empty in the entry with which a leader leaves a joint phase. */
  readonly context: Uint8Array;
}

/** Reads the payload of an entry of kind `config`. Throws RaftInvariantError if it is invalid. */
export function decodeConfigEntry(entry: Entry): ConfigEntry {
  const { data } = entry;
  invariant(entry.kind === 'config' && data.length >= 4, 10, `entry ${entry.index} holds no configuration`);
  const length = new DataView(data.buffer, data.byteOffset, data.byteLength).getUint32(0);
  invariant(4 + length <= data.length, 10, `entry ${entry.index} has a truncated configuration`);
  const parsed = JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length))) as Record<string, unknown>;
  return {
    config: checkConfiguration({
      voters: idList(parsed['voters']),
      votersOutgoing: idList(parsed['votersOutgoing']),
      learners: idList(parsed['learners']),
      learnersNext: idList(parsed['learnersNext']),
    }),
    context: data.subarray(4 + length),
  };
}

/** A short description of a change for logs and errors: `+4 ~5 -2` (voter, learner, removed). */
export function describeChange(change: ConfigChange): string {
  const sign = { addVoter: '+', addLearner: '~', remove: '-' } as const;
  return change.changes.map(({ kind, id }) => `${sign[kind]}${id}`).join(' ');
}

function idList(value: unknown): readonly PeerId[] {
  invariant(Array.isArray(value), 10, 'a configuration consists of lists');
  return (value as unknown[]).map((id) => toPeerId(Number(id)));
}

function sorted(ids: Iterable<PeerId>): readonly PeerId[] {
  return [...ids].sort((a, b) => a - b);
}

function sameIds(a: readonly PeerId[], b: readonly PeerId[]): boolean {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}
