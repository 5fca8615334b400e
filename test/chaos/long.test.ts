import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Clocks, JUMPS, whyNoClocks, wrongClock } from './clocks.js';
import { isBuilt } from './cluster.js';
import { FIVE_PEERS, SPLIT_MEMBER_FAULTS } from './membership.js';
import { FAULTS, fullDisk } from './nemesis.js';
import { PowerSupply, whyNoPowerCuts } from './power.js';
import { powerCuts } from './powercuts.js';
import { type ChaosResult, runChaos } from './run.js';

/**
 * `make chaos MINUTES=n SEED=s`. One run takes three minutes at most, so that histories stay short; further runs use the next
 * seeds.
 */
const minutes = Number(process.env['CHAOS_MINUTES'] ?? 0);
const given = process.env['CHAOS_SEED'] ?? '';
const RUN_MINUTES_MAX = 3;
const folder = join(process.cwd(), '.trireme', 'chaos');
const clockFolder = join(folder, 'clocks');
const DISK_MIB = 1024;

interface Profile {
  readonly args: readonly string[];
  readonly padding: number;
  readonly names?: readonly string[];
}

/**
 * Seeds alternate between default settings, five peers, logs so short that a restarted peer needs a snapshot, and a
 * high write load.
 */
const PROFILES: readonly Profile[] = [
  { args: [], padding: 0 },
  // Five peers, whose members change while the network is split.
  { args: ['--snapshot-count=100'], padding: 0, names: FIVE_PEERS },
  { args: ['--snapshot-count=100'], padding: 0 },
  { args: ['--snapshot-count=60'], padding: 60_000 },
];

const whyNotPower = minutes === 0 ? undefined : whyNoPowerCuts();
if (minutes > 0) mkdirSync(clockFolder, { recursive: true });
if (whyNotPower !== undefined) console.warn(`power cuts skipped: ${whyNotPower}`);

describe.skipIf(!isBuilt || minutes === 0)('chaos', () => {
  it(
    `keeps all guarantees for ${minutes} minutes`,
    async () => {
      const first = given === '' ? Math.floor(Math.random() * 1_000_000) : Number(given);
      const results: ChaosResult[] = [];
      for (let left = minutes, seed = first; left > 0; left -= RUN_MINUTES_MAX, seed++) {
        process.stdout.write(
          `seed ${seed}: repeat with make chaos MINUTES=${Math.min(left, RUN_MINUTES_MAX)} SEED=${seed}\n`,
        );
        const supply = whyNotPower === undefined ? new PowerSupply(DISK_MIB) : undefined;
        const clocks = whyNoClocks === undefined ? new Clocks(clockFolder, 'jumps') : undefined;
        const { args, padding, names } = PROFILES[seed % PROFILES.length]!;
        const result = await runChaos({
          seed,
          faults: [
            ...FAULTS,
            ...(names === undefined ? [] : SPLIT_MEMBER_FAULTS),
            ...(supply === undefined ? [] : [...powerCuts(supply, padding > 0), fullDisk]),
            ...(clocks === undefined
              ? []
              : [wrongClock(clocks, 'leader', JUMPS), wrongClock(clocks, 'follower', JUMPS)]),
          ],
          cluster: {
            args,
            ...(names === undefined ? {} : { names }),
            ...(supply === undefined ? {} : { disks: supply }),
            ...(clocks === undefined ? {} : { env: (name) => clocks.env(name) }),
          },
          padding,
          drawFor: Math.min(left, RUN_MINUTES_MAX) * 60_000,
          note: (line) => process.stdout.write(`  ${line}\n`),
        }).finally(() => supply?.close());
        results.push(result);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, `${seed}.json`), `${JSON.stringify(result, null, 2)}\n`);
        process.stdout.write(`${summary(result)}\n`);
      }
      expect(results.flatMap((r) => r.judgement.violations)).toEqual([]);
      expect(results.flatMap((r) => r.deaths)).toEqual([]);
    },
    (minutes + 10) * 120_000,
  );
});

function summary({ seed, judgement, struck, acknowledged, counts }: ChaosResult): string {
  const { violations, undecided, keys, operations, events } = judgement;
  return [
    `seed ${seed}: ${violations.length} violations, ${struck.length} faults, ${acknowledged} acknowledged writes,`,
    `${operations} operations on ${keys} objects (${undecided.length} undecided), ${events} watch events`,
    JSON.stringify(counts),
  ].join(' ');
}
