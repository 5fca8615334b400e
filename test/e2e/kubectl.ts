import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** The kubectl programs of this machine: the one in PATH, and other versions next to it (`kubectl.1.27`). */
export interface Kubectl {
  readonly file: string;
  /** `1.27`, or `path` for the one in PATH. */
  readonly version: string;
}

export function findKubectls(): readonly Kubectl[] {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'kubectl'))
    .find((file) => existsSync(file));
  if (found === undefined) return [];
  const folder = dirname(realpathSync(found));
  const beside = readdirSync(folder)
    .map((name) => /^kubectl\.(\d+)\.(\d+)$/.exec(name))
    .filter((m) => m !== null)
    .sort((a, b) => Number(a[1]) - Number(b[1]) || Number(a[2]) - Number(b[2]))
    .map((m) => ({ file: join(folder, m[0]), version: `${m[1]}.${m[2]}` }));
  return [...beside, { file: found, version: 'path' }];
}

/** The oldest and the newest versions, for all tests; the one in PATH if there are no others. */
export function oldestAndNewest(): readonly Kubectl[] {
  const all = findKubectls();
  const numbered = all.filter((k) => k.version !== 'path');
  if (numbered.length === 0) return all;
  return numbered.length === 1 ? numbered : [numbered[0]!, numbered[numbered.length - 1]!];
}

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const RUN_TIME = 60_000;

/** kubectl with its own kubeconfig and home folder, so that its caches are separate from those of the user and of other servers. */
export class KubectlRunner {
  readonly #kubectl: Kubectl;
  readonly #kubeconfig: string;
  readonly #home: string;

  constructor(kubectl: Kubectl, kubeconfig: string) {
    this.#kubectl = kubectl;
    this.#kubeconfig = kubeconfig;
    this.#home = mkdtempSync(join(tmpdir(), 'trireme-kubectl-'));
  }

  /** A temporary folder, removed with this runner. */
  get home(): string {
    return this.#home;
  }

  get version(): string {
    return this.#kubectl.version;
  }

  get environment(): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.#home,
      KUBECONFIG: this.#kubeconfig,
      KUBECACHEDIR: join(this.#home, 'cache'),
      KUBECTL_COMMAND_HEADERS: 'false',
    };
  }

  /** Runs a command, which may fail. */
  run(args: readonly string[], input?: string, environment: Record<string, string> = {}): Promise<Ran> {
    return new Promise((resolve) => {
      const child = execFile(
        this.#kubectl.file,
        args,
        { env: { ...this.environment, ...environment }, timeout: RUN_TIME, maxBuffer: 64 << 20 },
        (error, out, err) => {
          const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
          resolve({ code, out, err });
        },
      );
      if (input !== undefined) child.stdin?.end(input);
      else child.stdin?.end();
    });
  }

  /** Runs a command that must succeed, and returns its output. Text is split at spaces; pass a list for arguments with spaces. */
  async ok(command: string | readonly string[], input?: string, environment?: Record<string, string>): Promise<string> {
    const args = typeof command === 'string' ? command.split(' ') : command;
    const ran = await this.run(args, input, environment);
    if (ran.code !== 0) throw new Error(`kubectl ${args.join(' ')}: exit ${ran.code}\n${ran.err}\n${ran.out}`);
    return ran.out;
  }

  /** Runs a command that must fail, and returns its error output. */
  async fails(command: string | readonly string[], input?: string): Promise<string> {
    const args = typeof command === 'string' ? command.split(' ') : command;
    const ran = await this.run(args, input);
    if (ran.code === 0) throw new Error(`kubectl ${args.join(' ')} did not fail\n${ran.out}`);
    return ran.err;
  }

  /** Starts a long-running command, such as a watch. */
  start(args: readonly string[]): Streaming {
    return new Streaming(this.#kubectl.file, args, this.environment);
  }

  close(): void {
    rmSync(this.#home, { recursive: true, force: true });
  }
}

/** The output of a long-running command. */
export class Streaming {
  readonly #child;
  #text = '';
  #wake: () => void = () => {};

  constructor(file: string, args: readonly string[], env: Record<string, string>) {
    this.#child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    this.#child.stdout.setEncoding('utf8');
    this.#child.stdout.on('data', (text: string) => {
      this.#text += text;
      this.#wake();
    });
  }

  /** Waits until the output matches `pattern`. */
  async until(pattern: RegExp, milliseconds = 60_000): Promise<string> {
    const end = performance.now() + milliseconds;
    while (!pattern.test(this.#text)) {
      const left = end - performance.now();
      if (left <= 0) throw new Error(`no ${pattern} in:\n${this.#text}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#text;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) resolve();
      else {
        this.#child.once('exit', () => resolve());
        this.#child.kill('SIGTERM');
      }
    });
  }
}
