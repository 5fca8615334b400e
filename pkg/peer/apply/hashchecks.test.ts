import { describe, expect, it } from 'vitest';
import { PEER_RULES } from '../common/index.js';
import { HashChecks } from './hashchecks.js';

const of = (hash: string, history = 'h') => ({ hash, history });

function checks(self: number, voters = [1, 2, 3]) {
  const notes: string[] = [];
  const stopped: string[] = [];
  const told: string[] = [];
  const made = new HashChecks({
    self,
    rules: PEER_RULES,
    voters: () => voters,
    describe: (peer) => `${peer} (p${peer})`,
    send: (revision, { hash, history }) => told.push(`${revision} ${hash} ${history}`),
    differs: (message) => stopped.push(message),
    note: (_level, message) => notes.push(message),
  });
  return { made, notes, stopped, told };
}

describe('hash checks', () => {
  it('pass while all peers have the same hashes', () => {
    const { made, notes, stopped, told } = checks(1);
    made.own(10, of('a'));
    expect(made.confirmed).toBe(false);
    made.heard(2, 10, of('a'));
    expect(made.confirmed).toBe(true);
    made.heard(3, 10, of('a'));
    expect([notes, stopped, told]).toEqual([[], [], ['10 a h']]);
  });

  it('stop a peer whose state differs from a majority, in any order of arrival', () => {
    const { made, stopped } = checks(3);
    made.heard(1, 10, of('a'));
    made.heard(2, 10, of('a'));
    made.own(10, of('b'));
    expect(stopped[0]).toMatch(/revision 10.*Remove this member/s);
    const later = checks(3);
    later.made.own(10, of('b'));
    later.made.heard(1, 10, of('a'));
    expect(later.stopped).toEqual([]);
    later.made.heard(2, 10, of('a'));
    expect(later.stopped.length).toBe(1);
  });

  it('only log when this peer agrees with the majority', () => {
    const { made, stopped, notes } = checks(1);
    made.own(10, of('a'));
    made.heard(2, 10, of('b'));
    made.heard(3, 10, of('a'));
    expect(stopped).toEqual([]);
    expect(notes).toEqual([
      expect.stringContaining('no majority'),
      expect.stringContaining('peer 2 (p2) differs'),
      expect.stringContaining('answers again'),
    ]);
  });

  it('stop a peer whose history differs although its newest versions are equal', () => {
    const { made, stopped, notes } = checks(3);
    made.own(10, of('a', 'mine'));
    made.heard(1, 10, of('a'));
    // The peer then repeats its check, even if few others can be reached yet.
    expect([made.confirmed, stopped, notes.length]).toEqual([false, [], 1]);
    made.heard(2, 10, of('a'));
    expect(stopped).toEqual([expect.stringMatching(/the history of this peer differs .*Remove this member/s)]);
    const sound = checks(1);
    sound.made.heard(2, 10, of('a'));
    sound.made.own(10, of('a'));
    sound.made.heard(3, 10, of('a', 'theirs'));
    expect([sound.stopped, sound.notes]).toEqual([[], [expect.stringContaining('the history of peer 3 (p3) differs')]]);
  });

  it('ignore the history of peers that send no hash of it', () => {
    const { made, stopped, notes } = checks(3);
    made.own(10, of('a'));
    made.heard(1, 10, of('a', ''));
    made.heard(2, 10, of('a', ''));
    expect([made.confirmed, stopped, notes]).toEqual([true, [], []]);
  });

  it('stop a learner that differs from a majority of the voters', () => {
    const { made, stopped } = checks(4);
    made.own(10, of('b'));
    made.heard(1, 10, of('a'));
    made.heard(2, 10, of('a'));
    expect(stopped.length).toBe(1);
  });

  it('suspend peers that differ without a majority, until a later check finds one', () => {
    const two = checks(1, [1, 2]);
    two.made.own(10, of('a'));
    expect(two.made.suspended).toBeUndefined();
    two.made.heard(2, 10, of('b'));
    expect(two.made.suspended).toMatch(/differ in their state at revision 10, and no majority agrees/);
    two.made.own(12, of('c'));
    // A late answer to an earlier round does not end the suspension.
    two.made.own(9, of('x'));
    two.made.heard(2, 9, of('x'));
    expect(two.made.suspended).toBeDefined();
    two.made.heard(2, 12, of('c'));
    expect([two.made.suspended, two.stopped]).toEqual([undefined, []]);
  });

  it('suspend peers that differ while the third is missing, and end with its answer', () => {
    for (const [answer, stopped] of [
      ['a', 0],
      ['b', 1],
    ] as const) {
      const one = checks(1);
      one.made.own(10, of('a'));
      one.made.heard(2, 10, of('b'));
      expect(one.made.suspended).toBeDefined();
      one.made.heard(3, 10, of(answer));
      expect(one.stopped.length).toBe(stopped);
      if (stopped === 0) expect(one.made.suspended).toBeUndefined();
    }
  });

  it('do not suspend voters for a learner that differs', () => {
    const { made } = checks(1);
    made.own(10, of('a'));
    made.heard(4, 10, of('b'));
    expect(made.suspended).toBeUndefined();
    made.own(11, of('a', 'h'));
    made.heard(2, 11, of('a', 'other'));
    expect(made.suspended).toMatch(/differ in their history/);
  });
});
