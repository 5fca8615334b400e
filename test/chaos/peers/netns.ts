import { spawnSync } from 'node:child_process';
import type { Place } from './harness.js';

let networks = 0;
const PORT = 2380;
const NOBODY = '02:00:00:00:00:99';

function run(...command: readonly string[]): boolean {
  return spawnSync(command[0]!, command.slice(1), { stdio: 'ignore' }).status === 0;
}

/**
 * A bridge with one network namespace for each peer, and links that can be cut in either direction. Nothing leaves this machine:
 * the bridge has no address and no uplink.
 */
export class Namespaces {
  readonly places: readonly Place[];
  readonly #names: readonly string[];
  /**
   * The prefix of this network's link names, which are limited to 15 characters. It is unique, because links of a previous
   * network may still exist.
   */
  readonly #prefix = `tr${process.pid % 100_000}n${networks++}`;

  private constructor(count: number) {
    this.#names = Array.from({ length: count }, (_, i) => `${this.#prefix}p${i}`);
    this.places = this.#names.map((name, i) => ({
      address: `10.211.7.${i + 1}`,
      port: PORT,
      wrapper: ['ip', 'netns', 'exec', name],
    }));
  }

  /** Undefined (logged once) where this user may not create namespaces. */
  static make(count: number): Namespaces | undefined {
    const made = new Namespaces(count);
    if (made.#build()) return made;
    made.remove();
    process.stdout.write('partitions are not tested: no permission to create network namespaces\n');
    return undefined;
  }

  get #bridge(): string {
    return `${this.#prefix}b`;
  }

  #build(): boolean {
    if (!run('ip', 'link', 'add', this.#bridge, 'type', 'bridge') || !run('ip', 'link', 'set', this.#bridge, 'up'))
      return false;
    return this.#names.every((name, i) => {
      const [outside, inside] = [`${this.#prefix}o${i}`, `${this.#prefix}i${i}`];
      return (
        run('ip', 'netns', 'add', name) &&
        run('ip', 'link', 'add', outside, 'type', 'veth', 'peer', 'name', inside) &&
        run('ip', 'link', 'set', outside, 'master', this.#bridge, 'up') &&
        run('ip', 'link', 'set', inside, 'netns', name) &&
        this.#in(i, 'ip', 'addr', 'add', `${this.places[i]!.address}/24`, 'dev', inside) &&
        this.#in(i, 'ip', 'link', 'set', inside, 'up') &&
        this.#in(i, 'ip', 'link', 'set', 'lo', 'up')
      );
    });
  }

  #in(i: number, ...command: readonly string[]): boolean {
    return run('ip', 'netns', 'exec', this.#names[i]!, ...command);
  }

  /** Drops everything from `from` to `to` silently: it is sent to an unused hardware address. */
  cut(from: number, to: number): void {
    const neighbour = [
      this.places[to]!.address,
      'lladdr',
      NOBODY,
      'dev',
      `${this.#prefix}i${from}`,
      'nud',
      'permanent',
    ];
    this.#in(from, 'ip', 'neigh', 'replace', ...neighbour);
  }

  /** Cuts `one` off from the others in both directions. */
  isolate(one: number): void {
    for (const other of this.places.keys()) {
      if (other === one) continue;
      this.cut(one, other);
      this.cut(other, one);
    }
  }

  heal(): void {
    for (const i of this.places.keys()) {
      for (const { address } of this.places) this.#in(i, 'ip', 'neigh', 'del', address, 'dev', `${this.#prefix}i${i}`);
    }
  }

  remove(): void {
    for (const [i, name] of this.#names.entries()) {
      run('ip', 'link', 'del', `${this.#prefix}o${i}`);
      run('ip', 'netns', 'del', name);
    }
    run('ip', 'link', 'del', this.#bridge);
  }
}
