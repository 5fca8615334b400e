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

/** Quantities by resource, sorted by name. */
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

/** Resources that pod-level requests may set. They replace the sum of the containers. */
const OF_THE_POD = /^(?:cpu|memory|hugepages-.*)$/;

/**
 * The requests or limits of a pod: the maximum of its containers with sidecars and of the peak of its init containers, plus the
 * overhead.
 */
export function podAmounts(pod: JsonObject, kind: 'requests' | 'limits'): Amounts {
  const of = (c: JsonObject): Amounts => amountsAt(c, 'resources', kind);
  const running = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  const beside = new Map<string, Quantity>();
  // Only a resource that this container requests can set a new peak: sidecars were counted when they started.
  for (const c of objectsAt(pod, 'spec', 'initContainers')) {
    const own = of(c);
    const now = new Map([...own].map(([name, amount]) => [name, sum(beside.get(name), amount)]));
    raise(peak, now);
    if (textAt(c, 'restartPolicy') === 'Always') for (const [name, amount] of now) beside.set(name, amount);
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

const sum = (a: Quantity | undefined, b: Quantity): Quantity => (a === undefined ? b : addQuantities(a, b));

function add(into: Map<string, Quantity>, more: Amounts): void {
  for (const [name, amount] of more) into.set(name, sum(into.get(name), amount));
}

function raise(to: Map<string, Quantity>, other: Amounts): void {
  for (const [name, amount] of other) {
    const before = to.get(name);
    if (before === undefined || compareQuantities(before, amount) < 0) to.set(name, amount);
  }
}
