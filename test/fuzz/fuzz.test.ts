import { afterAll, describe, expect, it } from 'vitest';
import { TestDoor } from '../../pkg/http/testing/door.js';
import { accessTargets } from './access.js';
import { bodyTargets } from './bodies.js';
import { FOUND } from './found.js';
import { headerBlockTarget } from './headerblocks.js';
import { hunt, shown, tried } from './hunt.js';
import { issuerTargets } from './issuers.js';
import { peerTargets } from './peers.js';
import { requestTargets } from './requests.js';
import { type Target, texts } from './target.js';
import { writeTargets } from './writes.js';

const minutes = Number(process.env['FUZZ_MINUTES'] ?? 0);
const chosen = process.env['FUZZ_TARGET'] ?? '';
const seed = Number(process.env['FUZZ_SEED'] || (minutes > 0 ? Date.now() % 2 ** 31 : 1));

const door = await TestDoor.open();
afterAll(() => door.listener.drain(0));

const all: readonly Target[] = [
  ...accessTargets,
  ...issuerTargets,
  ...bodyTargets,
  ...requestTargets,
  headerBlockTarget(door),
  ...(await peerTargets()),
  ...(await writeTargets()),
];
const targets = all.filter((t) => t.name.includes(chosen));
/** Inputs for each target in `make test`. `make fuzz` continues for its share of the minutes. */
const INPUTS = 200;
const share = (minutes * 60_000) / Math.max(1, targets.length);

describe('fuzz targets', () => {
  if (minutes > 0) console.info(`fuzzing ${targets.length} targets, ${(share / 1000) | 0} s each, seed ${seed}`);

  it.each(targets)(
    'is read or refused quickly: $name',
    async (target) => {
      const end = performance.now() + share;
      const found = await hunt(
        target,
        minutes > 0
          ? { seed, inputs: Number.MAX_SAFE_INTEGER, goOn: () => performance.now() < end }
          : { seed, inputs: INPUTS },
      );
      expect(found === undefined ? '' : `${shown(found)}\n  make fuzz SEED=${seed} TARGET='${target.name}'`).toBe('');
    },
    share + 120_000,
  );

  it.each(FOUND.filter((f) => targets.some((t) => t.name === f.target)))(
    'earlier findings stay fixed: $was',
    async (found) => {
      const target = targets.find((t) => t.name === found.target)!;
      expect(await tried(target, found.input)).toBeUndefined();
    },
  );
});

describe('the fuzzer', () => {
  const hunted = async (run: Target['run'], refusals: Target['refusals'] = []): Promise<string | undefined> => {
    const found = await hunt(
      { name: 't', seeds: texts('hello'), words: ['{'], run, refusals },
      { seed: 1, inputs: 300 },
    );
    return found?.kind;
  };

  it('finds a crash and minimizes its input', async () => {
    const found = await hunt(
      {
        name: 't',
        seeds: texts('hello world'),
        words: ['{'],
        refusals: [RangeError],
        run: (input) => {
          if (input.includes('{')) throw new TypeError('not this');
          throw new RangeError('refused');
        },
      },
      { seed: 1, inputs: 300 },
    );
    expect([found?.kind, found?.input.toString()]).toEqual(['crash', '{']);
  });

  it('finds excessive memory use, and accepts reads and rejections', async () => {
    const kept: Buffer[] = [];
    expect(
      await hunted((input) => {
        if (input.length > 6) kept.push(Buffer.alloc(400 << 20));
      }),
    ).toBe('memory');
    expect(kept.length).toBe(1);
    expect(await hunted(() => {})).toBeUndefined();
    expect(
      await hunted(() => {
        throw new RangeError();
      }, [RangeError]),
    ).toBeUndefined();
  });

  it('tries the same inputs for the same seed', async () => {
    const inputs = async (of: number): Promise<string> => {
      const seen: string[] = [];
      const run = (input: Buffer): void => void seen.push(input.toString('latin1'));
      await hunt({ name: 't', seeds: texts('hello'), words: ['{'], refusals: [], run }, { seed: of, inputs: 50 });
      return seen.join('|');
    };
    expect(await inputs(1)).toBe(await inputs(1));
    expect(await inputs(1)).not.toBe(await inputs(2));
  });
});
