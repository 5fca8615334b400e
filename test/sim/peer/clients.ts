// The clients of a simulated cluster: they write, read and watch through any peer, and record what they saw in the history.

import { revision } from '../../../pkg/base/index.js';
import type { Peer } from '../../../pkg/peer/index.js';
import type { Op, Txn, TxnResult } from '../../../pkg/storage/index.js';
import { CheckFailed } from '../checker.js';
import type { SimulatedCluster } from './cluster.js';
import type { Begun, History } from './history.js';
import type { Machine } from './machine.js';
import type { Process } from './process.js';

/** Keys whose values may expire. No client deletes them. */
const EXPIRING = '/e';
const EXPIRES_AFTER_MS_MAX = 3000;

export class Clients {
  readonly #cluster: SimulatedCluster;
  /** Operations in progress, with the process that handles them. */
  readonly #pending = new Map<number, { readonly process: Process; readonly what: string }>();
  /** The newest revision of each key that a client saw. */
  readonly #lastSeen = new Map<string, number>();

  constructor(cluster: SimulatedCluster) {
    this.#cluster = cluster;
  }

  /** Plans one operation after the other, until the faults end. */
  plan(): void {
    const { events, random, profile } = this.#cluster;
    events.after(random.unit() * 2 * profile.operationMs, () => {
      if (this.#cluster.atPeace) return;
      if (random.chance(profile.reads)) {
        if (random.chance(0.2)) this.readPast();
        else this.read();
      } else this.write();
      this.plan();
    });
  }

  /** Whether every operation was answered, unless its process has ended. */
  get allAnswered(): boolean {
    return [...this.#pending.values()].every(({ process }) => !process.alive);
  }

  /** Watches all keys through a peer that has started to serve. */
  watch(machine: Machine, process: Process, peer: Peer): void {
    const cluster = this.#cluster;
    const { history } = cluster;
    const watch = (after: number): void => {
      const log = history.watch(machine.name, after);
      peer.keyspace.watch(
        { start: '/', end: '0', after: revision(after), previous: false },
        {
          events: (events) => {
            if (!process.alive) return;
            cluster.guard(() => {
              for (const event of events) history.saw(log, event);
            });
          },
          progress: (at) => process.alive && history.progressed(log, at),
          end: (why) => {
            if (process.alive && why.kind === 'compacted') watch(why.oldest);
          },
        },
      );
    };
    watch(peer.keyspace.status().compacted);
  }

  write(machine: Machine | undefined = this.#cluster.anyPeer()): void {
    const { history, trace, guard } = bound(this.#cluster);
    if (machine?.peer === undefined) return;
    const process = machine.process!;
    const begun = history.begin();
    const txn = this.#drawTxn(begun.id, process);
    this.#pending.set(begun.id, { process, what: `write ${begun.id} at ${machine.name}` });
    trace(() => `write ${begun.id} at ${machine.name}: ${describeTxn(txn)}`);
    machine.peer.keyspace.txn(txn).then(
      (result) => this.#wrote(history, process, begun, txn, result),
      (error: Error) => guard(() => this.#threw(process, begun.id, error)),
    );
  }

  #wrote(history: History, process: Process, begun: Begun, txn: Txn, result: TxnResult): void {
    const { trace, guard } = bound(this.#cluster);
    this.#pending.delete(begun.id);
    // The response of a process that has exited is lost.
    if (!process.alive) return;
    trace(() => `write ${begun.id} is ${result.kind}${'revision' in result ? ` at ${result.revision}` : ''}`);
    guard(() => {
      const puts = txn.ops.some(({ kind }) => kind === 'put');
      if (result.kind === 'committed') {
        for (const { key } of txn.ops) this.#lastSeen.set(key, result.revision);
        if (puts) history.wrote(begun, { kind: 'committed', revision: result.revision });
      } else history.wrote(begun, { kind: result.kind });
    });
  }

  #threw(process: Process, id: number, error: Error): void {
    const what = this.#pending.get(id)?.what ?? `operation ${id}`;
    this.#pending.delete(id);
    if (process.alive) throw new CheckFailed('answers', `${what} threw: ${error.message}`);
  }

  #drawTxn(id: number, { world }: Process): Txn {
    const { random, profile } = this.#cluster;
    const value = Buffer.from(`w${id}`);
    if (random.chance(0.08)) {
      const put = { kind: 'put', key: `${EXPIRING}${random.int(1, 2)}`, value } as const;
      if (random.chance(0.4)) return { compares: [], ops: [put] };
      const expiresAt = Math.round(world.clock.now() + random.skewed(1, EXPIRES_AFTER_MS_MAX));
      this.#cluster.history.expires(id);
      return { compares: [], ops: [{ ...put, expiresAt }] };
    }
    const key = (n = random.int(1, profile.keys)): string => `/k${n}`;
    const first = key();
    const put: Op = { kind: 'put', key: first, value };
    if (random.chance(0.1)) return { compares: [], ops: [{ kind: 'delete', key: first }] };
    const compares = random.chance(0.3) ? [{ key: first, modRevision: revision(this.#lastSeen.get(first) ?? 0) }] : [];
    const second = key();
    if (second !== first && random.chance(0.2)) return { compares, ops: [put, { kind: 'delete', key: second }] };
    return { compares, ops: [put] };
  }

  /** A linearizable read of everything. `done` is called when it was served. */
  read(machine: Machine | undefined = this.#cluster.anyPeer(), done: () => void = () => {}): void {
    if (machine?.peer === undefined) return;
    const process = machine.process!;
    const { keyspace } = machine.peer;
    const { history } = this.#cluster;
    const begun = history.begin();
    this.#track(begun.id, process, `read ${begun.id} at ${machine.name}`, async () => {
      const index = await keyspace.readIndex();
      if (index.kind !== 'ok' || !process.alive) return;
      const range = await keyspace.range({ start: '/', end: '0' });
      if (!process.alive) return;
      if (range.kind !== 'ok') throw new Error(`a range of the newest state is ${range.kind}`);
      history.read(begun, index.revision, range.revision, range.items, machine.name);
      for (const { key, modRevision } of range.items) this.#lastSeen.set(key, modRevision);
      done();
    });
  }

  /** A read of the history, as of any revision that the peer should have. */
  readPast(machine: Machine | undefined = this.#cluster.anyPeer()): void {
    // A peer of the cluster before the restore has another history.
    if (machine?.peer === undefined || machine.isOfOldCluster) return;
    const process = machine.process!;
    const { keyspace } = machine.peer;
    const { history, random } = this.#cluster;
    const { compacted, applied } = keyspace.status();
    const at = revision(random.int(Math.max(compacted, 1), Math.max(applied, 1)));
    const { id } = history.begin();
    this.#track(id, process, `read ${id} of ${at} at ${machine.name}`, async () => {
      const range = await keyspace.range({ start: '/', end: '0', revision: at });
      if (!process.alive) return;
      if (range.kind === 'ok') history.readPast(range.revision, range.items, machine.name);
      else if (range.kind === 'future' && at <= applied)
        throw new Error(`revision ${at} is gone, ${range.newest} left`);
    });
  }

  #track(id: number, process: Process, what: string, run: () => Promise<void>): void {
    const { guard } = bound(this.#cluster);
    this.#pending.set(id, { process, what });
    run().then(
      () => this.#pending.delete(id),
      (error: Error) =>
        guard(() => {
          if (error instanceof CheckFailed) throw error;
          this.#threw(process, id, error);
        }),
    );
  }
}

function bound(cluster: SimulatedCluster) {
  const { history, trace } = cluster;
  return { history, trace, guard: (f: () => void) => cluster.guard(f) };
}

function describeTxn({ compares, ops }: Txn): string {
  const conditions = compares.map(({ key, modRevision }) => `${key}@${modRevision}`).join(' ');
  const changes = ops.map((op) => (op.kind === 'put' ? `put ${op.key}` : `delete ${op.key}`)).join(', ');
  return conditions === '' ? changes : `if ${conditions}: ${changes}`;
}
