// The same puts on three members of etcd-server from the machine's packages, where it is installed; its clients are gRPC calls
// from this process, so its servers are also judged by their own CPU time a put.
import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { freePorts } from './group.mjs';
import { clients, cpuOf, row, seconds, wait } from './measure.mjs';

const identity = (bytes) => bytes;

/** Keys and values are written into the request by hand: two fields of bytes. */
function field(number, bytes) {
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
  return Buffer.concat([Buffer.from([number * 8 + 2, ...length]), bytes]);
}

export async function etcd(folder) {
  if (spawnSync('etcd', ['--version']).status !== 0) {
    process.stdout.write('etcd: not installed on this machine, skipped\n');
    return;
  }
  const ports = await freePorts(6);
  const url = (i) => `http://127.0.0.1:${ports[i]}`;
  const initial = [0, 1, 2].map((i) => `m${i}=${url(3 + i)}`).join(',');
  const members = [0, 1, 2].map((i) =>
    spawn('etcd', ['--name', `m${i}`, '--data-dir', join(folder, `etcd${i}`), '--listen-client-urls', url(i), '--advertise-client-urls', url(i), '--listen-peer-urls', url(3 + i), '--initial-advertise-peer-urls', url(3 + i), '--initial-cluster', initial, '--log-level', 'error', '--logger', 'zap'], { stdio: 'ignore' }),
  );
  const channels = [0, 1, 2].map((i) => new Client(`127.0.0.1:${ports[i]}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 }));
  const call = (n, path, request) =>
    new Promise((resolve, reject) => channels[n % 3].makeUnaryRequest(path, identity, identity, request, (error, reply) => (error ? reject(error) : resolve(reply))));
  const value = field(2, Buffer.alloc(512, 7));
  const put = (n) => call(n, '/etcdserverpb.KV/Put', Buffer.concat([field(1, Buffer.from(`/bench/${n % 10_000}`)), value]));
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
    await clients(100, seconds * 1000, put);
    for (const count of [3, 100, 300]) {
      const before = members.map(({ pid }) => cpuOf(pid));
      const result = await clients(count, seconds * 1000, put);
      row('etcd, three members: put 512 B', count, result, members.reduce((sum, { pid }, i) => sum + cpuOf(pid) - before[i], 0));
    }
  } finally {
    for (const channel of channels) channel.close();
    for (const member of members) member.kill('SIGKILL');
  }
}
