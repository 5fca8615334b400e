/**
 * The metrics of a peer as plain data, because they cross the thread boundary at a scrape. Names, types and buckets are etcd's, because
 * public dashboards and alerts query those.
 */
export interface MetricData {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly aggregator: 'sum';
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    /** For the lines of a histogram: `<name>_bucket`, `_sum`, `_count`. */
    readonly metricName?: string;
  }[];
}

export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: Float64Array;
  #sum = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let i = 0;
    while (i < this.#bounds.length && value > this.#bounds[i]!) i++;
    this.#counts[i]!++;
    this.#sum += value;
  }

  lines(name: string, labels: Readonly<Record<string, string>>): MetricData['values'] {
    const lines: MetricData['values'][number][] = [];
    let total = 0;
    for (const [i, count] of this.#counts.entries()) {
      total += count;
      lines.push({ value: total, labels: { ...labels, le: this.#bounds[i] ?? '+Inf' }, metricName: `${name}_bucket` });
    }
    lines.push({ value: this.#sum, labels, metricName: `${name}_sum` });
    lines.push({ value: total, labels, metricName: `${name}_count` });
    return lines;
  }
}

const doubling = (first: number, n: number): number[] => Array.from({ length: n }, (_, i) => first * 2 ** i);

/** Counters of the connection with one other peer. */
export interface PeerTraffic {
  sentBytes: number;
  receivedBytes: number;
  sentFailures: number;
  active: number;
  readonly roundTrip: Histogram;
}

/** Gauges, read at a scrape. */
export interface PeerGauges {
  readonly hasLeader: boolean;
  readonly isLeader: boolean;
  readonly isLearner: boolean;
  readonly proposalsPending: number;
  readonly commit: number;
  readonly applied: number;
  readonly quotaBytes: number;
  readonly sizeBytes: number;
  readonly sizeInUseBytes: number;
  readonly compacted: number;
  readonly keys: number;
  readonly id: number;
}

export class PeerMetrics {
  readonly walFsync = new Histogram(doubling(0.001, 14));
  readonly backendCommit = new Histogram(doubling(0.001, 14));
  readonly snapFsync = new Histogram(doubling(0.001, 14));
  readonly apply = new Histogram(doubling(0.0001, 20));
  /** Seconds by which a tick, and with it a leader's heartbeat, was late. etcd does not have this metric. */
  readonly heartbeatLateness = new Histogram(doubling(0.001, 14));
  leaderChanges = 0;
  proposalsFailed = 0;
  heartbeatSendFailures = 0;
  slowApplies = 0;
  malformedEntries = 0;
  slowReadIndexes = 0;
  readIndexesFailed = 0;
  learnerPromotions = 0;
  snapshotApplyInProgress = 0;
  snapshotsSent = 0;
  snapshotsReceived = 0;
  snapshotSendFailures = 0;
  snapshotReceiveFailures = 0;
  puts = 0;
  deletes = 0;
  txns = 0;
  ranges = 0;
  compactionMs = 0;
  readonly #traffic = new Map<string, PeerTraffic>();

  /** The counters of the peer with this id. */
  traffic(id: number): PeerTraffic {
    const key = memberIdText(id);
    let traffic = this.#traffic.get(key);
    if (traffic === undefined) {
      const roundTrip = new Histogram(doubling(0.0001, 16));
      traffic = { sentBytes: 0, receivedBytes: 0, sentFailures: 0, active: 0, roundTrip };
      this.#traffic.set(key, traffic);
    }
    return traffic;
  }

  collect(gauges: PeerGauges): readonly MetricData[] {
    const data: MetricData[] = [];
    const add = (type: 'counter' | 'gauge', name: string, help: string, value: number, labels = {}): void => {
      data.push({ name, help, type, aggregator: 'sum', values: [{ value, labels }] });
    };
    const spread = (name: string, help: string, histogram: Histogram): void => {
      data.push({ name, help, type: 'histogram', aggregator: 'sum', values: histogram.lines(name, {}) });
    };
    const counter = add.bind(undefined, 'counter');
    const gauge = add.bind(undefined, 'gauge');
    const flag = (on: boolean): number => (on ? 1 : 0);

    gauge('etcd_server_has_leader', 'Whether a leader is known.', flag(gauges.hasLeader));
    gauge('etcd_server_is_leader', 'Whether this peer leads.', flag(gauges.isLeader));
    gauge('etcd_server_is_learner', 'Whether this peer is a learner.', flag(gauges.isLearner));
    gauge('etcd_server_id', 'Id of this peer.', 1, { server_id: memberIdText(gauges.id) });
    counter('etcd_server_leader_changes_seen_total', 'Changes of leader seen.', this.leaderChanges);
    counter('etcd_server_proposals_committed_total', 'Index of the last committed entry.', gauges.commit);
    counter('etcd_server_proposals_applied_total', 'Index of the last applied entry.', gauges.applied);
    gauge('etcd_server_proposals_pending', 'Proposals waiting for their answer.', gauges.proposalsPending);
    counter('etcd_server_proposals_failed_total', 'Proposals refused or of unknown outcome.', this.proposalsFailed);
    gauge('etcd_server_quota_backend_bytes', 'Space quota of the state.', gauges.quotaBytes);
    counter('etcd_server_heartbeat_send_failures_total', 'Heartbeats dropped.', this.heartbeatSendFailures);
    counter(
      'trireme_peer_malformed_entries_total',
      'Committed entries that changed nothing because they are malformed.',
      this.malformedEntries,
    );
    counter('etcd_server_slow_apply_total', 'Batches that took over 100 ms to apply.', this.slowApplies);
    counter('etcd_server_slow_read_indexes_total', 'Read-index rounds over an election timeout.', this.slowReadIndexes);
    counter('etcd_server_read_indexes_failed_total', 'Read-index rounds refused.', this.readIndexesFailed);
    counter('etcd_server_learner_promote_successes', 'Learners promoted by this leader.', this.learnerPromotions);
    gauge('etcd_server_snapshot_apply_in_progress_total', 'Snapshots being installed.', this.snapshotApplyInProgress);
    counter('etcd_network_snapshot_send_success', 'Snapshots sent.', this.snapshotsSent);
    counter('etcd_network_snapshot_send_failures', 'Snapshots that failed on the way out.', this.snapshotSendFailures);
    counter('etcd_network_snapshot_receive_success', 'Snapshots installed.', this.snapshotsReceived);
    counter(
      'etcd_network_snapshot_receive_failures',
      'Snapshots that failed on the way in.',
      this.snapshotReceiveFailures,
    );
    gauge('etcd_mvcc_db_total_size_in_bytes', 'Bytes of the state on disk.', gauges.sizeBytes);
    gauge('etcd_mvcc_db_total_size_in_use_in_bytes', 'Bytes of the store in use.', gauges.sizeInUseBytes);
    counter('etcd_mvcc_put_total', 'Puts applied.', this.puts);
    counter('etcd_mvcc_delete_total', 'Deletes applied.', this.deletes);
    counter('etcd_mvcc_txn_total', 'Transactions applied.', this.txns);
    counter('etcd_mvcc_range_total', 'Ranges read.', this.ranges);
    gauge('etcd_debugging_mvcc_keys_total', 'Keys.', gauges.keys);
    gauge('etcd_debugging_mvcc_current_revision', 'Newest revision applied.', gauges.applied);
    gauge('etcd_debugging_mvcc_compact_revision', 'Revision of the last compaction.', gauges.compacted);
    spread('etcd_disk_wal_fsync_duration_seconds', 'Time of writes and syncs of the log.', this.walFsync);
    spread('etcd_disk_backend_commit_duration_seconds', 'Time of writes to the state.', this.backendCommit);
    spread('etcd_snap_db_fsync_duration_seconds', 'Time to sync the state before the log is cut.', this.snapFsync);
    spread('trireme_peer_apply_duration_seconds', 'Time to apply a batch of entries.', this.apply);
    spread('trireme_peer_tick_lateness_seconds', 'How late a tick (heartbeat) came.', this.heartbeatLateness);
    return [...data, ...this.#trafficData(memberIdText(gauges.id))];
  }

  #trafficData(local: string): readonly MetricData[] {
    const peers = [...this.#traffic];
    const perPeer = (
      type: 'counter' | 'gauge',
      name: string,
      help: string,
      line: (peer: string, traffic: PeerTraffic) => MetricData['values'][number],
    ): MetricData => ({ name, help, type, aggregator: 'sum', values: peers.map(([id, traffic]) => line(id, traffic)) });
    const rtt = 'etcd_network_peer_round_trip_time_seconds';
    return [
      perPeer('counter', 'etcd_network_peer_sent_bytes_total', 'Bytes sent to peers.', (To, t) => ({
        value: t.sentBytes,
        labels: { To },
      })),
      perPeer('counter', 'etcd_network_peer_received_bytes_total', 'Bytes received from peers.', (From, t) => ({
        value: t.receivedBytes,
        labels: { From },
      })),
      perPeer('counter', 'etcd_network_peer_sent_failures_total', 'Messages dropped or failed.', (To, t) => ({
        value: t.sentFailures,
        labels: { To },
      })),
      perPeer('gauge', 'etcd_network_active_peers', 'Connections to peers.', (Remote, t) => ({
        value: t.active,
        labels: { Local: local, Remote },
      })),
      {
        name: rtt,
        help: 'Round trip time to peers.',
        type: 'histogram',
        aggregator: 'sum',
        values: peers.flatMap(([To, { roundTrip }]) => roundTrip.lines(rtt, { To })),
      },
    ];
  }
}

/** A member id in hexadecimal, as etcd prints it. */
export function memberIdText(id: number): string {
  return id.toString(16);
}

/** A member in a log line: its id, and its name if that is known. */
export function memberText({ id, name }: { readonly id: number; readonly name: string }): string {
  return name === '' ? memberIdText(id) : `${memberIdText(id)} (${name})`;
}
