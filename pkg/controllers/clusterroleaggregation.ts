import { equalJson, type JsonObject, type JsonValue, listAt, objectAt, objectsAt, textAt } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';
import type { ServedResource } from '../registry/index.js';
import { type Controller, type ControllerContext, controllerOf } from './controller.js';
import { metaOf } from './meta.js';
import { WorkQueue } from './queue.js';

const NAME = 'clusterrole-aggregation-controller';
const GROUP = 'rbac.authorization.k8s.io';

interface KnownRole {
  readonly labels: Readonly<Record<string, string>>;
  readonly aggregates: boolean;
}

/** Fills the rules of each ClusterRole with an `aggregationRule` from the ClusterRoles that its selectors match. */
export function clusterRoleAggregation({ cluster, world, log }: ControllerContext): Controller {
  const roles = new Map<string, KnownRole>();
  const queue = new WorkQueue({
    world,
    workers: 2,
    sync,
    failed: (key, error) => log(`${NAME}: will try again`, { role: key, error: String(error) }),
  });

  function changed(resource: ServedResource, before: StoredObject | undefined, after: StoredObject | undefined): void {
    if (resource.group !== GROUP || resource.resource !== 'clusterroles') return;
    if (after === undefined) roles.delete(before!.name);
    else
      roles.set(after.name, {
        labels: after.labels(),
        aggregates: selectorsOf(after.value()).length > 0,
      });
    for (const [name, { aggregates }] of roles) if (aggregates) queue.add(name);
  }

  async function sync(name: string): Promise<void> {
    const resource = cluster.servedResources().find(GROUP, 'v1', 'clusterroles');
    if (resource === undefined) return;
    const role = await cluster.get({ resource, namespace: '', name });
    if (role === undefined) return;
    const selectors = selectorsOf(role);
    if (selectors.length === 0) return;
    const rules: JsonValue[] = [];
    for (const selector of selectors) {
      const matching = [...roles].filter(([other, { labels }]) => other !== name && matches(selector, labels));
      for (const [other] of matching.sort(([a], [b]) => (a < b ? -1 : 1))) {
        const found = await cluster.get({ resource, namespace: '', name: other });
        for (const rule of listAt(found, 'rules')) if (!rules.some((r) => equalJson(r, rule))) rules.push(rule);
      }
    }
    if (equalJson(rules, [...listAt(role, 'rules')])) return;
    const { resourceVersion } = metaOf(role);
    await cluster.apply({ resource, namespace: '', name }, '', { metadata: { resourceVersion }, rules });
  }

  return controllerOf(NAME, cluster, queue, { changed });
}

const selectorsOf = (role: JsonObject): readonly JsonObject[] =>
  objectsAt(role, 'aggregationRule', 'clusterRoleSelectors');

/** Reports whether a LabelSelector matches. An empty one matches everything; an unknown operator matches nothing. */
export function matches(selector: JsonObject, labels: Readonly<Record<string, string>>): boolean {
  return (
    Object.entries(objectAt(selector, 'matchLabels')).every(([key, value]) => labelOf(labels, key) === value) &&
    objectsAt(selector, 'matchExpressions').every((expression) => {
      const value = labelOf(labels, textAt(expression, 'key'));
      const values = listAt(expression, 'values');
      switch (textAt(expression, 'operator')) {
        case 'In':
          return value !== undefined && values.includes(value);
        case 'NotIn':
          return value === undefined || !values.includes(value);
        case 'Exists':
          return value !== undefined;
        case 'DoesNotExist':
          return value === undefined;
        default:
          return false;
      }
    })
  );
}

const labelOf = (labels: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(labels, key) ? labels[key] : undefined;
