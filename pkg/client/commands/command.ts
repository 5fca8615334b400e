import type { Access } from '../access.js';
import type { Arguments } from '../arguments.js';

/** The arguments of a command. */
export interface Context {
  readonly args: Arguments;
  readonly json: boolean;
  /** Reads the kubeconfig. Commands that work on files do not need one. */
  access(): Access;
  print(text: string): void;
  readonly offline: Offline;
}

/** Operations on files, implemented in packages that this one does not import. */
export interface Offline {
  snapshotStatus(file: string): Promise<{
    readonly revision: number;
    readonly compacted: number;
    readonly rows: number;
    readonly bytes: number;
    readonly hash: string;
  }>;
  /** Reads a saved snapshot or a data directory. */
  inspect(path: string): Promise<{
    readonly meta: { readonly applied: number; readonly compacted: number };
    readonly keys: number;
    readonly changes: number;
    readonly prefixes: readonly { readonly prefix: string; readonly keys: number; readonly bytes: number }[];
    readonly problems: readonly string[];
  }>;
  /** One key of it, at a revision; undefined if it did not exist then. */
  find(
    path: string,
    key: string,
    revision: number | undefined,
  ): Promise<{ readonly createRevision: number; readonly modRevision: number; readonly value: Uint8Array } | undefined>;
  /** The names of the built-in controllers, as kube-controller-manager has them. */
  controllers(): Promise<Iterable<string>>;
  /** A request for a client certificate and its private key, PEM. */
  requestCertificate(subject: {
    readonly commonName: string;
    readonly organizations: readonly string[];
  }): Promise<{ readonly request: string; readonly key: string }>;
  /** A kubeconfig for one user, with a context for each server. */
  kubeconfigText(parts: KubeconfigParts): Promise<string>;
  /** Writes a new file that only its owner can read. */
  writeSecret(file: string, text: string): Promise<void>;
  restore(request: RestoreRequest): Promise<{ readonly clusterId: string; readonly revision: number }>;
  makeFolders(
    folder: string,
    peers: readonly { readonly name: string; readonly serverUrl: string; readonly peerUrl: string }[],
  ): Promise<{ readonly kubeconfig: string; readonly dataDirs: readonly string[] }>;
}

export type KubeconfigParts = {
  readonly url: string;
  /** Further servers, each with the name of its context. */
  readonly others: readonly { readonly name: string; readonly url: string }[];
  /** PEM. */
  readonly ca: string;
  readonly user: string;
} & ({ readonly cert: string; readonly key: string } | { readonly token: string });

export interface RestoreRequest {
  readonly file: string;
  readonly dataDir: string;
  readonly name: string;
  readonly initialCluster: readonly { readonly name: string; readonly peerUrls: readonly string[] }[];
  readonly token: string | undefined;
}

export interface Command {
  /** The words of the command: `member add`. */
  readonly name: string;
  /** The arguments, for the help: `ID`. */
  readonly takes: string;
  readonly help: string;
  /** Flags of this command only, with their help. */
  readonly flags?: readonly (readonly [string, string])[];
  /** The number of arguments. */
  readonly words: number;
  /** Resolves to the exit code. */
  run(context: Context, words: readonly string[]): Promise<number>;
}

/** Prints a result: the value with `-o json`, otherwise its text. */
export function show(context: Context, value: unknown, text: () => string): number {
  context.print(context.json ? `${JSON.stringify(value, null, 2)}\n` : text());
  return 0;
}
