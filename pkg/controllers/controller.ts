import type { World } from '../base/index.js';
import type { QueueCounts } from '../telemetry/index.js';
import type { Cluster, Following, Observer } from './cluster.js';
import type { WorkQueue } from './queue.js';

/** A loop that makes something true. It is started on the leader only, and stopped when leadership goes. */
export interface Controller {
  /** As `--controllers` names it (kube-controller-manager's names). */
  readonly name: string;
  /** Resolves when the present state has been taken in; work begins then, and not before. */
  start(): Promise<void>;
  /** No work is begun after this returns. What is under way may still end in a write: it carries what it was decided on. */
  stop(): void;
  /** Of its queue. */
  readonly counts: QueueCounts;
}

export interface ControllerContext {
  readonly world: World;
  readonly cluster: Cluster;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/**
 * A loop that follows the cluster with `changed` and works through `queue`, once it has been told of all there is: what is decided
 * from an index must not be decided from half of one.
 */
export function controllerOf(
  name: string,
  cluster: Cluster,
  queue: WorkQueue,
  changed: Observer['changed'],
): Controller {
  let following: Following | undefined;
  return {
    name,
    start: async () => {
      following = cluster.follow({ changed });
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
