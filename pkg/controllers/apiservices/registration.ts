import { equalJson, type JsonObject, objectAt, textAt } from '../../api/index.js';
import type { StoredObject } from '../../cache/index.js';
import type { ServedResource } from '../../registry/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { WorkQueue } from '../queue.js';

const NAME = 'autoregister';
const GROUP = 'apiregistration.k8s.io';
/**
 * `onstart`: for versions of built-in kinds, corrected once after each start. `true`: for versions of definitions, corrected always, and
 * removed with them. A user who removes the label keeps what he has changed.
 */
const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** Priorities of the built-in groups in discovery, as in kube-apiserver; [group, version], 15 where no version is named. */
const GROUP_PRIORITIES: Readonly<Record<string, number>> = {
  '': 18_000,
  apps: 17_800,
  'events.k8s.io': 17_750,
  'authentication.k8s.io': 17_700,
  'authorization.k8s.io': 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  'certificates.k8s.io': 17_300,
  'networking.k8s.io': 17_200,
  policy: 17_100,
  'rbac.authorization.k8s.io': 17_000,
  'storage.k8s.io': 16_800,
  'admissionregistration.k8s.io': 16_700,
  'apiextensions.k8s.io': 16_700,
  'scheduling.k8s.io': 16_600,
  'coordination.k8s.io': 16_500,
  'node.k8s.io': 16_300,
  'discovery.k8s.io': 16_200,
  'resource.k8s.io': 16_200,
  'flowcontrol.apiserver.k8s.io': 16_100,
  'internal.apiserver.k8s.io': 16_000,
  'storagemigration.k8s.io': 15_800,
};
const VERSION_PRIORITIES: Readonly<Record<string, number>> = {
  '/v1': 1,
  'autoscaling/v2': 30,
  'flowcontrol.apiserver.k8s.io/v1': 21,
  'resource.k8s.io/v1': 21,
};
const CUSTOM_PRIORITIES = { groupPriorityMinimum: 1000, versionPriority: 100 } as const;

/**
 * Keeps a local APIService for every group version that this server serves, and removes those of versions that no longer exist. One of a
 * built-in version that is deleted or changed stays so until the next start, as with kube-apiserver.
 */
export function apiServiceRegistration({ cluster, world, log }: ControllerContext): Controller {
  const queue = new WorkQueue({
    world,
    workers: 4,
    sync,
    failed: (key, error) => log(`${NAME}: will try again`, { apiService: key, error: String(error) }),
  });

  /** The names of those that have been corrected since the start, and of those that existed then. */
  const done = new Set<string>();
  const atStart = new Set<string>();

  const nameOf = ({ group, version }: { readonly group: string; readonly version: string }): string =>
    `${version}.${group}`;

  function changed(resource: ServedResource, _before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (resource.group !== GROUP || resource.resource !== 'apiservices') return;
    const name = (after ?? _before)!.name;
    queue.add(name);
  }

  async function sync(name: string): Promise<void> {
    const resource = cluster.servedResources().find(GROUP, 'v1', 'apiservices');
    if (resource === undefined) return;
    const wanted = expected(name);
    const isDone = done.has(name);
    if (isDone && managementOf(wanted) === 'onstart') return;
    const place = { resource, namespace: '', name };
    const present = await cluster.get(place);
    if (present === undefined) {
      if (wanted !== undefined) await cluster.create(resource, '', wanted);
    } else if (
      managementOf(present) === 'true' ||
      (managementOf(present) === 'onstart' && atStart.has(name) && !isDone)
    ) {
      const { uid, resourceVersion } = metaOf(present);
      const former = objectAt(present, 'spec') ?? {};
      const spec = objectAt(wanted, 'spec') ?? {};
      const dropped = Object.keys(former).filter((f) => !Object.hasOwn(spec, f));
      if (wanted === undefined) await cluster.delete(place, { uid, resourceVersion });
      else if (!equalJson(former, spec))
        await cluster.patch(place, '', {
          metadata: { uid, resourceVersion },
          spec: { ...spec, ...Object.fromEntries(dropped.map((f) => [f, null])) },
        });
    }
    done.add(name);
  }

  /** The local APIService of this name; undefined if this server does not serve the version. */
  function expected(name: string): JsonObject | undefined {
    const dot = name.indexOf('.');
    const [version, group] = [name.slice(0, dot), name.slice(dot + 1)];
    if (!cluster.servedResources().hasVersion(group, version)) return undefined;
    const builtin = Object.hasOwn(GROUP_PRIORITIES, group);
    const priorities = builtin
      ? {
          groupPriorityMinimum: GROUP_PRIORITIES[group]!,
          versionPriority: VERSION_PRIORITIES[`${group}/${version}`] ?? (/alpha|beta/.test(version) ? 9 : 15),
        }
      : CUSTOM_PRIORITIES;
    return {
      apiVersion: `${GROUP}/v1`,
      kind: 'APIService',
      metadata: { name, labels: { [MANAGED]: builtin ? 'onstart' : 'true' } },
      spec: { ...(group === '' ? {} : { group }), version, ...priorities },
    };
  }

  const consider = (resource: ServedResource): void => {
    if (resource.group !== GROUP) queue.add(nameOf(resource));
  };
  const controller = controllerOf(NAME, cluster, queue, { added: consider, removed: consider, changed });
  return {
    ...controller,
    get counts() {
      return controller.counts;
    },
    start: async () => {
      done.clear();
      atStart.clear();
      const resource = cluster.servedResources().find(GROUP, 'v1', 'apiservices');
      if (resource !== undefined) for (const { name } of cluster.known(resource, '')) atStart.add(name);
      for (const { group, versions } of cluster.servedResources().groups)
        if (group !== GROUP) for (const { version } of versions) queue.add(nameOf({ group, version }));
      await controller.start();
    },
  };
}

const managementOf = (object: JsonObject | undefined): string => textAt(object, 'metadata', 'labels', MANAGED);
