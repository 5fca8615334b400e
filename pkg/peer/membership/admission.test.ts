import { describe, expect, it } from 'vitest';
import type { World } from '../../base/index.js';
import { CONTROL_LIMITS, PEER_DEFAULTS, type PeerConfig } from '../common/index.js';
import { Admission } from './admission.js';
import type { HasStarted } from './types.js';

type Answer = Omit<HasStarted, 'clusterId'> & { readonly clusterId?: string };

/** The admission of the first of `count` founders, and what the others answer to it by name; no answer by default. */
function founder(count: number, { isBlank = true } = {}) {
  const names = ['a', 'b', 'c', 'd', 'e'].slice(0, count);
  const answers = new Map<string, Answer>();
  const confirmed = new Map<string, Answer>();
  const failed: string[] = [];
  let tick = (): void => {};
  const world = {
    clock: { now: () => 0, monotonic: () => 0 },
    timers: {
      after: (milliseconds: number, f: () => void) => {
        if (milliseconds >= CONTROL_LIMITS.admitNoteMs) return () => {};
        tick = f;
        return () => {
          tick = () => {};
        };
      },
    },
  } as unknown as World;
  const admission = new Admission({
    config: {
      ...PEER_DEFAULTS,
      name: 'a',
      initialCluster: names.map((name) => ({ name, peerUrls: [`https://${name}:2380`] })),
    } as PeerConfig,
    world,
    identity: { clusterId: 'c1', peerId: 1, name: 'a' },
    isBlank,
    fail: (error) => failed.push(error.message),
    note: () => {},
  });
  const from = (map: ReadonlyMap<string, Answer>) => async (url: string) => {
    const answer = map.get(new URL(url).hostname);
    if (answer === undefined) throw new Error('no answer');
    return { clusterId: 'c1', ...answer };
  };
  admission.begin({ hasStarted: from(answers), hasStartedConfirmed: from(confirmed) });
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const ask = async (): Promise<boolean> => {
    // The questions of the beginning end first.
    await settled();
    tick();
    await settled();
    return admission.isOpen;
  };
  return { answers, confirmed, failed, ask };
}

const BLANK = { started: false, blank: true };
const BEGUN = { started: false, blank: false };

describe('a founder with an empty log', () => {
  it('takes part when it and others with empty logs are a majority', async () => {
    const { answers, ask } = founder(5);
    expect(await ask()).toBe(false);
    answers.set('b', BLANK);
    expect(await ask()).toBe(false);
    answers.set('d', BLANK);
    expect(await ask()).toBe(true);
  });

  it('waits for a leader when the cluster has begun', async () => {
    const { answers, confirmed, ask } = founder(3);
    answers.set('b', BEGUN);
    expect(await ask()).toBe(false);
    confirmed.set('b', { started: false });
    expect(await ask()).toBe(true);
  });

  it('takes part without a leader when every majority that counted on it has a member that answers', async () => {
    const { answers, ask } = founder(5);
    answers.set('b', BEGUN);
    answers.set('c', BEGUN);
    expect(await ask()).toBe(false);
    answers.set('e', BLANK);
    expect(await ask()).toBe(true);
  });

  it.each([
    ['a founder', (of: ReturnType<typeof founder>) => of.answers.set('b', { started: true, blank: false })],
    [
      'a leader',
      (of: ReturnType<typeof founder>) => {
        of.answers.set('b', BEGUN);
        of.confirmed.set('b', { started: true });
      },
    ],
  ])('stops when %s knows that it took part before', async (_, answer) => {
    const made = founder(3);
    answer(made);
    expect(await made.ask()).toBe(false);
    expect(made.failed).toEqual([expect.stringContaining('has been part of the cluster before')]);
    made.answers.set('c', BLANK);
    expect(await made.ask()).toBe(false);
  });

  it('stops when another founder belongs to another cluster', async () => {
    const { answers, failed, ask } = founder(3);
    answers.set('c', { ...BEGUN, clusterId: 'c2' });
    expect(await ask()).toBe(false);
    expect(failed).toEqual([expect.stringContaining('https://c:2380 belongs to another cluster (c2)')]);
  });
});

it('takes part at once with a log, or alone', async () => {
  expect(await founder(3, { isBlank: false }).ask()).toBe(true);
  expect(await founder(1).ask()).toBe(true);
});
