// Comparable with the mode etcd: for both, the clients are in this process and spread over the three peers or members. Here each
// write is a POST of a ConfigMap of about 512 bytes over HTTPS with client certificates: authentication, validation, managed fields,
// JSON and TLS are included. In the mode etcd each write is a gRPC put of 512 bytes without TLS.
import { ApiServers } from './apiservers.mjs';
import { clients, cpuOf, row, seconds } from './measure.mjs';

const PATH = '/api/v1/namespaces/default/configmaps';

export async function https(folder) {
  const servers = new ApiServers(folder);
  let n = 0;
  const create = async (i) => {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c-${n++}` }, data: { text: 'x'.repeat(400) } });
    const { status } = await servers.ask(servers.peers[i % 3], 'POST', PATH, { body });
    if (status !== 201) throw new Error(`a create got status ${status}`);
  };
  const cpu = () => servers.peers.reduce((sum, { child }) => sum + cpuOf(child.pid), 0);
  try {
    await servers.start();
    await servers.leader();
    await clients(100, seconds * 1000, create);
    for (const count of [3, 100, 300]) {
      const before = cpu();
      const result = await clients(count, seconds * 1000, create);
      row('three API servers: create 512 B', count, result, cpu() - before);
    }
  } finally {
    servers.stop();
  }
}
