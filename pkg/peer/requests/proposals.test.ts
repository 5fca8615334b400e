import { describe, expect, it } from 'vitest';
import { NO_PEER, type PeerId, type ProposeResult, toLogIndex, toPeerId, toTerm } from '../../../raft/index.js';
import type { TxnResult } from '../../storage/index.js';
import { PROPOSAL_LIMITS } from '../common/limits.js';
import type { ForwardedProposal } from '../network/network.js';
import { seal, unseal } from './envelope.js';
import { Proposals } from './proposals.js';

const ELECTION_MS = 1000;
const ORIGIN = 77;

/** The ports of a peer, which the test changes.  */
function surroundings() {
  const world = {
    now: 0,
    leader: NO_PEER as PeerId,
    term: 1,
    result: { kind: 'refused', reason: 'notLeader', leader: NO_PEER, detail: '' } as ProposeResult,
    reachable: true,
    appended: [] as Uint8Array[],
    forwarded: [] as ForwardedProposal[],
  };
  const proposals = new Proposals(
    {
      electionTimeoutMs: ELECTION_MS,
      now: () => world.now,
      leadership: () => ({ leader: world.leader, term: world.term }),
      propose: (data) => {
        if (world.result.kind === 'appended') world.appended.push(data);
        return world.result;
      },
      form: () => 1,
      malformed: () => {},
      forward: (_leader, proposal) => {
        if (world.reachable) world.forwarded.push(proposal);
        return world.reachable;
      },
    },
    ORIGIN,
  );
  const submit = (): { readonly settled: () => TxnResult | undefined } => {
    let result: TxnResult | undefined;
    void proposals.submit(Buffer.from('command')).then((r) => {
      result = r;
    });
    return { settled: () => result };
  };
  const lead = (index: number, term: number): void => {
    world.leader = toPeerId(1);
    world.result = { kind: 'appended', index: toLogIndex(index), term: toTerm(term) };
  };
  const follow = (leader: number, term = 1): void => {
    world.term = term;
    world.leader = toPeerId(leader);
    world.result = { kind: 'refused', reason: 'notLeader', leader: world.leader, detail: '' };
  };
  return { world, proposals, submit, lead, follow };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const committed = { kind: 'committed', revision: 5 } as unknown as TxnResult;

describe('proposals', () => {
  it('are recognised by origin and id when they are applied, whatever the leader answered', async () => {
    const { world, proposals, submit, follow } = surroundings();
    follow(2);
    const mine = submit();
    const data = world.forwarded[0]!.data;
    expect(unseal(data)).toMatchObject({ origin: ORIGIN, id: 1 });
    expect(
      proposals.applying(seal({ origin: ORIGIN + 1, id: 1, command: Buffer.from('of another'), form: 1 })).answer,
    ).toBeUndefined();
    const { command, answer } = proposals.applying(data);
    expect(command.toString()).toBe('command');
    answer!(committed);
    await turn();
    expect(mine.settled()).toBe(committed);
  });

  it('wait while no leader is known, and are then sent once', async () => {
    const { world, proposals, submit, follow } = surroundings();
    const mine = submit();
    proposals.expire();
    expect(world.forwarded).toEqual([]);
    follow(2);
    proposals.retryHeld();
    proposals.retryHeld();
    expect(world.forwarded.length).toBe(1);
    expect(mine.settled()).toBeUndefined();
  });

  it('are refused rather than unknown if no leader is elected in time, because nothing was sent', async () => {
    const { world, proposals, submit } = surroundings();
    const mine = submit();
    world.now = PROPOSAL_LIMITS.holdElectionTimeouts * ELECTION_MS + 1;
    proposals.expire();
    await turn();
    expect(mine.settled()).toMatchObject({ kind: 'refused', reason: 'noLeader' });
  });

  it('are not sent again while they may be in a log, and end as unknown', async () => {
    const { world, proposals, submit, follow } = surroundings();
    follow(2, 4);
    const mine = submit();
    follow(3, 5);
    proposals.retryHeld();
    proposals.reached(4);
    world.now = PROPOSAL_LIMITS.answerMs + 2 * ELECTION_MS + 1;
    proposals.expire();
    await turn();
    expect(world.forwarded.length).toBe(1);
    expect(mine.settled()).toMatchObject({ kind: 'unknown' });
  });

  it('are sent to the next leader when an entry of a later term is applied, which proves them lost', async () => {
    const { world, proposals, submit, follow } = surroundings();
    follow(2, 4);
    const mine = submit();
    follow(3, 5);
    proposals.reached(5);
    expect(world.forwarded.map(({ id, term }) => [id, term])).toEqual([
      [1, 4],
      [1, 5],
    ]);
    proposals.applying(world.forwarded[1]!.data).answer!(committed);
    await turn();
    expect(mine.settled()).toBe(committed);
  });

  it('that were seen in the log are not sent again if a later term follows before the answer', async () => {
    const { world, proposals, submit, lead, follow } = surroundings();
    lead(9, 4);
    const mine = submit();
    const { answer } = proposals.applying(world.appended[0]!);
    follow(3, 5);
    proposals.reached(5);
    expect(world.forwarded).toEqual([]);
    answer!(committed);
    await turn();
    expect(mine.settled()).toBe(committed);
  });

  it('are sent to the next leader when the first one refuses them', () => {
    const { world, proposals, submit, follow } = surroundings();
    follow(2, 4);
    submit();
    proposals.refused({ id: 1, term: 4, refused: 'noLeader', message: '' });
    follow(3, 5);
    proposals.retryHeld();
    expect(world.forwarded.length).toBe(2);
  });

  it('ignore a refusal of an earlier term', () => {
    const { world, proposals, submit, follow } = surroundings();
    follow(2, 4);
    submit();
    follow(3, 5);
    proposals.reached(5);
    proposals.refused({ id: 1, term: 4, refused: 'noLeader', message: '' });
    proposals.retryHeld();
    expect(world.forwarded.length).toBe(2);
  });

  it('are unknown when a snapshot replaces the state', async () => {
    const { proposals, submit, lead } = surroundings();
    lead(9, 4);
    const mine = submit();
    proposals.overtaken(4);
    await turn();
    expect(mine.settled()).toMatchObject({ kind: 'unknown' });
  });

  it('are refused as overload at the limit, and accepted below it', async () => {
    const { world, proposals, submit, follow } = surroundings();
    follow(2);
    for (let i = 0; i < PROPOSAL_LIMITS.pendingMax; i++) submit();
    const beyond = submit();
    await turn();
    expect(beyond.settled()).toMatchObject({ kind: 'refused', reason: 'overloaded' });
    proposals.applying(world.forwarded[0]!.data).answer!(committed);
    expect(submit().settled()).toBeUndefined();
    expect(proposals.pending).toBe(PROPOSAL_LIMITS.pendingMax);
  });

  it('are all answered when the peer stops: sent ones as unknown, others as refused', async () => {
    const { proposals, submit, follow, world } = surroundings();
    const held = submit();
    follow(2);
    const sent = submit();
    expect(world.forwarded.length).toBe(1);
    proposals.stop('the end');
    await turn();
    expect(sent.settled()).toMatchObject({ kind: 'unknown' });
    expect(held.settled()).toMatchObject({ kind: 'refused', reason: 'stopping' });
    expect(await proposals.submit(Buffer.alloc(1))).toMatchObject({ kind: 'refused', reason: 'stopping' });
  });

  it('are appended in one term or never, if a leader decided them in that term', async () => {
    const { world, proposals, lead, follow } = surroundings();
    lead(5, 1);
    const results: TxnResult[] = [];
    const submit = (onlyTerm: number) =>
      void proposals.submit(Buffer.from('command'), { onlyTerm }).then((result) => results.push(result));
    submit(1);
    expect(world.appended.length).toBe(1);
    // The entry was lost: this peer applies one of a later term, and leads again.
    world.term = 2;
    lead(9, 2);
    proposals.reached(2);
    await turn();
    expect(results).toMatchObject([{ kind: 'refused', reason: 'noLeader' }]);
    expect(world.appended.length).toBe(1);
    // It was decided in an earlier term, and on a peer that does not lead any more.
    submit(1);
    follow(2, 2);
    submit(2);
    await turn();
    expect(results.length).toBe(3);
    expect([world.appended.length, world.forwarded.length]).toEqual([1, 0]);
  });
});
