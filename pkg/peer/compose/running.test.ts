import { describe, expect, it } from 'vitest';
import { NO_TRANSPORT, type Transport, type TransportProvider } from '../network/index.js';
import { soloConfig } from '../testing/solo.js';
import { threadWorld } from '../thread/world.js';
import { openPeer } from './peer.js';

describe('a peer that is closed while it opens its addresses', () => {
  it('is closed only when its addresses are free again', async () => {
    const said: string[] = [];
    let opened = (): void => {};
    const open = (): Promise<Transport> =>
      new Promise((resolve) => {
        opened = () => resolve({ ...NO_TRANSPORT, close: async () => void said.push('free') });
      });
    const network = { listenUrls: [], advertiseUrls: [], tls: { ca: '', cert: '', key: '' } };
    const loadTransport = async () => ({ open }) as unknown as TransportProvider;
    const peer = await openPeer(soloConfig({ network }), threadWorld(), {}, { loadTransport });
    const closed = peer.close().then(() => said.push('closed'));
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    opened();
    await closed;
    expect([said[0], said.at(-1)]).toEqual(['free', 'closed']);
  });
});
