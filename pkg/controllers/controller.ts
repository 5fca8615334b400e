import type { World } from '../base/index.js';
import type { QueueCounts } from '../telemetry/index.js';
import type { Cluster, Following, Observer } from './cluster.js';
import type { WorkQueue } from './queue.js';

/** A control loop. It runs on the leader only, and stops when this peer loses leadership. */
export interface Controller {
  /** Its name in `--controllers`, as in kube-controller-manager. */
  readonly name: string;
  /** Resolves when the current state has been observed and work begins. */
  start(): Promise<void>;
  /**
   * Stops new work. Work in progress may still write, with the versions that its decisions are based on as
   * preconditions.
   */
  stop(): void;
  /** The metrics of its queue. */
  readonly counts: QueueCounts;
}

export interface ControllerContext {
  readonly world: World;
  readonly cluster: Cluster;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * A loop that follows the cluster with `observer`, and processes `queue` after the current state has been delivered,
 * because no decision may be based on an incomplete index. The keys `first` are processed at each start, whatever the state is.
 */
export function controllerOf(
  name: string,
  cluster: Cluster,
  queue: WorkQueue,
  observer: Observer,
  first: readonly string[] = [],
): Controller {
  let following: Following | undefined;
  return {
    name,
    start: async () => {
      for (const key of first) queue.add(key);
      following = cluster.follow(observer);
      await following.caughtUp;
      queue.start();
    },
    stop: () => {
      following?.stop();
      queue.stop();
    },
    get counts() {
      return queue.counts;
    },
  };
}
