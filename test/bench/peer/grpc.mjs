// Comparable with the mode etcd: the same clients, in this process, over plain gRPC, to three peers that serve only
// their keyspace (kv.mjs).
import { Group } from './group.mjs';
import { KvClients } from './kv.mjs';
import { clients, cpuOf, row, seconds, warmUp } from './measure.mjs';

export async function grpc(folder) {
  const group = new Group(folder);
  let load;
  try {
    await group.start();
    const { children } = group;
    const ports = await Promise.all(children.map((child) => child.ask('serveKv')));
    load = new KvClients(ports.map((port) => `127.0.0.1:${port}`));
    const put = (n) => load.put(n);
    await warmUp(put);
    for (const count of [3, 100, 300]) {
      const before = children.map(({ pid }) => cpuOf(pid));
      const result = await clients(count, seconds * 1000, put);
      row('three peers, gRPC: put 512 B', count, result, children.reduce((sum, { pid }, i) => sum + cpuOf(pid) - before[i], 0));
    }
  } finally {
    load?.close();
    await group.stop();
  }
}
