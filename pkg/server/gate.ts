import type { AuthObjects } from '../auth/index.js';
import type { World } from '../base/index.js';
import type { Config } from '../config/index.js';
import { Fairness, KindUses } from '../fairness/index.js';
import {
  fairnessGate,
  type Gate,
  httpLimits,
  InFlightLimiter,
  inFlightGate,
  type RequestCounter,
  type ResourceLoad,
  type Shed,
} from '../http/index.js';
import type { Registry } from '../registry/index.js';
import type { ApiServerMetrics, Family } from '../telemetry/index.js';
import { followFlowControl } from './flowcontrol.js';

export interface GateParts {
  readonly world: World;
  readonly config: Config;
  readonly registry: Registry;
  readonly objects: AuthObjects;
  readonly metrics: ApiServerMetrics;
  /** Counts the requests that are rejected. */
  readonly counter: RequestCounter;
}

/** The limit of concurrent requests of a server. */
export interface OpenGate {
  readonly gate: Gate;
  readonly families: readonly Family[];
  /** Absent without priority and fairness. */
  readonly fairness: Fairness | undefined;
  beforeScrape(): void;
  close(): void;
}

/** Creates priority and fairness, or the two plain limits if it is disabled or there is no limit. */
export function openGate({ world, config, registry, objects, metrics, counter }: GateParts): OpenGate {
  const { requestsInFlight, mutatingInFlight, fairness: isFair } = config.limits;
  const serverSeats = requestsInFlight + mutatingInFlight;
  if (!isFair || serverSeats === 0) {
    const monotonic = (): number => world.clock.monotonic();
    const uses = new KindUses(monotonic, { readOnly: requestsInFlight, mutating: mutatingInFlight });
    const readOnly = new InFlightLimiter(world, requestsInFlight, uses.readOnly.executing);
    const mutating = new InFlightLimiter(world, mutatingInFlight, uses.mutating.executing);
    const shed: Shed = (call) => {
      counter.shed(call);
      metrics.dropped(call.exchange.method === 'GET' ? 'readOnly' : 'mutating');
    };
    return {
      gate: inFlightGate({ readOnly, mutating, now: monotonic, shed }),
      families: [uses.family],
      fairness: undefined,
      beforeScrape() {
        metrics.readOnlyInFlight.value = readOnly.running;
        metrics.mutatingInFlight.value = mutating.running;
      },
      close: () => {},
    };
  }
  const requestsMax = { readOnly: requestsInFlight, mutating: mutatingInFlight };
  const fairness = new Fairness({ world, requestsMax, queueMilliseconds: httpLimits.queueTime });
  const stop = followFlowControl(objects, fairness);
  return {
    gate: fairnessGate({
      fairness,
      inFlight: { readOnly: metrics.readOnlyInFlight, mutating: metrics.mutatingInFlight },
      load: (info) => loadOf(registry, info),
      shed: (call) => counter.shed(call),
    }),
    families: fairness.metrics.families,
    fairness,
    beforeScrape: () => fairness.metrics.update(world.clock.monotonic()),
    close() {
      stop();
      fairness.close();
    },
  };
}

function loadOf(
  registry: Registry,
  about: { readonly group: string; readonly version: string; readonly resource: string },
): ResourceLoad | undefined {
  const served = registry.servedResources.find(about.group, about.version, about.resource);
  const collection = served === undefined ? undefined : registry.cache.collection(served.storage.prefix);
  if (collection === undefined) return undefined;
  const { size, bytes, watchers } = collection;
  return { objects: size, bytesAverage: size === 0 ? 0 : bytes / size, watchers };
}
