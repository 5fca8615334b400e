import { type FSWatcher, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../sim/random.js';
import type { Cluster } from './cluster.js';
import type { Fault } from './nemesis.js';
import type { PowerSupply } from './power.js';

/** The moment of the power cut. */
export type Moment =
  | 'at any time'
  | 'when the log begins a segment'
  | 'when the state is flushed'
  | 'when a snapshot is installed'
  | 'when the peers start';

const MOMENT_PATIENCE = 60_000;
/** The maximum delay in milliseconds between the observed moment and the cut. */
const AFTER_MAX = 15;

/** Cuts the power of all peers, or of the leader. They restart with what their disks have. */
export function powerCut(supply: PowerSupply, moment: Moment, who: 'all' | 'leader' = 'all'): Fault {
  return {
    name: `power cut of ${who} ${moment}`,
    stands: [0, 300],
    async strike(cluster, random) {
      const names = who === 'all' ? cluster.names : [await cluster.leader()];
      const cut = async (): Promise<void> => {
        const folders = names.map((name) => cluster.dataDir(name));
        await cluster.crash(names, () => supply.cut(folders));
        for (const folder of folders) supply.restore(folder);
      };
      const up = async (): Promise<void> => {
        await Promise.all(names.map((name) => cluster.up(name)));
      };
      const came = await reach[moment](cluster, random, cut, up);
      await cut();
      return { hit: `${names.join(', ')}${came ? '' : ', although the moment did not occur'}`, undo: up };
    },
  };
}

/** All power cuts that a run may draw. Some wait for an event that needs a high write load. */
export function powerCuts(supply: PowerSupply, muchWritten: boolean): readonly Fault[] {
  return [
    powerCut(supply, 'at any time'),
    powerCut(supply, 'at any time', 'leader'),
    powerCut(supply, 'when the peers start'),
    ...(muchWritten ? MOMENTS_OF_WRITING.map((moment) => powerCut(supply, moment)) : []),
  ];
}

const MOMENTS_OF_WRITING = [
  'when the log begins a segment',
  'when the state is flushed',
  'when a snapshot is installed',
] as const satisfies readonly Moment[];

type Reach = (cluster: Cluster, random: Random, cut: () => Promise<void>, up: () => Promise<void>) => Promise<boolean>;

/** Each resolves at the moment of the cut; to false when the event does not occur. */
const reach: Readonly<Record<Moment, Reach>> = {
  'at any time': async (_cluster, random) => {
    await wait(random.int(0, 1500));
    return true;
  },
  'when the log begins a segment': (cluster, random) =>
    seen(cluster.names, random, (name) => ({ folder: join(cluster.dataDir(name), 'wal'), entry: /^\d{10}\.wal$/ })),
  'when the state is flushed': (cluster, random) =>
    seen(cluster.names, random, (name) => ({ folder: engineFolder(cluster, name), entry: /\.sst$/ })),
  'when a snapshot is installed': async (cluster, random) => {
    const leader = await cluster.leader();
    const far = random.pick(cluster.names.filter((name) => name !== leader));
    const at = (await cluster.status(far)).applied;
    await cluster.kill(far);
    const end = performance.now() + MOMENT_PATIENCE;
    while ((await cluster.status(leader)).firstIndex <= at) {
      if (performance.now() > end) return false;
      await wait(50);
    }
    const entry = random.pick([/^install\.json/, /^CURRENT\.new$/, /^state\.\d+$/]);
    const folder = entry.source.includes('install') ? cluster.dataDir(far) : join(cluster.dataDir(far), 'db');
    const moment = seen([far], random, () => ({ folder, entry }));
    // It may be cut before it is ready, so the start is not awaited.
    cluster.up(far).catch(() => {});
    return moment;
  },
  'when the peers start': async (_cluster, random, cut, up) => {
    await cut();
    up().catch(() => {});
    await wait(random.int(0, 1500));
    return true;
  },
};

/** Resolves a few milliseconds after an entry with such a name is created, deleted or renamed in the folder of a peer. */
async function seen(
  names: readonly string[],
  random: Random,
  where: (name: string) => { readonly folder: string; readonly entry: RegExp },
): Promise<boolean> {
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const came = await new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), MOMENT_PATIENCE);
    for (const name of names) {
      const { folder, entry } = where(name);
      const watcher = watch(folder, (kind, file) => {
        if (kind === 'rename' && file !== null && entry.test(file)) resolve(true);
      });
      watchers.push(watcher);
    }
  });
  clearTimeout(timer);
  for (const watcher of watchers) watcher.close();
  await wait(random.int(0, AFTER_MAX));
  return came;
}

/** The folder of the engine: the newest one after a snapshot was installed. */
function engineFolder(cluster: Cluster, name: string): string {
  const db = join(cluster.dataDir(name), 'db');
  const engines = readdirSync(db).filter((entry) => entry.startsWith('state.'));
  return join(db, engines.sort((x, y) => Number(x.slice(6)) - Number(y.slice(6))).at(-1)!);
}

const wait = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
