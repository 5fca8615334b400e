import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const main = join(root, 'dist', 'cmd', 'apiserver', 'main.js');

/** Whether the program is built. Tests that start the process need it (`make test` builds first). */
export const isBuilt = existsSync(main);

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly err: string;
}

/** Overrides of the environment; undefined removes a variable. */
export type Environment = Readonly<Record<string, string | undefined>>;

const START_TIME = 60_000;

/** The built server in its own process. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<Ended>;
  #out = '';
  #err = '';
  url = '';
  kubeconfig = '';
  readonly dataDir: string;

  private constructor(dataDir: string, port: number, args: readonly string[], env: Environment = {}) {
    this.dataDir = dataDir;
    this.#child = spawn(
      process.execPath,
      [main, '--data-dir', dataDir, '--secure-port', String(port), '--log-level', 'error', ...args],
      { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
    );
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#err += text;
    });
    this.#ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => resolve({ code, signal, out: this.#out, err: this.#err }));
    });
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** Resolves when the server reports that it is ready. */
  static async start(
    dataDir: string,
    port = 0,
    args: readonly string[] = [],
    env: Environment = {},
  ): Promise<ServerProcess> {
    if (!isBuilt) throw new Error('dist/ is missing: npm run build');
    const server = new ServerProcess(dataDir, port, args, env);
    const ready = new Promise<void>((resolve) => {
      server.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
        server.#out += text;
        const m = /^trireme ready on (\S+) in \d+ ms\nexport KUBECONFIG=(.+)\n/m.exec(server.#out);
        if (m === null) return;
        server.url = m[1]!;
        server.kubeconfig = m[2]!;
        resolve();
      });
    });
    const failed = server.#ended.then((e) => {
      throw new Error(`the server ended with ${e.code ?? e.signal}\n${e.err}${e.out}`);
    });
    const late = new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`the server was not ready in time\n${server.#err}`)), START_TIME).unref();
    });
    failed.catch(() => {});
    late.catch(() => {});
    await Promise.race([ready, failed, late]);
    return server;
  }

  /** For starts that must fail. */
  static run(dataDir: string, port: number, args: readonly string[] = []): Promise<Ended> {
    const server = new ServerProcess(dataDir, port, args);
    server.#child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      server.#out += text;
    });
    const timer = setTimeout(() => server.#child.kill('SIGKILL'), START_TIME);
    return server.#ended.finally(() => clearTimeout(timer));
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  get ended(): Promise<Ended> {
    return this.#ended;
  }

  async stop(): Promise<Ended> {
    this.#child.kill('SIGTERM');
    return this.#ended;
  }

  async kill(): Promise<Ended> {
    this.#child.kill('SIGKILL');
    return this.#ended;
  }
}
