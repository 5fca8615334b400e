import type { World } from '../base/index.js';
import type { Cluster } from './cluster.js';

/** A loop that makes something true. It is started on the leader only, and stopped when leadership goes. */
export interface Controller {
  /** As `--controllers` names it (kube-controller-manager's names). */
  readonly name: string;
  /** Resolves when the present state has been taken in. */
  start(): Promise<void>;
  /** No write is begun after this returns. */
  stop(): void;
  /** Length of its queue, for `workqueue_depth`. */
  readonly depth: number;
}

export interface ControllerContext {
  readonly world: World;
  readonly cluster: Cluster;
  readonly log: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}
