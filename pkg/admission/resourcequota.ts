import {
  type AdmissionRequest,
  type AdmissionStep,
  cloneJson,
  compareQuantities,
  type JsonObject,
  nameOf,
  objectAt,
  objectIn,
  type Quantity,
  type StoredObjects,
  type TxnAddition,
  zeroQuantity,
} from '../api/index.js';
import type { World } from '../base/index.js';
import { type Amounts, amountsAt } from './podamounts.js';
import {
  evaluatorOf,
  isInScope,
  type QuotaEvaluator,
  sumUsage,
  usageIncrease,
  usageObject,
  usageText,
} from './quotausage.js';
import { forbidden } from './step.js';

/** Resources that require a quota that covers them (ResourceQuotaConfiguration). */
export interface LimitedResource {
  readonly group: string;
  readonly resource: string;
  /** Names of counted resources that contain one of these are limited. */
  readonly matchContains: readonly string[];
}

const QUOTAS = { group: '', resource: 'resourcequotas' } as const;

/**
 * Enforces resource quotas. The new usage is written to the status of each quota in the transaction of the request, which compares
 * the quota's state at the decision, so that concurrent writers on any peers cannot exceed it.
 * On one peer, requests of a namespace with quotas take turns, so that they do not fail each other's comparison.
 */
export function resourceQuotaStep(
  objects: StoredObjects,
  world: World,
  limited: readonly LimitedResource[] = [],
): AdmissionStep {
  const turns = new NamespaceTurns();
  return {
    name: 'ResourceQuota',
    transact: (request) => {
      const { namespace, operation } = request;
      if (namespace === '' || operation === 'delete' || operation === 'connect') return undefined;
      const evaluator = evaluatorOf(request.groupResource);
      if (evaluator === undefined || request.object === undefined || !evaluator.handles(request)) return undefined;
      const isWithoutQuotas = objects.isEmpty(QUOTAS, namespace);
      if (isWithoutQuotas && limited.length === 0) return undefined;
      const charge = chargeOf(request, evaluator, world);
      if (!isWithoutQuotas) return inTurn({ request, evaluator, charge, objects, limited }, turns);
      checkCovered(request, charge, [], limited);
      return undefined;
    },
  };
}

/** Returns the usage that a request adds to its namespace. */
interface Charge {
  readonly object: JsonObject;
  readonly old: JsonObject | undefined;
  readonly usage: Amounts;
  readonly before: Amounts;
}

function chargeOf({ object, old }: AdmissionRequest, evaluator: QuotaEvaluator, world: World): Charge {
  const now = world.clock.now();
  const usage = evaluator.usage(object ?? {}, now);
  return { object: object ?? {}, old, usage, before: old === undefined ? new Map() : evaluator.usage(old, now) };
}

interface Check {
  readonly request: AdmissionRequest;
  readonly evaluator: QuotaEvaluator;
  readonly charge: Charge;
  readonly objects: StoredObjects;
  readonly limited: readonly LimitedResource[];
}

async function inTurn(check: Check, turns: NamespaceTurns): Promise<TxnAddition | undefined> {
  const { objects, request } = check;
  const end = await turns.begin(request.namespace);
  let kept = false;
  try {
    let changed: readonly JsonObject[];
    try {
      changed = charged(check);
    } catch {
      // The cache may lag behind a write through another peer, so a rejection is confirmed on the current state.
      await objects.refresh();
      changed = charged(check);
    }
    if (changed.length === 0 || request.dryRun) return undefined;
    kept = true;
    const write = changed.map((object) => ({ resource: QUOTAS, object, subresource: 'status' }));
    return { write, settled: end };
  } finally {
    if (!kept) end();
  }
}

/** Returns the changed quotas of the namespace with the new usage. Throws if it exceeds one. */
function charged({ request, evaluator, charge, objects, limited }: Check): readonly JsonObject[] {
  const quotas = objects.list(QUOTAS, request.namespace);
  const matching: { readonly quota: JsonObject; readonly names: readonly string[] }[] = [];
  for (const quota of quotas) {
    const names = Object.keys(objectAt(quota, 'status', 'hard')).filter((name) => evaluator.counts(name));
    if (names.length === 0 || !isInScope(quota, charge.object, evaluator)) continue;
    const why = evaluator.constraint(names, charge.object);
    if (why !== undefined) throw forbidden(request, `failed quota: ${nameOf(quota)}: ${why}`);
    const used = objectAt(quota, 'status', 'used');
    if (names.some((name) => !Object.hasOwn(used, name)))
      throw forbidden(request, `status unknown for quota: ${nameOf(quota)}, resources: ${[...names].sort().join(',')}`);
    matching.push({ quota, names });
  }
  checkNegative(request, charge.usage);
  checkCovered(
    request,
    charge,
    matching.flatMap((m) => m.names),
    limited,
  );
  return matching
    .map(({ quota }) => chargedQuota(request, evaluator, charge, quota))
    .filter((quota) => quota !== undefined);
}

function checkNegative(request: AdmissionRequest, usage: Amounts): void {
  const negative = [...usage].filter(([, amount]) => compareQuantities(amount, zeroQuantity) < 0).map(([name]) => name);
  if (negative.length > 0)
    throw forbidden(request, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
}

/** Rejects a request that uses a limited resource that no quota covers. */
function checkCovered(
  request: AdmissionRequest,
  { usage, before }: Charge,
  covered: readonly string[],
  limited: readonly LimitedResource[],
): void {
  const { group, resource } = request.groupResource;
  const rules = limited.filter((l) => l.group === group && l.resource === resource);
  if (rules.length === 0 || usageIncrease(usage, before).size === 0) return;
  const uncovered = [...usage.keys()].filter(
    (name) => !covered.includes(name) && rules.some((l) => l.matchContains.some((part) => name.includes(part))),
  );
  if (uncovered.length > 0) throw forbidden(request, `insufficient quota to consume: ${uncovered.sort().join(',')}`);
}

function chargedQuota(
  request: AdmissionRequest,
  evaluator: QuotaEvaluator,
  { old, usage, before }: Charge,
  quota: JsonObject,
): JsonObject | undefined {
  const hard = amountsAt(quota, 'status', 'hard');
  const used = amountsAt(quota, 'status', 'used');
  const counted = old !== undefined && isInScope(quota, old, evaluator);
  const delta = counted ? usageIncrease(usage, before) : usage;
  const requested = new Map([...delta].filter(([name, q]) => hard.has(name) && q.nanos !== 0n));
  if (requested.size === 0) return undefined;
  const total = new Map<string, Quantity>(used);
  sumUsage(total, requested);
  const exceeded = [...requested.keys()].filter((name) => compareQuantities(total.get(name)!, hard.get(name)!) > 0);
  if (exceeded.length > 0 && request.subresource !== 'status') {
    const shown = (amounts: Amounts): string =>
      usageText(new Map(exceeded.map((name) => [name, amounts.get(name) ?? zeroQuantity])));
    throw forbidden(
      request,
      `exceeded quota: ${nameOf(quota)}, requested: ${shown(requested)}, used: ${shown(used)}, limited: ${shown(hard)}`,
    );
  }
  const next = cloneJson(quota);
  objectIn(next, 'status')['used'] = usageObject(total);
  return next;
}

/** A mutex for each namespace. */
class NamespaceTurns {
  readonly #last = new Map<string, Promise<void>>();

  /** Resolves when the lock is acquired, to the function that releases it. */
  async begin(namespace: string): Promise<() => void> {
    const before = this.#last.get(namespace);
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#last.set(namespace, ended);
    await before;
    return () => {
      if (this.#last.get(namespace) === ended) this.#last.delete(namespace);
      end();
    };
  }
}
