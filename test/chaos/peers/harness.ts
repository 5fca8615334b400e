import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PeerConfig, PeerReport } from '../../../pkg/peer/index.js';
import { testPeerCa } from '../../../pkg/peer/testing/certs.js';
import { freePorts } from '../../../pkg/peer/testing/ports.js';
import type { KeyspaceStatus, TxnResult } from '../../../pkg/storage/index.js';

const here = dirname(fileURLToPath(import.meta.url));
const built = join(here, '../../../dist/pkg/peer/index.js');

/** Whether there is a compiled program to run. Logs a line if there is none. */
export function canRun(): boolean {
  if (existsSync(built)) return true;
  process.stdout.write('peers in processes are not tested: dist/ is missing\n');
  return false;
}

export type ReadAnswer =
  | { readonly kind: 'ok'; readonly value: string | null; readonly revision: number }
  | { readonly kind: 'refused' | 'compacted' | 'future' };

export type JsonOp =
  | { readonly kind: 'put'; readonly key: string; readonly value: string }
  | { readonly kind: 'delete'; readonly key: string };

/** The call certainly had no effect: it was not sent, or was rejected. */
export class NotDone extends Error {
  override readonly name = 'NotDone';
}

/** The process of one peer. */
export class PeerProcess {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #started: Promise<void>;
  readonly gone: Promise<void>;
  fatal: string | undefined;
  #lastId = 0;
  #dead = false;

  /** `wrapper`: a command that runs it, such as strace. */
  constructor(wrapper: readonly string[] = []) {
    const command = [...wrapper, process.execPath, join(here, 'child.mjs'), built];
    this.#child = spawn(command[0]!, command.slice(1), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    let started = (): void => {};
    this.#started = new Promise((resolve) => {
      started = resolve;
    });
    this.gone = new Promise((resolve) => {
      this.#child.on('exit', () => {
        this.#dead = true;
        for (const { reject } of this.#waiting.values()) reject(new Error('the process is gone'));
        this.#waiting.clear();
        resolve();
      });
    });
    this.#child.on('error', () => {});
    this.#child.on('message', (message: { id?: number; value?: unknown; error?: string; fatal?: string }) => {
      if (message.fatal !== undefined) this.fatal = message.fatal;
      if (message.id === undefined) return started();
      const waiting = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      if (message.error === undefined) waiting?.resolve(message.value);
      else waiting?.reject(new NotDone(message.error));
    });
  }

  async #call<T>(name: string, argument?: unknown): Promise<T> {
    await Promise.race([this.#started, this.gone]);
    if (this.#dead) throw new NotDone('the process is gone');
    const id = ++this.#lastId;
    return new Promise<T>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#child.send({ id, name, argument }, () => {});
    });
  }

  open(config: Partial<PeerConfig>): Promise<void> {
    return this.#call('open', config);
  }

  put(key: string, value: string): Promise<TxnResult> {
    return this.txn([{ kind: 'put', key, value }]);
  }

  txn(ops: readonly JsonOp[], compares: readonly { key: string; modRevision: number }[] = []): Promise<TxnResult> {
    return this.#call('txn', { compares, ops });
  }

  get(key: string): Promise<ReadAnswer> {
    return this.#call('get', key);
  }

  all(): Promise<readonly (readonly [string, string, number])[]> {
    return this.#call('all');
  }

  compact(revision: number): Promise<TxnResult> {
    return this.#call('compact', revision);
  }

  status(): Promise<KeyspaceStatus> {
    return this.#call('status');
  }

  report(): Promise<PeerReport> {
    return this.#call('report');
  }

  close(): Promise<void> {
    return this.#call('close');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.gone;
  }
}

export interface Folder {
  readonly path: string;
  remove(): void;
}

export function folder(): Folder {
  const path = mkdtempSync(join(tmpdir(), 'trireme-chaos-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Where a peer listens, and the command that runs it there. */
export interface Place {
  readonly address: string;
  readonly port: number;
  readonly wrapper: readonly string[];
}

/** The processes of three peers, which can be killed and restarted. */
export class ProcessCluster {
  readonly peers: PeerProcess[] = [];
  readonly #configs: readonly Partial<PeerConfig>[];
  readonly #places: readonly Place[];

  private constructor(configs: readonly Partial<PeerConfig>[], places: readonly Place[]) {
    this.#configs = configs;
    this.#places = places;
  }

  /** `places`: the location of each peer; all on loopback by default. */
  static async start(root: string, over: Partial<PeerConfig> = {}, places?: readonly Place[]): Promise<ProcessCluster> {
    const lived = places ?? (await freePorts(3)).map((port) => ({ address: '127.0.0.1', port, wrapper: [] }));
    const ca = await testPeerCa(lived.map(({ address }) => address));
    const initialCluster = lived.map(({ address, port }, i) => ({
      name: `peer${i}`,
      peerUrls: [`https://${address}:${port}`],
    }));
    const configs = await Promise.all(
      initialCluster.map(async ({ name, peerUrls }) => ({
        heartbeatMs: 50,
        electionMs: 500,
        name,
        initialCluster,
        dataDir: join(root, name),
        network: { listenUrls: peerUrls, advertiseUrls: peerUrls, tls: await ca.issue(name) },
        ...over,
      })),
    );
    const cluster = new ProcessCluster(configs, lived);
    await Promise.all(configs.map((_, i) => cluster.open(i)));
    return cluster;
  }

  async open(i: number): Promise<PeerProcess> {
    const peer = new PeerProcess(this.#places[i]!.wrapper);
    this.peers[i] = peer;
    await peer.open(this.#configs[i]!);
    return peer;
  }

  /** The index of the leader; waits for one. */
  async leader(): Promise<number> {
    for (let n = 0; n < 400; n++) {
      for (const [i, peer] of this.peers.entries()) {
        const status = await peer.status().catch(() => undefined);
        if (status?.isLeader && (await peer.get('/none').catch(() => undefined))?.kind === 'ok') return i;
      }
      await pause(50);
    }
    throw new Error('no leader was elected');
  }

  async stop(): Promise<void> {
    await Promise.all(this.peers.map((peer) => peer.kill()));
  }
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
