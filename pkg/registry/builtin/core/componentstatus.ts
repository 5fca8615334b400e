import { errors, type JsonObject } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { Objects, ResourceDeclaration } from '../../resource.js';
import { objectsAt, textAt } from '../access.js';
import { versions } from '../form.js';
import { column, table } from '../table.js';

/** The store has the name that etcd has. Controllers run in this process, and a scheduler is not part of it. */
const STORE = 'etcd-0';

async function storeStatus(objects: Objects): Promise<JsonObject> {
  let fault: string | undefined;
  try {
    // A consistent read needs the store.
    await objects.get({ group: '', resource: 'namespaces', namespace: '', name: 'kube-system' });
  } catch (e) {
    fault = e instanceof Error ? e.message : String(e);
  }
  const health = fault === undefined ? { status: 'True', message: 'ok' } : { status: 'False', message: fault };
  return { metadata: { name: STORE }, conditions: [{ type: 'Healthy', ...health }] };
}

/** The health of components as objects, which are not stored. Deprecated upstream since 1.19 and kept for old clients. */
export const componentStatus: ResourceDeclaration<shapes.CoreV1ComponentStatus> = {
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
    if (verb === 'list')
      return { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items: [await storeStatus(objects)] };
    if (name === STORE) return { ...head, ...(await storeStatus(objects)) };
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
