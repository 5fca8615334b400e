import { ApiError, equalJson, type JsonObject } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from '../registry/index.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { metaOf } from './meta.js';
import { WorkQueue } from './queue.js';

const WORKERS = 4;

/** The objects that every namespace gets. */
interface Given {
  readonly name: string;
  readonly resource: 'serviceaccounts' | 'configmaps';
  readonly object: JsonObject;
  /** Restored if it was changed; otherwise only created if it is missing. */
  readonly kept: boolean;
}

/** The service account of pods that do not set one. */
export function defaultServiceAccount(context: ControllerContext): Controller {
  return keepInEveryNamespace('serviceaccount-controller', context, {
    name: 'default',
    resource: 'serviceaccounts',
    object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } },
    kept: false,
  });
}

/** The certificates by which pods verify the API server. */
export function rootCaPublisher(context: ControllerContext, certificates: string): Controller {
  const name = 'kube-root-ca.crt';
  const description =
    'Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.';
  return keepInEveryNamespace('root-ca-certificate-publisher-controller', context, {
    name,
    resource: 'configmaps',
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, annotations: { 'kubernetes.io/description': description } },
      data: { 'ca.crt': certificates },
    },
    kept: true,
  });
}

function keepInEveryNamespace(controller: string, context: ControllerContext, given: Given): Controller {
  const { cluster, world } = context;
  const queue = new WorkQueue({
    world,
    workers: WORKERS,
    sync,
    failed: (key, error) => context.log(`${controller}: will try again`, { namespace: key, error: String(error) }),
  });

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (resource.group !== '') return;
    if (resource.resource === 'namespaces' && after !== undefined && before === undefined) queue.add(after.name);
    if (resource.resource !== given.resource) return;
    const object = after ?? before;
    if (object?.name === given.name && (after === undefined || given.kept)) queue.add(object.namespace);
  }

  async function sync(namespace: string): Promise<void> {
    const servedResources = cluster.servedResources();
    const parent = await cluster.get({
      resource: servedResources.find('', 'v1', 'namespaces')!,
      namespace: '',
      name: namespace,
    });
    if (parent === undefined || metaOf(parent).deleting) return;
    const resource = servedResources.find('', 'v1', given.resource)!;
    const place = { resource, namespace, name: given.name };
    const present = await cluster.get(place);
    try {
      if (present === undefined) await cluster.create(resource, namespace, given.object);
      else if (given.kept && !equalJson(present['data'], given.object['data']))
        await cluster.replace(place, '', { ...present, data: given.object['data']! });
    } catch (e) {
      // It exists now, or the namespace is being deleted: there is nothing to do.
      if (e instanceof ApiError && (e.status.code === 409 || e.status.code === 403 || e.status.code === 404)) return;
      throw e;
    }
  }

  return controllerOf(controller, cluster, queue, { changed });
}
