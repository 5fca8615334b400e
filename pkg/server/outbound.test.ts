import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEgress } from './outbound.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'egress-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const read = (selections: unknown) => {
  const file = join(folder, 'egress.yaml');
  const content = {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: selections,
  };
  writeFileSync(file, JSON.stringify(content));
  return readEgress(file).then(
    (found) => [...found],
    (error: Error) => error.message.replace(`--egress-selector-config-file: ${file}: `, ''),
  );
};
const tcp = (tcpPart: object) => ({ proxyProtocol: 'HTTPConnect', transport: { tcp: tcpPart } });

describe('EgressSelectorConfiguration', () => {
  it('selects connections by network', async () => {
    expect(
      await read([
        { name: 'cluster', connection: tcp({ url: 'http://127.0.0.1:8131' }) },
        {
          name: 'controlplane',
          connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: '/run/p' } } },
        },
        { name: 'etcd', connection: { proxyProtocol: 'GRPC', transport: { uds: { udsName: '/run/k' } } } },
      ]),
    ).toEqual([
      ['cluster', { kind: 'httpConnect', url: 'http://127.0.0.1:8131', tls: undefined }],
      ['controlplane', { kind: 'httpConnect', unixSocket: '/run/p' }],
      ['etcd', { kind: 'grpc', unixSocket: '/run/k' }],
    ]);
  });

  it.each([
    [{ name: 'x', connection: { proxyProtocol: 'Direct' } }, 'egressSelections[0].name: "x" is not one of'],
    [{ name: 'cluster', connection: { proxyProtocol: 'GRPC' } }, '.transport: exactly one of tcp and uds'],
    [{ name: 'cluster', connection: { proxyProtocol: 'HTTPConnect' } }, '.transport: exactly one of tcp and uds'],
    [{ name: 'cluster', connection: tcp({ url: 'ftp://a' }) }, '.transport.tcp.url: must be an http or https URL'],
    [{ name: 'cluster', connection: tcp({ url: 'https://a', tlsConfig: { clientKey: 'k' } }) }, 'must be set together'],
    [{ name: 'cluster', connection: tcp({ url: 'https://a', tlsConfig: { caBundle: '/none' } }) }, 'caBundle: ENOENT'],
    [{ name: 'cluster', connection: { proxyProtocol: 'Other' } }, 'proxyProtocol'],
  ])('refuses %j', async (selection, why) => {
    expect(await read([selection])).toContain(why);
  });
});
