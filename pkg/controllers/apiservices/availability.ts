import { at, formatTime, type JsonObject, numberAt, objectsAt, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import type { ServedResource } from '../../registry/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { WorkQueue } from '../queue.js';

const NAME = 'apiservice-status-remote-available-controller';
const GROUP = 'apiregistration.k8s.io';
/** Milliseconds between checks of a server whose objects do not change. */
const CHECK_EVERY_MILLISECONDS = 30_000;
/** Milliseconds until the next check of a server that has failed one; they double with each failure, up to the above. */
const CHECK_AGAIN_MILLISECONDS = 5_000;

/** The result of a check of an aggregated server: undefined if it responds, otherwise the reason. */
export type CheckServer = (apiService: JsonObject) => Promise<string | undefined>;

interface Availability {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Keeps the condition `Available` of APIServices: of the local ones, and of those of other servers by calling them. */
export function apiServiceAvailability({ cluster, world, log }: ControllerContext, check: CheckServer): Controller {
  /** The service of each remote APIService, as `namespace/name`. */
  const services = new Map<string, string>();
  /** Checks that failed in succession. */
  const failures = new Map<string, number>();
  const queue = new WorkQueue({
    world,
    workers: 5,
    sync,
    failed: (key, error) => log(`${NAME}: will try again`, { apiService: key, error: String(error) }),
  });

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    const { name, namespace } = (after ?? before)!;
    if (resource.group === GROUP && resource.resource === 'apiservices') {
      services.delete(name);
      if (after === undefined) {
        failures.delete(name);
        return;
      }
      const service = at(after.value(), 'spec', 'service');
      if (service !== undefined) services.set(name, `${textAt(service, 'namespace')}/${textAt(service, 'name')}`);
      queue.add(name);
    } else if (resource.group === '' && resource.resource === 'services') wake(`${namespace}/${name}`);
    else if (resource.group === 'discovery.k8s.io' && resource.resource === 'endpointslices') {
      const of = textAt((after ?? before)!.value(), 'metadata', 'labels', 'kubernetes.io/service-name');
      wake(`${namespace}/${of}`);
    }
  }

  function wake(service: string): void {
    for (const [name, its] of services) if (its === service) queue.add(name);
  }

  async function sync(name: string): Promise<void> {
    const resource = cluster.servedResources().find(GROUP, 'v1', 'apiservices');
    if (resource === undefined) return;
    const object = await cluster.get({ resource, namespace: '', name });
    if (object === undefined) return;
    const service = at(object, 'spec', 'service');
    const found = service === undefined ? LOCAL : await availabilityOf(object, service as JsonObject);
    if (service !== undefined) queue.addAfter(name, untilNext(name, found));
    const conditions = objectsAt(object, 'status', 'conditions');
    const present = conditions.find((c) => textAt(c, 'type') === 'Available');
    if (isSame(present, found)) return;
    const isTransition = textAt(present, 'status') !== found.status;
    const lastTransitionTime = isTransition ? formatTime(world.clock.now()) : textAt(present, 'lastTransitionTime');
    const { resourceVersion } = metaOf(object);
    await cluster.patch({ resource, namespace: '', name }, 'status', {
      metadata: { resourceVersion },
      status: { conditions: [{ type: 'Available', ...found, lastTransitionTime }] },
    });
  }

  function untilNext(name: string, { reason }: Availability): number {
    if (reason !== FAILED_CHECK) {
      failures.delete(name);
      return CHECK_EVERY_MILLISECONDS;
    }
    const failed = failures.get(name) ?? 0;
    failures.set(name, failed + 1);
    return Math.min(CHECK_AGAIN_MILLISECONDS * 2 ** failed, CHECK_EVERY_MILLISECONDS);
  }

  async function availabilityOf(object: JsonObject, reference: JsonObject): Promise<Availability> {
    const [namespace, name] = [textAt(reference, 'namespace'), textAt(reference, 'name')];
    const port = numberAt(reference, 'port');
    const services = cluster.servedResources().find('', 'v1', 'services')!;
    const service = await cluster.get({ resource: services, namespace, name });
    if (service === undefined)
      return {
        status: 'False',
        reason: 'ServiceNotFound',
        message: `service/${name} in "${namespace}" is not present`,
      };
    if (textAt(service, 'spec', 'type') === 'ClusterIP') {
      const found = objectsAt(service, 'spec', 'ports').find((p) => p['port'] === port);
      if (found === undefined)
        return {
          status: 'False',
          reason: 'ServicePortError',
          message: `service/${name} in "${namespace}" is not listening on port ${port}`,
        };
      const problem = await endpointProblem(namespace, name, textAt(found, 'name'));
      if (problem !== undefined) return problem;
    }
    const why = await check(object);
    if (why === undefined) return { status: 'True', reason: 'Passed', message: 'all checks passed' };
    return { status: 'False', reason: FAILED_CHECK, message: why };
  }

  async function endpointProblem(namespace: string, name: string, portName: string): Promise<Availability | undefined> {
    const resource = cluster.servedResources().find('discovery.k8s.io', 'v1', 'endpointslices');
    if (resource === undefined) return undefined;
    const slices = (await cluster.list(resource, namespace)).filter(
      (s) => textAt(s, 'metadata', 'labels', 'kubernetes.io/service-name') === name,
    );
    if (slices.length === 0)
      return {
        status: 'False',
        reason: 'EndpointsNotFound',
        message: `cannot find endpointslices for service/${name} in "${namespace}"`,
      };
    const isReady = slices.some(
      (s) =>
        objectsAt(s, 'ports').some((p) => textAt(p, 'name') === portName) &&
        objectsAt(s, 'endpoints').some((e) => at(e, 'conditions', 'ready') !== false),
    );
    if (isReady) return undefined;
    return {
      status: 'False',
      reason: 'MissingEndpoints',
      message: `endpoints for service/${name} in "${namespace}" have no addresses with port name "${portName}"`,
    };
  }

  return controllerOf(NAME, cluster, queue, { changed });
}

const FAILED_CHECK = 'FailedDiscoveryCheck';

const LOCAL: Availability = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };

const isSame = (present: JsonObject | undefined, found: Availability): boolean =>
  textAt(present, 'status') === found.status &&
  textAt(present, 'reason') === found.reason &&
  textAt(present, 'message') === found.message;
