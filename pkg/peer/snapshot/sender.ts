import { type PeerId, type SnapshotMeta, type SnapshotRequest, toLogIndex } from '../../../raft/index.js';
import type { World } from '../../base/index.js';
import type { ReplicatedState } from '../apply/index.js';
import { type PeerMetrics, SNAPSHOT_LIMITS } from '../common/index.js';
import type { DrivenRaft } from '../consensus/index.js';
import type { SnapshotStream } from '../network/index.js';
import { Backoff } from './backoff.js';
import { untilApplied } from './rounds.js';
import { sendSnapshot } from './send.js';

export interface SenderPorts {
  readonly world: World;
  readonly metrics: PeerMetrics;
  readonly raft: Pick<DrivenRaft, 'status' | 'snapshotMeta' | 'snapshotCovers' | 'reportSnapshot'>;
  readonly state: ReplicatedState;
  readonly clusterId: string;
  readonly electionMs: number;
  openStream(to: PeerId, url: string): SnapshotStream;
  /** The peer as log lines name it. */
  describe(peer: PeerId): string;
  /** `sendSnapshot`, or a replacement in tests. */
  readonly send?: typeof sendSnapshot;
  /** Why this peer has stopped serving; undefined while it serves. */
  stopped(): string | undefined;
  note(level: 'info' | 'warn', message: string): void;
}

/**
 * Sends the snapshots that the core requests, and reports each outcome to the core: a failure only when it is time to
 * retry.
 */
export class SnapshotSender {
  readonly #ports: SenderPorts;
  readonly #attempts: Backoff;
  readonly #over = new AbortController();
  readonly #waits = new Set<() => void>();
  #outgoing = 0;

  constructor(ports: SenderPorts) {
    this.#ports = ports;
    this.#attempts = new Backoff(ports.world, ports.electionMs);
  }

  order(order: SnapshotRequest, url: string | undefined): void {
    const { metrics, note, describe, electionMs } = this.#ports;
    const { to } = order;
    if (url === undefined || this.#outgoing >= SNAPSHOT_LIMITS.outgoingMax) {
      // The core requests it again.
      this.#later(electionMs, () => this.#report(order, false));
      return;
    }
    this.#outgoing++;
    if (this.#attempts.begins(to)) note('info', `sending a snapshot to peer ${describe(to)}`);
    this.#stream(order, url)
      .then(
        () => {
          metrics.snapshotsSent++;
          this.#attempts.succeeded(to);
          note('info', `peer ${describe(to)} has the snapshot`);
          this.#report(order, true);
        },
        (error: unknown) => this.#failed(order, error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        this.#outgoing--;
      });
  }

  #failed(order: SnapshotRequest, why: string): void {
    const { metrics, note, describe } = this.#ports;
    metrics.snapshotSendFailures++;
    if (this.#over.signal.aborted) return;
    const { waitMs, isNews } = this.#attempts.failed(order.to, why);
    if (isNews) note('warn', `the snapshot for peer ${describe(order.to)} failed: ${why}; it will be retried`);
    this.#later(waitMs, () => this.#report(order, false));
  }

  async #stream(order: SnapshotRequest, url: string): Promise<boolean> {
    const { world, metrics, raft, state, clusterId, stopped, openStream, send = sendSnapshot } = this.#ports;
    const snapshot = await state.machine.openSnapshot({ follow: true });
    const meta = async (): Promise<SnapshotMeta> => {
      // An index can be readable slightly before the core has it as applied.
      await untilApplied(snapshot.index, { world, applied: () => raft.status().applied, stopped });
      return raft.snapshotMeta(toLogIndex(snapshot.index));
    };
    try {
      return await send({
        world,
        order,
        clusterId,
        stream: openStream(order.to, url),
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
  }

  #later(milliseconds: number, run: () => void): void {
    const cancel = this.#ports.world.timers.after(milliseconds, () => {
      this.#waits.delete(cancel);
      run();
    });
    this.#waits.add(cancel);
  }

  /** Cancels the streams and the retries, so that neither keeps the process alive. */
  close(): void {
    this.#over.abort(new Error('this peer is closed'));
    for (const cancel of this.#waits) cancel();
    this.#waits.clear();
  }
}
