import type { Entry } from '../../../raft/index.js';
import type { ApplyResult, IndexedEntry, StateHashes, StateMachine, TxnResult } from '../../storage/index.js';
import type { PeerMetrics } from '../common/index.js';

/** The proposals of this peer, which get their results when their entries are applied. */
export interface AppliedProposals {
  /** Entries of `term` are about to be applied. */
  reached(term: number): void;
  /** The command of a normal entry that is about to be applied, and the callback for its outcome. */
  applying(data: Uint8Array): { readonly command: Buffer; readonly answer: ((result: TxnResult) => void) | undefined };
}

export interface ApplierPorts {
  readonly proposals: AppliedProposals;
  readonly metrics: PeerMetrics;
  /** Milliseconds, monotonic. */
  now(): number;
  /** Everything up to `index` is applied and readable here, and its events have been delivered. */
  applied(index: number): void;
  /** A `check` entry: the state's hashes as of `index`. */
  checked(index: number, hashes: StateHashes): void;
  /** A malformed entry was applied, which changes nothing. */
  malformed(why: string): void;
  /** A membership entry was committed. */
  memberEntry(entry: Entry): void;
  fail(error: unknown): void;
}

const NOTHING = Buffer.alloc(0);
const SLOW_APPLY_MS = 100;

/**
 * Applies committed entries to the state machine in order, and resolves the proposals among them. The machine decides
 * each entry synchronously and has no limit of its own; the consensus core limits the entries in flight
 * (`applyingBytesMax`).
 */
export class Applier {
  readonly #ports: ApplierPorts;
  #machine: StateMachine;
  #running: Promise<unknown> = Promise.resolve();

  constructor(machine: StateMachine, ports: ApplierPorts) {
    this.#machine = machine;
    this.#ports = ports;
  }

  push(entries: readonly Entry[]): void {
    const { proposals, metrics, now } = this.#ports;
    const started = now();
    const batch: IndexedEntry[] = [];
    const answers: (((result: TxnResult) => void) | undefined)[] = [];
    for (const entry of entries) {
      proposals.reached(entry.term);
      if (entry.kind === 'config') this.#ports.memberEntry(entry);
      const { command, answer } = entry.kind === 'normal' ? proposals.applying(entry.data) : NO_COMMAND;
      batch.push({ index: entry.index, data: command });
      answers.push(answer);
    }
    const done = this.#machine.apply(batch).then((results) => {
      const elapsed = now() - started;
      metrics.apply.observe(elapsed / 1000);
      if (elapsed > SLOW_APPLY_MS) metrics.slowApplies++;
      for (const [i, result] of results.entries()) this.#settle(result, answers[i]);
      this.#ports.applied(batch.at(-1)!.index);
    });
    this.#running = done.catch((error: unknown) => this.#ports.fail(error));
  }

  #settle(result: ApplyResult, answer: ((result: TxnResult) => void) | undefined): void {
    switch (result.kind) {
      case 'committed':
        this.#ports.metrics.txns++;
        answer?.(result);
        break;
      case 'conflict':
        this.#ports.metrics.txns++;
        answer?.(result);
        break;
      case 'checked':
        this.#ports.checked(result.revision, result);
        answer?.({ kind: 'committed', revision: result.revision });
        break;
      case 'malformed':
        this.#ports.malformed(result.message);
        answer?.({ kind: 'unknown', message: `the log holds a malformed entry: ${result.message}` });
        break;
      case 'noop':
        break;
    }
  }

  /** Resolves when everything pushed so far is applied. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** Continues with the state machine of a snapshot. */
  replace(machine: StateMachine): void {
    this.#machine = machine;
  }
}

const NO_COMMAND = { command: NOTHING, answer: undefined } as const;
