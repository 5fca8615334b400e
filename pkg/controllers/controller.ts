import type { World } from '../base/index.js';
import type { QueueCounts } from '../telemetry/index.js';
import type { Cluster, Following, Observer } from './cluster.js';
import type { WorkQueue } from './queue.js';

/** A control loop. It runs on the leader only, and stops when this peer loses leadership. */
export interface Controller {
  /** As `--controllers` names it (kube-controller-manager's names). */
  readonly name: string;
  /** Resolves when the present state has been observed; work begins then. */
  start(): Promise<void>;
  /** No work begins after this returns. Work in progress may still write; its writes carry the versions they were decided on. */
  stop(): void;
  /** Counts of its work queue. */
  readonly counts: QueueCounts;
}

export interface ControllerContext {
  readonly world: World;
  readonly cluster: Cluster;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * A loop that follows the cluster with `observer` and works through `queue` once the present state has been handed over: nothing
 * may be decided from half of an index.
 */
export function controllerOf(name: string, cluster: Cluster, queue: WorkQueue, observer: Observer): Controller {
  let following: Following | undefined;
  return {
    name,
    start: async () => {
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
