import { spawnSync } from 'node:child_process';
import type { Place } from './harness.js';

let networks = 0;
const PORT = 2380;
const NOBODY = '02:00:00:00:00:99';

function run(...command: readonly string[]): boolean {
  return spawnSync(command[0]!, command.slice(1), { stdio: 'ignore' }).status === 0;
}

/**
 * A network of namespaces on one bridge, one for each peer, with links that can be cut in either direction. Nothing of it
 * reaches beyond this machine: the bridge has no address and no way out.
 */
export class Namespaces {
  readonly places: readonly Place[];
  readonly #names: readonly string[];
  /** Begins the names of this network's links: at most 15 characters each, and the last network's may still be going. */
  readonly #prefix = `tr${process.pid % 100_000}n${networks++}`;

  private constructor(count: number) {
    this.#names = Array.from({ length: count }, (_, i) => `${this.#prefix}p${i}`);
    this.places = this.#names.map((name, i) => ({
      address: `10.211.7.${i + 1}`,
      port: PORT,
      wrapper: ['ip', 'netns', 'exec', name],
    }));
  }

  /** Undefined (said once) where this user may not make namespaces. */
  static make(count: number): Namespaces | undefined {
    const made = new Namespaces(count);
    if (made.#build()) return made;
    made.remove();
    process.stdout.write('partitions are not tried: no right to make network namespaces\n');
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

  /** What `from` sends to `to` is lost from now on, silently: it goes to a hardware address that nobody has. */
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

  /** `one` and the others hear nothing of each other. */
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
