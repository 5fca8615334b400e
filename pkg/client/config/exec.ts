import { spawn } from 'node:child_process';
import { isObject, type JsonValue, versionKindProblem } from '../../api/index.js';
import type { Clock } from '../../base/index.js';
import { jsonText, readBody, wireTime } from '../../codec/index.js';
import { ClientError } from '../error.js';
import type { ExecEntry } from './kubeconfig.js';

/** The cluster as a plug-in sees it (`provideClusterInfo`). */
export interface ExecCluster {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  /** Base64. */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  /** The extension `client.authentication.k8s.io/exec` of the cluster. */
  readonly config?: JsonValue;
}

export interface ExecParts {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the standard input is a terminal that a plug-in may use. */
  readonly isTerminal: boolean;
}

export interface ExecCredential {
  readonly token: string | undefined;
  readonly certificate: { readonly cert: string; readonly key: string } | undefined;
}

/** Go's zero time, which is in the past. */
const ZERO_TIME = '0001-01-01T00:00:00Z';
/** The texts of a credential. */
const STATUS_TEXTS = ['token', 'clientCertificateData', 'clientKeyData', 'expirationTimestamp'] as const;

const GROUP = 'client.authentication.k8s.io';
const VERSIONS: ReadonlySet<string> = new Set([`${GROUP}/v1`, `${GROUP}/v1beta1`]);
/** Bytes of the output of a plug-in. */
const OUTPUT_MAX = 4 * 1024 * 1024;

/**
 * An exec credential plug-in. It runs once for all requests that wait for credentials; the result is kept until its `expirationTimestamp`, or
 * until a server has refused it.
 */
export class ExecPlugin {
  readonly #entry: ExecEntry;
  readonly #folder: string;
  readonly #cluster: ExecCluster;
  readonly #parts: ExecParts;
  #running: Promise<ExecCredential> | undefined;
  #credential: ExecCredential | undefined;
  /** Milliseconds since the epoch; undefined if the credential does not expire. */
  #expires: number | undefined;

  /** `user` is the name of the user in messages. Throws `ClientError` for an invalid entry. */
  constructor(entry: ExecEntry, user: string, folder: string, cluster: ExecCluster, parts: ExecParts) {
    const problem = problemOf(entry, user);
    if (problem !== undefined) throw new ClientError(`invalid configuration: ${problem}`);
    this.#entry = entry;
    this.#folder = folder;
    this.#cluster = cluster;
    this.#parts = parts;
  }

  /** Returns the present credential, or runs the plug-in. Throws `ClientError`. */
  async credential(): Promise<ExecCredential> {
    const now = this.#parts.clock.now();
    if (this.#credential !== undefined && (this.#expires === undefined || now <= this.#expires))
      return this.#credential;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** A server has refused this credential: the plug-in runs again, unless that has happened since. */
  refused(credential: ExecCredential): void {
    if (this.#credential === credential) this.#credential = undefined;
  }

  async #run(): Promise<ExecCredential> {
    const { apiVersion, provideClusterInfo } = this.#entry;
    const interactive = this.#interactive();
    const info = {
      kind: 'ExecCredential',
      apiVersion,
      spec: { ...(provideClusterInfo === true ? { cluster: this.#cluster } : {}), interactive },
    };
    const output = await this.#output(JSON.stringify(info), interactive);
    const { credential, expires } = read(output, apiVersion!);
    this.#credential = credential;
    this.#expires = expires;
    return credential;
  }

  #interactive(): boolean {
    const { isTerminal } = this.#parts;
    const mode = modeOf(this.#entry);
    if (mode === 'Always' && !isTerminal)
      throw new ClientError(
        'getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal',
      );
    return mode !== 'Never' && isTerminal;
  }

  #output(info: string, interactive: boolean): Promise<string> {
    const { command, args, env, installHint } = this.#entry;
    // A command with a slash that is not absolute is relative to the file.
    const file = command!.includes('/') && !command!.startsWith('/') ? `${this.#folder}/${command}` : command!;
    const own = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
    return new Promise((resolve, reject) => {
      const child = spawn(file, args ?? [], {
        env: { ...this.#parts.env, ...own, KUBERNETES_EXEC_INFO: info },
        stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
      });
      const pieces: Buffer[] = [];
      let bytes = 0;
      child.stdout!.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > OUTPUT_MAX) child.kill();
        else pieces.push(piece);
      });
      child.once('error', (error: NodeJS.ErrnoException) => {
        const hint =
          installHint === undefined || installHint === null || installHint === '' ? '' : `\n\n${installHint}`;
        const isMissing = error.code === 'ENOENT';
        const message = isMissing ? `exec: executable ${command} not found${hint}` : `exec: ${error.message}`;
        reject(new ClientError(`getting credentials: ${message}`));
      });
      child.once('close', (code, signal) => {
        if (bytes > OUTPUT_MAX)
          reject(new ClientError('getting credentials: the output of the exec plugin is too long'));
        else if (code === 0) resolve(Buffer.concat(pieces).toString());
        else
          reject(
            new ClientError(`getting credentials: exec: executable ${command} failed with exit code ${code ?? signal}`),
          );
      });
    });
  }
}

/** The default of v1beta1 is IfAvailable; v1 has none. */
function modeOf({ apiVersion, interactiveMode }: ExecEntry): string {
  const mode = interactiveMode ?? '';
  return mode === '' && apiVersion === `${GROUP}/v1beta1` ? 'IfAvailable' : mode;
}

function problemOf(entry: ExecEntry, user: string): string | undefined {
  const { apiVersion, command, env } = entry;
  const needed = (what: string): string => `${what} must be specified for ${user} to use exec authentication plugin`;
  if ((command ?? '') === '') return needed('command');
  if ((apiVersion ?? '') === '') return needed('apiVersion');
  if ((env ?? []).some(({ name }) => name === '')) return needed('env variable name');
  const mode = modeOf(entry);
  if (mode === '') return needed('interactiveMode');
  if (!['Never', 'IfAvailable', 'Always'].includes(mode))
    return `invalid interactiveMode for ${user}: ${JSON.stringify(mode)}`;
  if (!VERSIONS.has(apiVersion!)) return `exec plugin: invalid apiVersion ${JSON.stringify(apiVersion)}`;
  return undefined;
}

function read(
  output: string,
  apiVersion: string,
): { readonly credential: ExecCredential; readonly expires: number | undefined } {
  const fail = (why: string): ClientError => new ClientError(`getting credentials: ${why}`);
  const undecoded = (why: string): ClientError => fail(`decoding stdout: ${why}`);
  // A text that begins with a brace is JSON, and any other YAML.
  const isJson = /^\s*\{/.test(output);
  const parsed = readBody({ bytes: Buffer.from(output), encoding: isJson ? 'json' : 'yaml' });
  if (!parsed.ok)
    throw undecoded(isJson ? `couldn't get version/kind; json parse error: ${parsed.message}` : parsed.message);
  // Nothing at all is an object without fields.
  const value = parsed.value ?? {};
  if (!isObject(value)) throw undecoded(versionKindProblem(jsonType(value)));
  const { kind = 'ExecCredential' } = value;
  if (kind !== 'ExecCredential')
    throw undecoded(
      `no kind ${jsonText(kind)} is registered for version ${jsonText(value['apiVersion'] ?? '')} in scheme "pkg/runtime/scheme.go:111"`,
    );
  if (value['apiVersion'] !== apiVersion)
    throw fail(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${String(value['apiVersion'] ?? `${GROUP}/__internal`)}`,
    );
  const status: JsonValue | undefined = value['status'];
  if (!isObject(status)) throw fail("exec plugin didn't return a status field");
  const [token, cert, key, expiration] = STATUS_TEXTS.map((name) => {
    const text = status[name] ?? '';
    if (typeof text === 'string') return text;
    throw undecoded(
      `json: cannot unmarshal ${jsonType(text)} into Go struct field ExecCredentialStatus.status.${name} of type string`,
    );
  });
  const end = expiration === '' ? undefined : wireTime(expiration!);
  if (end?.ok === false) throw undecoded(end.message);
  if (token === '' && cert === '' && key === '') throw fail("exec plugin didn't return a token or cert/key pair");
  if ((cert === '') !== (key === '')) throw fail('exec plugin returned only certificate or key, not both');
  const certificate = cert === '' ? undefined : { cert: cert!, key: key! };
  return {
    credential: { token: token === '' ? undefined : token, certificate },
    expires: end === undefined ? undefined : Date.parse(end.text ?? ZERO_TIME),
  };
}

/** The type of a value in errors of Go. */
function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (isObject(value)) return 'object';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'number';
}
