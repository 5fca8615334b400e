import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEgress } from './egressfile.js';

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
    (found) => (found === undefined ? undefined : [...found]),
    (error: Error) => error.message,
  );
};
const tcp = (tcpPart: object) => ({ proxyProtocol: 'HTTPConnect', transport: { tcp: tcpPart } });

describe('EgressSelectorConfiguration', () => {
  it('is refused with the message of kube-apiserver', async () => {
    await expect(readEgress('/none')).rejects.toThrow(
      /^failed to read egress selector config: unable to read egress selector configuration from "\/none" \[open \/none: no such file or directory\]$/,
    );
    expect(await read('x')).toBe(
      'failed to read egress selector config: json: cannot unmarshal string into Go struct field EgressSelectorConfiguration.egressSelections of type []v1beta1.EgressSelection',
    );
    expect(await read([{ name: 5 }])).toBe(
      'failed to read egress selector config: json: cannot unmarshal number into Go struct field EgressSelection.egressSelections.name of type string',
    );
    // The connections of all selections come before their names.
    expect(await read([null])).toBe(
      'failed to validate egress selector configuration: [service.connection.protocol: Unsupported value: "": supported values: "Direct", "HTTPConnect", "GRPC", service.connection: Unsupported value: "": supported values: "cluster", "controlplane", "etcd"]',
    );
  });

  it('without a list of selections is as none', async () => {
    expect(await read(undefined)).toBeUndefined();
    expect(await read(null)).toBeUndefined();
    expect(await read([])).toEqual([]);
  });

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

  it('knows controlplane by its former name, and takes the proxy of UNIX sockets if GRPC has both', async () => {
    const transport = { uds: { udsName: '/x' }, tcp: { url: 'http://a:1' } };
    expect(await read([{ name: 'Master', connection: { proxyProtocol: 'GRPC', transport } }])).toEqual([
      ['controlplane', { kind: 'grpc', unixSocket: '/x' }],
    ]);
  });

  const cluster = (connection: object | undefined): object => ({ name: 'cluster', ...(connection && { connection }) });
  const direct = { proxyProtocol: 'Direct' };
  const http = (transport: object | undefined) => ({ proxyProtocol: 'HTTPConnect', ...(transport && { transport }) });
  const PROTOCOLS = 'supported values: "Direct", "HTTPConnect", "GRPC"';
  const NAMES = 'supported values: "cluster", "controlplane", "etcd"';
  const SCHEMES = 'supported connection protocols are http:// and https://';

  // The texts of kube-apiserver 1.37.2.
  it.each([
    [[{ name: 'bogus', connection: direct }], `: Unsupported value: "bogus": ${NAMES}`],
    [
      [cluster({ proxyProtocol: 'Foo' }), cluster(direct)],
      `.protocol: Unsupported value: "Foo": ${PROTOCOLS}, service.connection[1]: Duplicate value: "cluster"]`,
    ],
    [[{ name: 'Bogus', connection: direct }], `: Unsupported value: "bogus": ${NAMES}`],
    [[{ connection: direct }], `: Unsupported value: "": ${NAMES}`],
    [[cluster({ proxyProtocol: 'Foo' })], `.protocol: Unsupported value: "Foo": ${PROTOCOLS}`],
    [[cluster({})], `.protocol: Unsupported value: "": ${PROTOCOLS}`],
    [[cluster(undefined)], `.protocol: Unsupported value: "": ${PROTOCOLS}`],
    [
      [cluster({ ...direct, transport: { tcp: { url: 'https://a:1' } } })],
      '.transport: Invalid value: "direct": config must be absent for direct connect',
    ],
    [[cluster(http(undefined))], '.transport: Required value: transport must be set for HTTPConnect'],
    [[cluster({ proxyProtocol: 'GRPC' })], '.transport: Required value: transport must be set for GRPC'],
    [[cluster(http({}))], '.tcp: Required value: One of TCP or UDS must be set'],
    [[cluster(tcp({ url: 'https://a:1' }))], '.tlsConfig: Required value: TLSConfig must be present when using HTTPS'],
    [
      [cluster(tcp({ url: 'http://a:1', tlsConfig: { clientKey: '/x' } }))],
      '.tlsConfig: Invalid value: "nil": config must not be present when using HTTP',
    ],
    [[cluster(tcp({ url: 'ftp://a:1' }))], `.url: Invalid value: "ftp://a:1": ${SCHEMES}`],
    [[cluster(tcp({ url: '' }))], `.url: Invalid value: "": ${SCHEMES}`],
    [[cluster(tcp({ url: '::bad' }))], `.url: Invalid value: "::bad": ${SCHEMES}`],
    [[cluster(http({ uds: { udsName: '' } }))], '.udsName: Invalid value: "nil": must be present for UDS connections'],
    [
      [cluster(http({ uds: { udsName: '/x' }, tcp: { url: 'http://a:1' } }))],
      '.tcp: Invalid value: {"URL":"http://a:1","TLSConfig":null}: TCP and UDS cannot both be set',
    ],
    [[cluster(direct), cluster(direct)], '[1]: Duplicate value: "cluster"'],
    [
      [
        { name: 'master', connection: direct },
        { name: 'controlplane', connection: direct },
      ],
      '[1]: Duplicate value: "controlplane"',
    ],
  ])('refuses %j', async (selections, why) => {
    expect(await read(selections)).toBe(
      `failed to validate egress selector configuration: ${why.endsWith(']') ? '[' : ''}service.connection${why}`,
    );
  });

  it('names the certificate of a proxy', async () => {
    const file = join(folder, 'pem');
    writeFileSync(file, 'pem');
    const tlsConfig = { clientKey: file, clientCert: file, tlsServerName: 'proxy.example.com' };
    const certificate = { cert: 'pem', key: 'pem' };
    expect(await read([cluster(tcp({ url: 'https://a:1', tlsConfig }))])).toEqual([
      ['cluster', { kind: 'httpConnect', url: 'https://a:1', tls: { serverName: 'proxy.example.com', certificate } }],
    ]);
  });

  it('reports all errors of a certificate', async () => {
    const at = 'service.connection.tlsConfig';
    const none = { caBundle: '/none', clientKey: '/none', clientCert: '/none' };
    expect(await read([cluster(tcp({ url: 'https://a:1', tlsConfig: none }))])).toBe(
      `failed to validate egress selector configuration: [${at}.caBundle: Invalid value: "/none": TLS config ca bundle does not exist, ${at}.clientCert: Invalid value: "/none": TLS client cert does not exist, ${at}.clientKey: Invalid value: "/none": TLS client key does not exist]`,
    );
    expect(await read([cluster(tcp({ url: 'https://a:1', tlsConfig: {} }))])).toBe(
      `failed to validate egress selector configuration: [${at}.clientCert: Invalid value: "nil": Using TLS requires clientCert, ${at}.clientKey: Invalid value: "nil": Using TLS requires requires clientKey]`,
    );
  });
});
