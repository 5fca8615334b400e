import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Access, accessOf, type PeerStatus, statusOf } from '../../pkg/client/index.js';
import { freePorts } from '../../pkg/peer/testing/ports.js';
import type { Disks } from './disks.js';
import { PeerProxy } from './proxy.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const dist = process.env['TRIREME_DIST'] ?? join(root, 'dist');
const mainOf = (build: string): string => join(build, 'cmd', 'apiserver', 'main.js');
const main = mainOf(dist);
const ctl = join(dist, 'cmd', 'ctl', 'main.js');

/** Whether `dist` exists: tests of processes need it (`make test` builds first). */
export const isBuilt = existsSync(main) && existsSync(ctl);

export interface ClusterOptions {
  readonly names?: readonly string[];
  /** The file systems of the data folders; by default the one for temporary files. */
  readonly disks?: Disks;
  /** Whether proxies run between the peers, so that they can be partitioned. */
  readonly proxied?: boolean;
  readonly args?: readonly string[];
  /** The folder of the build that runs at first; absent: `dist`. */
  readonly build?: string;
  /** Additional environment variables of a peer. */
  readonly env?: (name: string) => Readonly<Record<string, string>>;
}

/** Generous, because a machine that runs many tests may take long to start five peers. */
const START_TIME = 300_000;
const STOP_TIME = 60_000;

interface Peer {
  readonly name: string;
  readonly port: number;
  readonly peerPort: number;
  /** The URL that the other peers use. */
  readonly peerUrl: string;
  readonly dataDir: string;
  readonly proxy: PeerProxy | undefined;
  args: readonly string[];
  /** The running program: `dist`, or another build. */
  main: string;
  child: ChildProcess | undefined;
  /** The process started last, for as long as it runs: also while it is expected to exit. */
  pid: number | undefined;
  paused: boolean;
  /** The output since the last start. */
  out: string;
}

/** The peers of one cluster on loopback, each a process that runs the built program. */
export class Cluster {
  readonly folder: string;
  readonly #options: ClusterOptions;
  readonly #peers = new Map<string, Peer>();
  /** The blocked directions, as `from>to`. */
  readonly #cuts = new Set<string>();
  #access: Access | undefined;
  /** Peers that exited unexpectedly. */
  readonly deaths: string[] = [];

  private constructor(options: ClusterOptions) {
    this.#options = options;
    this.folder = mkdtempSync(join(tmpdir(), 'trireme-cluster-'));
  }

  static async start(options: ClusterOptions = {}): Promise<Cluster> {
    if (!isBuilt) throw new Error('dist/ is missing: npm run build');
    const cluster = new Cluster(options);
    try {
      for (const name of options.names ?? ['a', 'b', 'c']) await cluster.#plan(name);
      await cluster.#makeFolders();
      await Promise.all(cluster.names.map((name) => cluster.up(name)));
      return cluster;
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  async #plan(name: string, args?: readonly string[]): Promise<Peer> {
    const [port, peerPort] = (await freePorts(2)) as [number, number];
    const proxy =
      this.#options.proxied === true
        ? await PeerProxy.open(name, {
            cut: (from, to) => this.#cuts.has(`${from}>${to}`),
            peers: () => this.#pids(),
          })
        : undefined;
    proxy?.aim(peerPort);
    const peer: Peer = {
      name,
      port,
      peerPort,
      peerUrl: `https://127.0.0.1:${proxy?.port ?? peerPort}`,
      dataDir: join(this.folder, name),
      proxy,
      args: args ?? [],
      main: this.#options.build === undefined ? main : mainOf(this.#options.build),
      child: undefined,
      pid: undefined,
      paused: false,
      out: '',
    };
    this.#peers.set(name, peer);
    this.#options.disks?.attach(peer.dataDir);
    return peer;
  }

  async #makeFolders(): Promise<void> {
    const pairs = (of: (p: Peer) => string): string =>
      [...this.#peers.values()].map((p) => `${p.name}=${of(p)}`).join(',');
    const made = await this.ctl(
      'certs',
      `--dir=${this.folder}`,
      `--initial-cluster=${pairs((p) => p.peerUrl)}`,
      `--servers=${pairs((p) => this.url(p.name))}`,
    );
    if (made.code !== 0) throw new Error(made.out);
    this.#access = accessOf(this.kubeconfig);
  }

  #pids(): ReadonlyMap<string, number> {
    return new Map([...this.#peers.values()].flatMap((p) => (p.pid === undefined ? [] : [[p.name, p.pid]])));
  }

  get names(): readonly string[] {
    return [...this.#peers.keys()];
  }

  get access(): Access {
    return this.#access!;
  }

  get kubeconfig(): string {
    return join(this.folder, 'admin.kubeconfig');
  }

  url(name: string): string {
    return `https://127.0.0.1:${this.#peer(name).port}`;
  }

  peerUrl(name: string): string {
    return this.#peer(name).peerUrl;
  }

  dataDir(name: string): string {
    return this.#peer(name).dataDir;
  }

  pid(name: string): number {
    return this.#peer(name).child!.pid!;
  }

  isUp(name: string): boolean {
    return this.#peer(name).child !== undefined;
  }

  #peer(name: string): Peer {
    return this.#peers.get(name)!;
  }

  /** A single peer has no network, as `make run` starts it. */
  get #isAlone(): boolean {
    return this.#options.names?.length === 1;
  }

  /** Starts a peer. Resolves when it serves. */
  async up(name: string, further: readonly string[] = []): Promise<void> {
    const peer = this.#peer(name);
    if (peer.child !== undefined) return;
    const founders = [...this.#peers.values()].filter((p) => p.args.length === 0 || p === peer);
    const flags = {
      'data-dir': peer.dataDir,
      'secure-port': peer.port,
      name,
      ...(this.#isAlone
        ? {}
        : {
            'initial-cluster': founders.map((p) => `${p.name}=${p.peerUrl}`).join(','),
            'listen-peer-urls': `https://127.0.0.1:${peer.peerPort}`,
            'initial-advertise-peer-urls': peer.peerUrl,
          }),
      'log-level': 'info',
      'shutdown-grace-duration': '2s',
    };
    const args = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    const child = spawn(
      process.execPath,
      [peer.main, ...args, ...(this.#options.args ?? []), ...peer.args, ...further],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...this.#options.env?.(name) },
      },
    );
    peer.child = child;
    peer.pid = child.pid;
    peer.paused = false;
    peer.out = '';
    const ready = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`peer ${name} was not ready in time\n${this.outputs()}`)),
        START_TIME,
      );
      const take = (text: string): void => {
        if (peer.out.length < OUT_MAX) peer.out += text;
        if (text.includes('trireme ready on')) {
          clearTimeout(timer);
          resolve();
        }
      };
      child.stdout!.setEncoding('utf8').on('data', take);
      child.stderr!.setEncoding('utf8').on('data', take);
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        if (peer.pid === child.pid) peer.pid = undefined;
        if (peer.child === child) {
          peer.child = undefined;
          this.deaths.push(`peer ${name} exited unexpectedly (${code ?? signal}): ${peer.out.slice(-1000)}`);
        }
        reject(new Error(`peer ${name} ended (${code ?? signal})\n${peer.out.slice(-1000)}`));
      });
    });
    return ready;
  }

  /** Replaces the program of a peer: stops it, and starts another build on its data. */
  async replace(name: string, build: string): Promise<void> {
    await this.stop(name);
    this.#peer(name).main = mainOf(build);
    await this.up(name);
  }

  output(name: string): string {
    return this.#peer(name).out;
  }

  /** Sends SIGKILL. Resolves when the process has exited. */
  kill(name: string): Promise<void> {
    return this.#down(name, 'SIGKILL');
  }

  /** Sends SIGTERM. Resolves when the process has exited in order. */
  stop(name: string): Promise<void> {
    return this.#down(name, 'SIGTERM');
  }

  /** Resolves when the process of this peer exits, for any reason. */
  ending(name: string): Promise<void> {
    const { child } = this.#peer(name);
    return new Promise((resolve) => (isGone(child) ? resolve() : child!.once('exit', () => resolve())));
  }

  /** Does something that peers cannot survive, then sends SIGKILL. An earlier exit is expected, too. */
  async crash(names: readonly string[], what: () => Promise<void>): Promise<void> {
    const taken = names.map((name) => ({ name, child: this.#peer(name).child }));
    for (const { name } of taken) this.#peer(name).child = undefined;
    try {
      await what();
    } finally {
      for (const { name, child } of taken) this.#peer(name).child = isGone(child) ? undefined : child;
      await Promise.all(names.map((name) => this.kill(name)));
    }
  }

  async #down(name: string, signal: NodeJS.Signals): Promise<void> {
    const peer = this.#peer(name);
    const { child } = peer;
    if (child === undefined) return;
    peer.child = undefined;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (peer.paused) child.kill('SIGCONT');
    peer.paused = false;
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIME);
    await gone;
    clearTimeout(timer);
  }

  pause(name: string): void {
    const peer = this.#peer(name);
    if (peer.child?.kill('SIGSTOP') === true) peer.paused = true;
  }

  resume(name: string): void {
    const peer = this.#peer(name);
    peer.child?.kill('SIGCONT');
    peer.paused = false;
  }

  /** Blocks all bytes from the first to the second peer of each pair. */
  cut(pairs: readonly (readonly [string, string])[]): void {
    for (const [from, to] of pairs) this.#cuts.add(`${from}>${to}`);
    for (const { proxy } of this.#peers.values()) proxy?.changed();
  }

  /** Unblocks all directions. With `drop`, the bytes held back are lost instead of delayed. */
  heal(drop: boolean): void {
    const cuts = new Set(this.#cuts);
    this.#cuts.clear();
    for (const { name, proxy } of this.#peers.values())
      proxy?.changed((from) => drop && (cuts.has(`${from}>${name}`) || cuts.has(`${name}>${from}`)));
  }

  status(name: string): Promise<PeerStatus> {
    return statusOf({ ...this.access, endpoints: [] }, this.url(name));
  }

  /** Waits for a leader and returns the name of the one with the highest term. */
  async leader(patience = 60_000): Promise<string> {
    const end = performance.now() + patience;
    for (;;) {
      const up = this.names.filter((name) => this.isUp(name) && !this.#peer(name).paused);
      const said = await Promise.allSettled(up.map((name) => this.status(name)));
      const leaders = said
        .flatMap((s) => (s.status === 'fulfilled' && s.value.role === 'leader' ? [s.value] : []))
        .sort((x, y) => y.term - x.term);
      if (leaders.length > 0) return leaders[0]!.name;
      if (performance.now() > end) throw new Error(`no leader: ${JSON.stringify(said).slice(0, 2000)}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Starts a further peer that was added with this URL. */
  async planJoin(name: string): Promise<string> {
    const peer = await this.#plan(name, JOINING);
    await this.#makeFolders();
    return peer.peerUrl;
  }

  /** Adds a removed or unusable peer as a new member, with an empty disk. */
  async rejoin(name: string): Promise<void> {
    const peer = this.#peer(name);
    await this.kill(name);
    for (const entry of readdirSync(peer.dataDir)) rmSync(join(peer.dataDir, entry), { recursive: true });
    peer.args = JOINING;
    await this.#makeFolders();
    const added = await this.ctl('member', 'add', name, `--peer-urls=${peer.peerUrl}`);
    if (added.code !== 0) throw new Error(added.out);
    await this.up(name);
  }

  /** Stops a removed peer and forgets it. */
  async forget(name: string): Promise<void> {
    await this.kill(name);
    await this.#peer(name).proxy?.close();
    this.#options.disks?.detach(this.dataDir(name));
    rmSync(this.dataDir(name), { recursive: true, force: true });
    this.#peers.delete(name);
  }

  /** Runs triremectl. */
  ctl(...args: readonly string[]): Promise<{ readonly code: number | null; readonly out: string }> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [ctl, ...args, '--kubeconfig', this.kubeconfig]);
      let out = '';
      child.stdout.setEncoding('utf8').on('data', (text) => (out += text));
      child.stderr.setEncoding('utf8').on('data', (text) => (out += text));
      child.once('close', (code) => resolve({ code, out }));
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.names.map((name) => this.kill(name)));
    await Promise.all([...this.#peers.values()].map((p) => p.proxy?.close()));
    for (const name of this.names) this.#options.disks?.detach(this.dataDir(name));
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The output of all peers, for a report. */
  outputs(): string {
    return this.names.map((name) => `--- ${name}\n${this.output(name).slice(-4000)}`).join('\n');
  }
}

const JOINING = ['--initial-cluster-state=existing'];
const OUT_MAX = 1024 * 1024;

function isGone(child: ChildProcess | undefined): boolean {
  return child === undefined || child.exitCode !== null || child.signalCode !== null;
}
