import { formatMicroTime, isObject, type JsonObject, numberAt, parseTime, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import type { Place } from '../cluster.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { keyOf, observing, placeOf, servedResource, splitKey } from '../observe.js';
import { WorkQueue } from '../queue.js';
import {
  bestOf,
  CANDIDATES,
  type Candidate,
  candidateOf,
  endOf,
  isAging,
  isSilent,
  OLDEST_EMULATION_VERSION,
  strategyOf,
} from './candidates.js';

const NAME = 'leader-election-controller';
const LEASES = 'leases.coordination.k8s.io';

/** How long candidates have to answer, and how long an answer counts. */
const ANSWER = 5000;
/** Time between checks of a lease that has candidates: nothing else tells that a lease has expired. */
const PERIOD = 5000;
/** The duration of a lease until its holder sets its own. */
const DURATION_SECONDS = 5;

/**
 * Elects the holders of Leases among their LeaseCandidates (coordinated leader election). An election first asks the candidates whether
 * they are alive (`pingTime`), and decides between those that answered (`renewTime`). A living holder is not replaced: `preferredHolder`
 * asks it to yield. No state of an election is kept: each round reads it from the objects.
 */
export function leaderElection({ cluster, world, log }: ControllerContext): Controller {
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (key, error) => log(`${NAME}: will retry`, { lease: key, error: String(error) }),
  });

  async function sync(key: string): Promise<void> {
    const place = placeOf(cluster, LEASES, key);
    // Most leases have no candidates, and all are renewed often: this check costs no consistent read.
    if (place === undefined || candidatesOf(key).length === 0) return;
    const lease = await cluster.get(place);
    const candidates = candidatesOf(key);
    if (candidates.length === 0) return;
    if (isDue(lease, candidates) && !(await asks(key, candidates))) await elect(place, lease, candidates);
    queue.addAfter(key, PERIOD);
  }

  /** The candidates of a lease that have not expired. */
  function candidatesOf(key: string): readonly Candidate[] {
    const { namespace, name } = splitKey(key);
    const served = servedResource(cluster.servedResources(), CANDIDATES);
    if (served === undefined) return [];
    const all = [...cluster.known(served, namespace)].map((o) => candidateOf(o.value()));
    return all.filter((c) => c.lease === name && endOf(c) >= world.clock.now());
  }

  /** Reports whether an election is needed. */
  function isDue(lease: JsonObject | undefined, candidates: readonly Candidate[]): boolean {
    const now = world.clock.now();
    if (lease === undefined || hasExpired(lease, now) || holderOf(lease) === '') return true;
    if (candidates.some((c) => isAging(c, now))) return true;
    if (strategyOf(candidates) !== OLDEST_EMULATION_VERSION) return false;
    const best = bestOf(candidates);
    return best !== undefined && best.name !== holderOf(lease);
  }

  /** Asks candidates whether they are alive. Returns true while answers are outstanding. */
  async function asks(key: string, candidates: readonly Candidate[]): Promise<boolean> {
    const now = world.clock.now();
    let waits = false;
    for (const candidate of candidates) {
      const { name, pinged, renewed, resourceVersion } = candidate;
      if (isSilent(candidate)) {
        // One that did not answer in time is not asked again.
        waits ||= pinged! + ANSWER > now;
        continue;
      }
      if (renewed + ANSWER > now) continue;
      const place = placeOf(cluster, CANDIDATES, keyOf({ namespace: splitKey(key).namespace, name }));
      if (place === undefined) continue;
      const spec = { pingTime: formatMicroTime(now) };
      await cluster.patch(place, '', { metadata: { resourceVersion }, spec });
      waits = true;
    }
    return waits;
  }

  async function elect(place: Place, lease: JsonObject | undefined, candidates: readonly Candidate[]): Promise<void> {
    const now = world.clock.now();
    const living = candidates.filter(({ renewed }) => renewed + ANSWER > now);
    if (living.length === 0) return;
    const strategy = strategyOf(living);
    const elected = strategy === OLDEST_EMULATION_VERSION ? bestOf(living)?.name : undefined;
    const held = {
      ...(elected === undefined ? {} : { holderIdentity: elected }),
      leaseDurationSeconds: DURATION_SECONDS,
      renewTime: formatMicroTime(now),
    };
    if (lease === undefined) {
      const { namespace, name } = place;
      const metadata = { namespace, name };
      const spec = { ...held, strategy };
      await cluster.create(place.resource, namespace, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata,
        spec,
      });
      return;
    }
    const changes: Record<string, JsonObject[string]> = {};
    if (textAt(lease, 'spec', 'strategy') !== strategy) changes['strategy'] = strategy;
    if (elected !== undefined && elected !== holderOf(lease)) {
      if (holderOf(lease) === '' || hasExpired(lease, now))
        Object.assign(changes, { ...held, preferredHolder: null, acquireTime: null });
      else if (textAt(lease, 'spec', 'preferredHolder') !== elected) changes['preferredHolder'] = elected;
    }
    if (Object.keys(changes).length === 0) return;
    const { resourceVersion } = metaOf(lease);
    await cluster.patch(place, '', { metadata: { resourceVersion }, spec: changes });
  }

  const observer = observing({
    [LEASES]: (before, after) => queue.add(keyOf((after ?? before)!)),
    [CANDIDATES]: (before, after) => {
      const object = (after ?? before)!;
      const candidate = candidateOf(object.value());
      // A candidate that was just asked: the round that asked it continues with its answer.
      if (isSilent(candidate)) return;
      queue.add(keyOf({ namespace: object.namespace, name: candidate.lease }));
    },
  });
  return controllerOf(NAME, cluster, queue, observer);
}

/** Deletes LeaseCandidates that have not been renewed for half an hour. */
export function candidateCollector({ cluster, world, log }: ControllerContext): Controller {
  const name = 'leasecandidate-garbage-collector';
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (candidate, error) => log(`${name}: will retry`, { candidate, error: String(error) }),
  });

  function changed(before: StoredObject | undefined, after: StoredObject | undefined): void {
    // The next check of an existing candidate is already scheduled.
    if (before === undefined && after !== undefined) queue.add(keyOf(after));
  }

  async function sync(key: string): Promise<void> {
    const place = placeOf(cluster, CANDIDATES, key);
    const candidate = place === undefined ? undefined : await cluster.get(place);
    if (place === undefined || candidate === undefined) return;
    const left = endOf(candidateOf(candidate)) - world.clock.now();
    if (left >= 0) {
      queue.addAfter(key, left + 1);
      return;
    }
    const { uid, resourceVersion } = metaOf(candidate);
    await cluster.delete(place, { uid, resourceVersion });
  }

  return controllerOf(name, cluster, queue, observing({ [CANDIDATES]: changed }));
}

const holderOf = (lease: JsonObject): string => textAt(lease, 'spec', 'holderIdentity');

function hasExpired(lease: JsonObject, now: number): boolean {
  const spec = isObject(lease['spec']) ? lease['spec'] : {};
  const renewed = parseTime(textAt(lease, 'spec', 'renewTime'));
  if (renewed === undefined || typeof spec['leaseDurationSeconds'] !== 'number') return true;
  return renewed + numberAt(lease, 'spec', 'leaseDurationSeconds') * 1000 < now;
}
