import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { testPeerCa } from '../testing/certs.js';
import { type ServerPorts, servePeers } from './server.js';

// This server accepts nothing.
const ports = {} as ServerPorts;

it('reports which address is not available, and why', async () => {
  const tls = await (await testPeerCa()).issue('a');
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const taken = `https://127.0.0.1:${(other.address() as AddressInfo).port}`;
  try {
    await expect(servePeers(['https://127.0.0.1:0', taken], tls, ports)).rejects.toThrow(
      `cannot listen for peers on ${taken} (--listen-peer-urls): the port is taken by another process`,
    );
  } finally {
    other.close();
  }
});
