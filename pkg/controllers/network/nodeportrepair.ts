import type { JsonObject } from '../../api/index.js';
import { type Revision, revision } from '../../base/index.js';
import { heldPorts, NODE_PORT_PREFIX } from '../../registry/index.js';
import { type Compare, type Keyspace, type Op, prefixEnd } from '../../storage/index.js';
import { type Controller, type ControllerContext, controllerOf } from '../controller.js';
import { metaOf } from '../meta.js';
import { observing, servedResource } from '../observe.js';
import { WorkQueue } from '../queue.js';

const NAME = 'portallocator-repair-controller';

/**
 * Reconciles the list of allocated node ports with the services, once when a peer becomes the leader. Services and the
 * list are written in one transaction, so they differ only after data of another server was restored.
 */
export function nodePortRepair({ cluster, world, log }: ControllerContext, keyspace: Keyspace): Controller {
  const queue = new WorkQueue({
    world,
    workers: 1,
    sync,
    failed: (_, error) => log(`${NAME}: will retry`, { error: String(error) }),
  });

  async function sync(): Promise<void> {
    // A port and its service are written together: if the later list has no service for a port of this read, the port
    // was released meanwhile or belongs to none.
    const read = await keyspace.range({ start: NODE_PORT_PREFIX, end: prefixEnd(NODE_PORT_PREFIX) });
    if (read.kind !== 'ok') throw new Error(`cannot read ${NODE_PORT_PREFIX}`);
    const owners = new Map<number, string>();
    await cluster.visit(servedResource(cluster.servedResources(), 'services')!, '', (service: JsonObject) => {
      const { namespace, name } = metaOf(service);
      for (const port of heldPorts(service)) owners.set(port, `${namespace}/${name}`);
    });
    const allocated = new Map(read.items.map((item) => [Number(item.key.slice(NODE_PORT_PREFIX.length)), item]));
    for (const [port, { key, modRevision }] of allocated) {
      if (owners.has(port)) continue;
      log(`${NAME}: a node port that no service has is released`, { port });
      await write({ key, modRevision }, { kind: 'delete', key });
    }
    for (const [port, owner] of owners) {
      if (allocated.has(port)) continue;
      log(`${NAME}: the node port of a service is allocated`, { port, service: owner });
      const key = `${NODE_PORT_PREFIX}${port}`;
      await write({ key, modRevision: ABSENT }, { kind: 'put', key, value: Buffer.from(owner) });
    }
  }

  /** A conflict means that a service changed the port meanwhile. */
  async function write(compare: Compare, op: Op): Promise<void> {
    const result = await keyspace.txn({ compares: [compare], ops: [op] });
    if (result.kind === 'refused' || result.kind === 'unknown') throw new Error(result.message);
  }

  return controllerOf(NAME, cluster, queue, observing({}), ['all']);
}

const ABSENT: Revision = revision(0);
