import { type JsonObject, textAt } from '../../api/index.js';
import { isActive, isReady, readyChangedAt, restartsOf, timeOf } from '../pods.js';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * Chooses the surplus pods to delete, in the order of kube-controller-manager: pods that are not assigned, not running,
 * not ready, have a lower deletion cost, share their node with more related pods, are ready for a shorter time, have
 * more restarts, are younger. Ages are compared by powers of two; ties are decided by the uid, which is effectively
 * random.
 */
export function surplusOf(
  pods: readonly JsonObject[],
  related: readonly JsonObject[],
  count: number,
  now: number,
): readonly JsonObject[] {
  if (count >= pods.length) return pods;
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const node = textAt(pod, 'spec', 'nodeName');
    if (isActive(pod)) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  const ranked = pods.map((pod) => rankOf(pod, onNode.get(textAt(pod, 'spec', 'nodeName')) ?? 0));
  return ranked
    .sort((a, b) => compare(a, b, now))
    .slice(0, count)
    .map(({ pod }) => pod);
}

interface Ranked {
  readonly pod: JsonObject;
  readonly uid: string;
  readonly assigned: number;
  readonly phase: number;
  readonly ready: number;
  readonly cost: number;
  /** Active pods of the same kind on its node. */
  readonly neighbours: number;
  /** Milliseconds; undefined sorts first. */
  readonly readySince: number | undefined;
  readonly created: number | undefined;
  readonly restarts: { readonly regular: number; readonly sidecar: number };
}

function rankOf(pod: JsonObject, neighbours: number): Ranked {
  return {
    pod,
    uid: textAt(pod, 'metadata', 'uid'),
    assigned: textAt(pod, 'spec', 'nodeName') === '' ? 0 : 1,
    phase: PHASES[textAt(pod, 'status', 'phase')] ?? 0,
    ready: isReady(pod) ? 1 : 0,
    cost: deletionCost(pod),
    neighbours,
    readySince: readyChangedAt(pod),
    created: timeOf(textAt(pod, 'metadata', 'creationTimestamp')),
    restarts: restartsOf(pod),
  };
}

function compare(a: Ranked, b: Ranked, now: number): number {
  return (
    a.assigned - b.assigned ||
    a.phase - b.phase ||
    a.ready - b.ready ||
    a.cost - b.cost ||
    b.neighbours - a.neighbours ||
    (a.ready === 1 ? younger(a.readySince, b.readySince, [a, b], now) : 0) ||
    b.restarts.regular - a.restarts.regular ||
    b.restarts.sidecar - a.restarts.sidecar ||
    younger(a.created, b.created, [a, b], now)
  );
}

/** Negative if the first of two times is later on a logarithmic scale. */
function younger(
  a: number | undefined,
  b: number | undefined,
  [first, second]: readonly [Ranked, Ranked],
  now: number,
): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  return magnitude(now - a) - magnitude(now - b) || (first.uid < second.uid ? -1 : 1);
}

/** Powers of two of nanoseconds, because durations have that unit in Go. */
const magnitude = (milliseconds: number): number =>
  milliseconds > 0 ? Math.floor(Math.log2(milliseconds * 1_000_000)) : -1;

/** A 32-bit integer without leading zeros or plus; any other text is 0. */
function deletionCost(pod: JsonObject): number {
  const text = textAt(pod, 'metadata', 'annotations', DELETION_COST);
  if (!/^(0|-?[1-9][0-9]{0,9})$/.test(text)) return 0;
  const cost = Number(text);
  return cost === Math.trunc(cost) && Math.abs(cost) <= 2 ** 31 ? cost : 0;
}
