import {
  addQuantities,
  compareQuantities,
  type JsonObject,
  objectAt,
  objectsAt,
  parseQuantity,
  type Quantity,
  textAt,
} from '../api/index.js';

/** Amounts by resource, in the order of their names. */
export type Amounts = ReadonlyMap<string, Quantity>;

export function amountsAt(o: JsonObject, ...path: readonly string[]): Amounts {
  const out = new Map<string, Quantity>();
  const list = objectAt(o, ...path);
  for (const name of Object.keys(list).sort()) {
    const q = parseQuantity(String(list[name]));
    if (q !== undefined) out.set(name, q);
  }
  return out;
}

/** These may be said of the pod as a whole, and then count instead of what its containers say. */
const OF_THE_POD = /^(?:cpu|memory|hugepages-.*)$/;

/**
 * What a pod asks for or is limited to as a whole: its containers together with those that run beside them from before, or what
 * it needs at most while it is prepared, whichever is more; and what running it costs.
 */
export function podAmounts(pod: JsonObject, kind: 'requests' | 'limits'): Amounts {
  const of = (c: JsonObject): Amounts => amountsAt(c, 'resources', kind);
  const running = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  const beside = new Map<string, Quantity>();
  for (const c of objectsAt(pod, 'spec', 'initContainers')) {
    const stays = textAt(c, 'restartPolicy') === 'Always';
    if (stays) {
      add(beside, of(c));
      raise(peak, beside);
    } else {
      const now = new Map(beside);
      add(now, of(c));
      raise(peak, now);
    }
  }
  for (const c of objectsAt(pod, 'spec', 'containers')) add(running, of(c));
  add(running, beside);
  raise(running, peak);
  for (const [name, amount] of amountsAt(pod, 'spec', 'resources', kind))
    if (OF_THE_POD.test(name)) running.set(name, amount);
  for (const [name, amount] of amountsAt(pod, 'spec', 'overhead')) {
    const before = running.get(name);
    if (before !== undefined) running.set(name, addQuantities(before, amount));
    else if (kind === 'requests') running.set(name, amount);
  }
  return running;
}

function add(into: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) {
    const before = into.get(name);
    into.set(name, before === undefined ? amount : addQuantities(before, amount));
  }
}

function raise(to: Map<string, Quantity>, other: Amounts): void {
  for (const [name, amount] of other) {
    const before = to.get(name);
    if (before === undefined || compareQuantities(before, amount) < 0) to.set(name, amount);
  }
}
