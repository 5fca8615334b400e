import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { envtestArguments } from './envtest.js';

const etcd = createServer((_, response) => response.end(JSON.stringify({ dataDir: '/data' })));
let servers = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => etcd.listen(0, '127.0.0.1', resolve));
  servers = `--etcd-servers=http://127.0.0.1:${(etcd.address() as AddressInfo).port}`;
});
afterAll(() => {
  etcd.close();
});

describe('the flags of kube-apiserver in an envtest assets folder', () => {
  it('name the folder of the store instead of etcd, and run no controllers of kube-controller-manager', async () => {
    expect(await envtestArguments([servers, '--etcd-prefix=/x', '--secure-port', '1'])).toEqual([
      '--secure-port=1',
      '--controllers=-*',
      '--data-dir=/data',
    ]);
  });

  it('run controllers that are asked for', async () => {
    expect(await envtestArguments([servers, '--controllers=*'])).toEqual(['--controllers=*', '--data-dir=/data']);
  });
});
