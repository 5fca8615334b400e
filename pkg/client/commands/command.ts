import type { Access } from '../access.js';
import type { Arguments } from '../arguments.js';

/** What a command is given. */
export interface Context {
  readonly args: Arguments;
  readonly json: boolean;
  /** Reads the kubeconfig: only commands that speak to a cluster do. */
  access(): Access;
  print(text: string): void;
  readonly offline: Offline;
}

/** What is done without any server; it lives in rooms that this one does not know. */
export interface Offline {
  snapshotStatus(file: string): Promise<{
    readonly revision: number;
    readonly compacted: number;
    readonly rows: number;
    readonly bytes: number;
    readonly hash: string;
  }>;
  restore(request: RestoreRequest): Promise<{ readonly clusterId: string; readonly revision: number }>;
  makeFolders(
    folder: string,
    peers: readonly { readonly name: string; readonly serverUrl: string; readonly peerUrl: string }[],
  ): Promise<{ readonly kubeconfig: string; readonly dataDirs: readonly string[] }>;
}

export interface RestoreRequest {
  readonly file: string;
  readonly dataDir: string;
  readonly name: string;
  readonly initialCluster: readonly { readonly name: string; readonly peerUrls: readonly string[] }[];
  readonly token: string | undefined;
}

export interface Command {
  /** The words that call it: `member add`. */
  readonly name: string;
  /** What follows them, for the help: `ID`. */
  readonly takes: string;
  readonly help: string;
  /** The flags that only this command has, with their help. */
  readonly flags?: readonly (readonly [string, string])[];
  /** How many words follow. */
  readonly words: number;
  /** Resolves to the exit code. */
  run(context: Context, words: readonly string[]): Promise<number>;
}

/** Shows what was found or done: the value itself with `-o json`, else its text. */
export function show(context: Context, value: unknown, text: () => string): number {
  context.print(context.json ? `${JSON.stringify(value, null, 2)}\n` : text());
  return 0;
}
