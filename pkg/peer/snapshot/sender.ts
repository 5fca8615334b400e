import { type RaftNode, type SnapshotMeta, type SnapshotRequest, toLogIndex } from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import type { PeerTls } from '../config.js';
import { SNAPSHOT_LIMITS } from '../limits.js';
import { memberIdText, type PeerMetrics } from '../metrics.js';
import type { ReplicatedState } from '../state.js';
import { Attempts } from './attempts.js';
import { untilApplied } from './following.js';
import type { OutgoingSnapshot } from './send.js';

export interface SenderPorts {
  readonly world: World;
  readonly metrics: PeerMetrics;
  readonly raft: RaftNode;
  readonly state: ReplicatedState;
  readonly clusterId: string;
  readonly tls: PeerTls;
  readonly electionMs: number;
  /** `sendSnapshot`, which needs gRPC. */
  send(outgoing: OutgoingSnapshot): Promise<boolean>;
  poke(): void;
  /** Why this peer serves no more, if it does not. */
  stopped(): string | undefined;
  note(level: 'info' | 'warn', message: string): void;
}

/** Carries out the core's orders of snapshots, and tells it what came of each: of one that failed when it is time for the next. */
export class SnapshotSender {
  readonly #ports: SenderPorts;
  readonly #attempts: Attempts;
  readonly #over = new AbortController();
  readonly #waits = new Set<() => void>();
  #outgoing = 0;

  constructor(ports: SenderPorts) {
    this.#ports = ports;
    this.#attempts = new Attempts(ports.world, ports.electionMs);
  }

  order(order: SnapshotRequest, url: string | undefined): void {
    const { metrics, note, electionMs } = this.#ports;
    const { to } = order;
    if (url === undefined || this.#outgoing >= SNAPSHOT_LIMITS.outgoingMax) {
      // Not now: the core asks again.
      this.#later(electionMs, () => this.#report(order, false));
      return;
    }
    this.#outgoing++;
    if (this.#attempts.begins(to)) note('info', `sending a snapshot to peer ${memberIdText(to)}`);
    this.#stream(order, url)
      .then(
        () => {
          metrics.snapshotsSent++;
          this.#attempts.succeeded(to);
          note('info', `peer ${memberIdText(to)} has the snapshot`);
          this.#report(order, true);
        },
        (error: unknown) => this.#failed(order, error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        this.#outgoing--;
      });
  }

  #failed(order: SnapshotRequest, why: string): void {
    const { metrics, note } = this.#ports;
    metrics.snapshotSendFailures++;
    if (this.#over.signal.aborted) return;
    const { waitMs, isNews } = this.#attempts.failed(order.to, why);
    if (isNews) note('warn', `the snapshot for peer ${memberIdText(order.to)} failed: ${why}; it is tried again`);
    this.#later(waitMs, () => this.#report(order, false));
  }

  async #stream(order: SnapshotRequest, url: string): Promise<boolean> {
    const { world, metrics, raft, state, clusterId, tls, stopped } = this.#ports;
    const snapshot = await state.machine.openSnapshot({ follow: true });
    const meta = async (): Promise<SnapshotMeta> => {
      // The core hears of what is applied a moment after it can be read.
      await untilApplied(snapshot.index, { world, applied: () => raft.status().applied, stopped });
      return raft.snapshotMeta(toLogIndex(snapshot.index));
    };
    try {
      return await this.#ports.send({
        world,
        order,
        clusterId,
        url,
        tls,
        snapshot,
        meta,
        applied: () => raft.status().applied,
        covers: (index) => raft.snapshotCovers(order.to, toLogIndex(index)),
        sent: (bytes) => {
          metrics.traffic(order.to).sentBytes += bytes;
        },
        signal: this.#over.signal,
      });
    } finally {
      await snapshot.close();
    }
  }

  #report({ to }: SnapshotRequest, ok: boolean): void {
    this.#ports.raft.reportSnapshot(to, ok);
    this.#ports.poke();
  }

  #later(milliseconds: number, run: () => void): void {
    const cancel = this.#ports.world.timers.after(milliseconds, () => {
      this.#waits.delete(cancel);
      run();
    });
    this.#waits.add(cancel);
  }

  /** What is on its way is given up, and nothing is tried again: neither keeps a process from ending. */
  close(): void {
    this.#over.abort(new Error('this peer is closed'));
    for (const cancel of this.#waits) cancel();
    this.#waits.clear();
  }
}
