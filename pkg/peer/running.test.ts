import { describe, expect, it } from 'vitest';
import { SILENT_NETWORK } from './network.js';
import { openPeer } from './peer.js';
import { soloConfig } from './testing/solo.js';
import { threadWorld } from './thread/world.js';
import type { OpenWires } from './wires.js';

describe('a peer that is closed while it is still taking its addresses', () => {
  it('is closed when they are free again', async () => {
    const said: string[] = [];
    let taken = (): void => {};
    const openWires: OpenWires = () =>
      new Promise((resolve) => {
        const network = { ...SILENT_NETWORK, close: async () => void said.push('free') };
        taken = () => resolve({ network, addresses: [], askLeader: () => Promise.reject(new Error('nobody')) });
      });
    const network = { listenUrls: [], advertiseUrls: [], tls: { ca: '', cert: '', key: '' } };
    const peer = await openPeer(soloConfig({ network }), threadWorld(), {}, openWires);
    const closed = peer.close().then(() => said.push('closed'));
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    taken();
    await closed;
    expect([said[0], said.at(-1)]).toEqual(['free', 'closed']);
  });
});
