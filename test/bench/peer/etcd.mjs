// The same puts on three members of the installed etcd-server package, with mutual TLS between them as between trireme
// peers. The clients are gRPC calls from this process. Compare it with the mode grpc. CPU time covers only the servers.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { certificates, freePorts } from './group.mjs';
import { KvClients } from './kv.mjs';
import { clients, cpuOf, row, seconds, wait, warmUp } from './measure.mjs';

export async function etcd(folder) {
  if (spawnSync('etcd', ['--version']).status !== 0) {
    process.stdout.write('etcd: not installed on this machine, skipped\n');
    return;
  }
  const ports = await freePorts(6);
  const url = (i) => `http://127.0.0.1:${ports[i]}`;
  const peerUrl = (i) => `https://127.0.0.1:${ports[3 + i]}`;
  const initial = [0, 1, 2].map((i) => `m${i}=${peerUrl(i)}`).join(',');
  certificates(folder);
  const tls = ['--peer-client-cert-auth', '--peer-trusted-ca-file', join(folder, 'ca.crt'), '--peer-cert-file', join(folder, 'peer.crt'), '--peer-key-file', join(folder, 'peer.key')];
  const members = [0, 1, 2].map((i) =>
    spawn('etcd', ['--name', `m${i}`, '--data-dir', join(folder, `etcd${i}`), '--listen-client-urls', url(i), '--advertise-client-urls', url(i), '--listen-peer-urls', peerUrl(i), '--initial-advertise-peer-urls', peerUrl(i), '--initial-cluster', initial, ...tls, '--log-level', 'error', '--logger', 'zap'], { stdio: 'ignore' }),
  );
  const load = new KvClients([0, 1, 2].map((i) => `127.0.0.1:${ports[i]}`));
  const put = (n) => load.put(n);
  try {
    for (let tries = 0; ; tries++) {
      try {
        await Promise.all([0, 1, 2].map(put));
        break;
      } catch (error) {
        if (tries > 50) throw error;
        await wait(200);
      }
    }
    await warmUp(put);
    for (const count of [3, 100, 300]) {
      const before = members.map(({ pid }) => cpuOf(pid));
      const result = await clients(count, seconds * 1000, put);
      row('etcd, three members: put 512 B', count, result, members.reduce((sum, { pid }, i) => sum + cpuOf(pid) - before[i], 0));
    }
  } finally {
    load.close();
    for (const member of members) member.kill('SIGKILL');
  }
}
