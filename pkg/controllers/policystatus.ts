import { type ExpressionWarning, type KnownKind, type KnownKinds, typeCheck } from '../admission/index.js';
import { isObject, type JsonObject, numberAt } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource, ServedResources } from '../registry/index.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { metaOf } from './meta.js';
import { WorkQueue } from './queue.js';

const NAME = 'validatingadmissionpolicy-status-controller';
const GROUP = 'admissionregistration.k8s.io';
const RESOURCE = 'validatingadmissionpolicies';

/** Writes the warnings of type checking into the status of each ValidatingAdmissionPolicy, once for each generation. */
export function policyStatus({ cluster, world, log }: ControllerContext): Controller {
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (key, error) => log(`${NAME}: will try again`, { policy: key, error: String(error) }),
  });

  function changed(resource: ServedResource, _before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (resource.group === GROUP && resource.resource === RESOURCE && after !== undefined) queue.add(after.name);
  }

  async function sync(name: string): Promise<void> {
    const resource = cluster.servedResources().find(GROUP, 'v1', RESOURCE);
    if (resource === undefined) return;
    const policy = await cluster.get({ resource, namespace: '', name });
    if (policy === undefined) return;
    const { resourceVersion } = metaOf(policy);
    const generation = numberAt(policy, 'metadata', 'generation');
    const observed = numberAt(policy, 'status', 'observedGeneration');
    if (generation <= observed) return;
    const warnings = await warningsOf(policy);
    await cluster.patch({ resource, namespace: '', name }, 'status', {
      metadata: { resourceVersion: resourceVersion! },
      status: {
        observedGeneration: generation,
        typeChecking: { expressionWarnings: warnings.length === 0 ? null : warnings.map((w) => ({ ...w })) },
      },
    });
  }

  /** A turn of the event loop for each step: a policy may have thousands of expressions, and long ones. */
  async function warningsOf(policy: JsonObject): Promise<readonly ExpressionWarning[]> {
    const { spec } = policy;
    if (!isObject(spec)) return [];
    const steps = typeCheck(spec, kindsOf(cluster.servedResources()));
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
      await new Promise<void>((resolve) => world.timers.immediate(resolve));
    }
  }

  return controllerOf(NAME, cluster, queue, { changed });
}

function kindsOf(served: ServedResources): KnownKinds {
  const known = (resource: ServedResource | undefined): KnownKind | undefined =>
    resource === undefined
      ? undefined
      : {
          kind: { group: resource.group, version: resource.version, kind: resource.kind },
          schema: resource.schema,
        };
  return {
    ofResource: (group, version, resource) => known(served.find(group, version, resource)),
    ofKind: (kind) => known(served.findKind(kind)),
  };
}
