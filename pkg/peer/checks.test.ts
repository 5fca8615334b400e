import { describe, expect, it } from 'vitest';
import { HashChecks } from './checks.js';

function checks(self: number, voters = [1, 2, 3]) {
  const notes: string[] = [];
  const stopped: string[] = [];
  const told: string[] = [];
  const made = new HashChecks({
    self,
    voters: () => voters,
    tell: (revision, hash) => told.push(`${revision} ${hash}`),
    differs: (message) => stopped.push(message),
    note: (_level, message) => notes.push(message),
  });
  return { made, notes, stopped, told };
}

describe('hash checks', () => {
  it('are content while all say the same', () => {
    const { made, notes, stopped, told } = checks(1);
    made.own(10, 'a');
    expect(made.confirmed).toBe(false);
    made.heard(2, 10, 'a');
    expect(made.confirmed).toBe(true);
    made.heard(3, 10, 'a');
    expect([notes, stopped, told]).toEqual([[], [], ['10 a']]);
  });

  it('stop the peer whose state most others do not have, in whatever order the news comes', () => {
    const { made, stopped } = checks(3);
    made.heard(1, 10, 'a');
    made.heard(2, 10, 'a');
    made.own(10, 'b');
    expect(stopped[0]).toMatch(/revision 10.*Remove this member/s);
    const later = checks(3);
    later.made.own(10, 'b');
    later.made.heard(1, 10, 'a');
    expect(later.stopped).toEqual([]);
    later.made.heard(2, 10, 'a');
    expect(later.stopped.length).toBe(1);
  });

  it('only report when this peer is with the majority, or when there is none', () => {
    const { made, stopped, notes } = checks(1);
    made.own(10, 'a');
    made.heard(2, 10, 'b');
    made.heard(3, 10, 'a');
    expect(stopped).toEqual([]);
    expect(notes).toEqual([expect.stringContaining('no majority'), expect.stringContaining('peer 2 differs')]);
  });

  it('let a learner differ without a vote, and still stop it', () => {
    const { made, stopped } = checks(4);
    made.own(10, 'b');
    made.heard(1, 10, 'a');
    made.heard(2, 10, 'a');
    expect(stopped.length).toBe(1);
  });
});
