import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from './nemesis.js';

/** The path of the library for multithreaded programs on Debian and others. */
const LIBRARY = ['/usr/lib', '/usr/lib64', '/usr/local/lib']
  .flatMap((folder) => [folder, ...(existsSync(folder) ? readdirSync(folder) : []).map((entry) => join(folder, entry))])
  .flatMap((folder) => [join(folder, 'faketime'), folder])
  .map((folder) => join(folder, 'libfaketimeMT.so.1'))
  .find((file) => existsSync(file));

/** The reason why clocks cannot be changed on this machine; undefined if they can. */
export const whyNoClocks = LIBRARY === undefined ? 'libfaketime is not installed' : undefined;

/**
 * Changes the clocks of a cluster's peers while they run: libfaketime, preloaded into each process, reads the change from a file.
 * `jumps` changes the wall clock only, as a person or a time service does. `rates` makes every clock, including the monotonic
 * one, run faster or slower.
 */
export class Clocks {
  readonly #folder: string;
  readonly #kind: 'jumps' | 'rates';

  constructor(folder: string, kind: 'jumps' | 'rates') {
    this.#folder = folder;
    this.#kind = kind;
  }

  /** The environment for the process of this peer. */
  env(name: string): Readonly<Record<string, string>> {
    this.set(name, '+0');
    return {
      LD_PRELOAD: LIBRARY!,
      FAKETIME_TIMESTAMP_FILE: this.#file(name),
      FAKETIME_CACHE_DURATION: '1',
      // Otherwise the clock would stop for a second whenever the file is read.
      FAKETIME_XRESET: '1',
      ...(this.#kind === 'jumps' ? { FAKETIME_DONT_FAKE_MONOTONIC: '1', DONT_FAKE_MONOTONIC: '1' } : {}),
    };
  }

  /** Sets the clock in the format of libfaketime: `+3h`, `-30m`, `+0 x1.5`. It takes effect within a second. */
  set(name: string, time: string): void {
    writeFileSync(this.#file(name), `${time}\n`);
  }

  #file(name: string): string {
    return join(this.#folder, `${name}.clock`);
  }
}

/** Makes one peer's clock wrong for a while and then right again, which is a second change. */
export function wrongClock(clocks: Clocks, who: 'leader' | 'follower', times: readonly string[]): Fault {
  return {
    name: `the clock of a ${who} is wrong`,
    stands: [1500, 4000],
    async strike(cluster, random) {
      const leader = await cluster.leader();
      const hit = who === 'leader' ? leader : random.pick(cluster.names.filter((name) => name !== leader));
      const time = random.pick(times);
      clocks.set(hit, time);
      return { hit: `${hit}: ${time}`, undo: async () => clocks.set(hit, '+0') };
    },
  };
}

/** Within the validity of the certificates made at start, and beyond the lifetime of an Event. */
export const JUMPS: readonly string[] = ['+3h', '+2d', '+45s', '-20s'];
export const RATES: readonly string[] = ['+0 x1.5', '+0 x0.7', '+0 x2'];
