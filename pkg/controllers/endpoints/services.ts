import { type JsonObject, objectAt, objectsAt, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import type { ControllerContext } from '../controller.js';
import { keyOf, servedResource } from '../observe.js';
import { hasEnded, hasLabels, isDeleting } from '../pods.js';

/** Changes of pods within this time are processed in one round. */
const BATCH_MILLISECONDS = 20;
/** Objects that are examined between two yields. */
const SLICE = 500;

/** Delivers the services whose endpoints may have changed. */
export class ServiceIndex {
  /** Namespace -> name -> selector. Services without a selector are omitted. */
  readonly #selectors = new Map<string, Map<string, JsonObject>>();
  readonly #changed: (key: string, milliseconds: number) => void;

  constructor(changed: (key: string, milliseconds: number) => void) {
    this.#changed = changed;
  }

  service(before: StoredObject | undefined, after: StoredObject | undefined): void {
    const { namespace, name } = (after ?? before)!;
    const here = this.#selectors.get(namespace) ?? new Map<string, JsonObject>();
    const selector = objectAt(after?.value(), 'spec', 'selector');
    if (Object.keys(selector).length === 0) here.delete(name);
    else here.set(name, selector);
    if (here.size === 0) this.#selectors.delete(namespace);
    else this.#selectors.set(namespace, here);
    this.#changed(keyOf({ namespace, name }), 0);
  }

  pod(before: StoredObject | undefined, after: StoredObject | undefined): void {
    const { namespace } = (after ?? before)!;
    const here = this.#selectors.get(namespace);
    if (here === undefined) return;
    const [old, now] = [before?.labels() ?? {}, after?.labels() ?? {}];
    let relevant: boolean | undefined;
    for (const [name, selector] of here) {
      const [did, does] = [hasLabels(old, selector), hasLabels(now, selector)];
      if (!did && !does) continue;
      if (did && does) relevant ??= seenByServices(before!) !== seenByServices(after!);
      if (did !== does || relevant === true) this.#changed(keyOf({ namespace, name }), BATCH_MILLISECONDS);
    }
  }

  has(namespace: string, name: string): boolean {
    return this.#selectors.get(namespace)?.has(name) === true;
  }
}

/** The properties of a pod that endpoints show, as a text for comparison. */
function seenByServices(stored: StoredObject): string {
  const pod = stored.value();
  const ready = objectsAt(pod, 'status', 'conditions').find((c) => textAt(c, 'type') === 'Ready');
  return JSON.stringify([
    textAt(pod, 'status', 'podIP'),
    objectsAt(pod, 'status', 'podIPs'),
    ready === undefined ? '' : [textAt(ready, 'status'), textAt(ready, 'lastTransitionTime')],
    isDeleting(pod),
    hasEnded(pod),
    textAt(pod, 'spec', 'nodeName'),
    textAt(pod, 'spec', 'hostname'),
    textAt(pod, 'spec', 'subdomain'),
  ]);
}

/** The pods of a namespace with the labels of a selector, by name. */
export async function podsOf(
  { cluster, world }: ControllerContext,
  namespace: string,
  selector: JsonObject,
): Promise<readonly JsonObject[]> {
  const found: JsonObject[] = [];
  let n = 0;
  for (const stored of cluster.known(servedResource(cluster.servedResources(), 'pods')!, namespace)) {
    if (++n % SLICE === 0) await new Promise<void>((resolve) => void world.timers.after(0, resolve));
    if (hasLabels(stored.labels(), selector)) found.push(stored.parse());
  }
  return found;
}

/** Reports whether a pod has an address that a Service may show. */
export const hasAddress = (pod: JsonObject): boolean =>
  !hasEnded(pod) && (textAt(pod, 'status', 'podIP') !== '' || objectsAt(pod, 'status', 'podIPs').length > 0);

export const isHeadless = (service: JsonObject): boolean => {
  const ip = textAt(service, 'spec', 'clusterIP');
  return ip === '' || ip === 'None';
};

/** The host name of a pod within a Service, or ''. */
export function hostnameIn(pod: JsonObject, service: JsonObject): string {
  const inside = textAt(pod, 'spec', 'subdomain') === textAt(service, 'metadata', 'name');
  return inside ? textAt(pod, 'spec', 'hostname') : '';
}

/** The number of a service port in a pod; undefined if no container has a port of that name. */
export function targetPortOf(pod: JsonObject, servicePort: JsonObject): number | undefined {
  const target = servicePort['targetPort'];
  if (typeof target === 'number') return target;
  if (typeof target !== 'string') return undefined;
  const sidecars = objectsAt(pod, 'spec', 'initContainers').filter((c) => textAt(c, 'restartPolicy') === 'Always');
  const protocol = textAt(servicePort, 'protocol');
  for (const container of [...objectsAt(pod, 'spec', 'containers'), ...sidecars])
    for (const port of objectsAt(container, 'ports'))
      if (textAt(port, 'name') === target && textAt(port, 'protocol') === protocol)
        return Number(port['containerPort']);
  return undefined;
}

/** The reference to a pod in its endpoints. */
export const podReference = (pod: JsonObject): JsonObject => ({
  kind: 'Pod',
  namespace: textAt(pod, 'metadata', 'namespace'),
  name: textAt(pod, 'metadata', 'name'),
  uid: textAt(pod, 'metadata', 'uid'),
});
