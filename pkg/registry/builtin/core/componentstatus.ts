import { errors, type JsonObject } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { Objects, ResourceDeclaration } from '../../resource.js';
import { objectsAt, textAt } from '../access.js';
import type { ClusterConfig, ComponentHealth } from '../cluster.js';
import { versions } from '../form.js';
import { column, table } from '../table.js';

/** A component and how its health is found. */
interface Component {
  readonly name: string;
  health(objects: Objects): Promise<ComponentHealth>;
}

/** The two programs beside the server at the ports that they have by default, and the store under the name that etcd has. */
function componentsOf({ probe }: ClusterConfig): readonly Component[] {
  return [
    { name: 'controller-manager', health: () => probe('https://127.0.0.1:10257/healthz') },
    { name: 'scheduler', health: () => probe('https://127.0.0.1:10259/healthz') },
    { name: 'etcd-0', health: storeHealth },
  ];
}

async function storeHealth(objects: Objects): Promise<ComponentHealth> {
  try {
    // A consistent read needs the store.
    await objects.get({ group: '', resource: 'namespaces', namespace: '', name: 'kube-system' });
    return { status: 'True', message: 'ok', error: '' };
  } catch (e) {
    return { status: 'False', message: e instanceof Error ? e.message : String(e), error: '' };
  }
}

async function statusOf({ name, health }: Component, objects: Objects): Promise<JsonObject> {
  const { status, message, error } = await health(objects);
  const texts = { ...(message === '' ? {} : { message }), ...(error === '' ? {} : { error }) };
  return { metadata: { name }, conditions: [{ type: 'Healthy', status, ...texts }] };
}

/** The health of components as objects, which are not stored. Deprecated upstream since 1.19 and kept for old clients. */
export function componentStatus(cluster: ClusterConfig): ResourceDeclaration<shapes.CoreV1ComponentStatus> {
  const components = componentsOf(cluster);
  return {
    group: '',
    resource: 'componentstatuses',
    singular: 'componentstatus',
    kind: 'ComponentStatus',
    deprecated: 'v1.19+',
    versions: versions('v1'),
    storageVersion: 'v1',
    namespaced: false,
    shortNames: ['cs'],
    verbs: ['get', 'list'],
    strategy: {},
    virtual: async ({ verb, name, objects }) => {
      const head = { kind: 'ComponentStatus', apiVersion: 'v1' };
      if (verb === 'list') {
        const items = await Promise.all(components.map((c) => statusOf(c, objects)));
        return { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items };
      }
      const component = components.find((c) => c.name === name);
      if (component !== undefined) return { ...head, ...(await statusOf(component, objects)) };
      throw errors.notFound({ group: '', resource: 'componentstatus' }, name);
    },
    table: table(
      [
        column('Status', 'Healthy or not.'),
        column('Message', 'What the component says.'),
        column('Error', 'What went wrong.'),
      ],
      (o) => {
        const healthy = objectsAt(o, 'conditions').find((c) => textAt(c, 'type') === 'Healthy');
        return [
          textAt(healthy, 'status') === 'True' ? 'Healthy' : 'Unhealthy',
          textAt(healthy, 'message'),
          textAt(healthy, 'error'),
        ];
      },
    ),
  };
}
