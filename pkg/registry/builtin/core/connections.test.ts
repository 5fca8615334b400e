import { describe, expect, it } from 'vitest';
import { ApiError, errors, type JsonObject } from '../../../api/index.js';
import { Bench } from '../../testing.js';

/** Logs, exec and proxies, as far as the stored objects determine the response. */

const pod = (name: string, containers: readonly string[], more: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { containers: containers.map((c) => ({ name: c, image: 'i' })), ...more },
});

async function opened(): Promise<Bench> {
  const b = await Bench.open();
  await b.create('pods', 'default', pod('one', ['c']));
  await b.create('pods', 'default', pod('two', ['c', 'd'], { initContainers: [{ name: 'first', image: 'i' }] }));
  await b.create('pods', 'default', pod('placed', ['c'], { nodeName: 'n' }));
  return b;
}

it('a node without addresses is an error without a reason', async () => {
  const b = await opened();
  await b.create('nodes', '', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } });
  const parameters = { text: () => '', all: () => [], has: () => false, integer: () => undefined };
  const target = b.target('pods/log', 'default', 'placed');
  const failed = b.registry.connect({ target, parameters, path: '', addressTypes: ['InternalIP'] }, b.context);
  const message = 'no preferred addresses found; known addresses: []';
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 };
  await expect(failed).rejects.toMatchObject({ status });
  await expect(failed).rejects.not.toHaveProperty('status.reason');
});

/** Returns where the connection goes, 'nothing' for an empty response without an error, otherwise the code and message. */
async function connected(b: Bench, path: string, resource = 'pods'): Promise<string> {
  const [place = '', query = ''] = path.split('?');
  const [name = '', subresource = '', ...rest] = place.split('/');
  const values = new URLSearchParams(query);
  const parameters = {
    text: (key: string) => values.get(key) ?? '',
    all: (key: string) => values.getAll(key),
    has: (key: string) => values.has(key),
    integer: (key: string) => (values.has(key) ? Number(values.get(key)) : undefined),
  };
  const target = b.target(`${resource}/${subresource}`, resource === 'nodes' ? '' : 'default', name);
  try {
    const path = rest.map((segment) => `/${segment}`).join('');
    const addressTypes = ['Hostname', 'InternalIP'];
    const backend = await b.registry.connect({ target, parameters, path, addressTypes }, b.context);
    if (backend === undefined) return 'nothing';
    const { kind, origin, path: there, isKubelet, insecure } = backend;
    return `${isKubelet ? 'kubelet ' : ''}${kind} ${origin}${there}${insecure === true ? ' insecure' : ''}`;
  } catch (e) {
    if (!(e instanceof ApiError)) throw errors.internal(String(e));
    return `${e.status.code} ${e.status.message}`;
  }
}

const CHOICE = 'choose one of: [c d] or one of the init containers: [first]';

describe('a log', () => {
  it.each([
    ['one/log', 'nothing'],
    ['one/log?container=c', 'nothing'],
    ['two/log', `400 a container name must be specified for pod two, ${CHOICE}`],
    ['two/log?container=', `400 a container name must be specified for pod two, ${CHOICE}`],
    ['two/log?container=d', 'nothing'],
    ['two/log?container=first', 'nothing'],
    ['two/log?container=e', '400 container e is not valid for pod two'],
    ['none/log', '404 pods "none" not found'],
    ['placed/log', '404 pods "n" not found'],
    ['one/log?tailLines=0&limitBytes=1&sinceSeconds=1', 'nothing'],
    ['one/log?sinceTime=2030-01-01T00:00:00Z', 'nothing'],
    [
      'one/log?sinceTime=yesterday',
      '400 parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    ['one/log?stream=Stdout', 'nothing'],
    [
      'one/log?stream=stdin',
      '422 PodLogOptions "one" is invalid: stream: Unsupported value: "stdin": supported values: "All", "Stderr", "Stdout"',
    ],
  ])('%s: %s', async (path, expected) => {
    expect(await connected(await opened(), path)).toBe(expected);
  });

  it('validates all its options before it looks up the pod', async () => {
    const b = await opened();
    expect(await connected(b, 'none/log?sinceSeconds=0&tailLines=-1&limitBytes=0')).toBe(
      '422 PodLogOptions "none" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, ' +
        'limitBytes: Invalid value: 0: must be greater than 0, sinceSeconds: Invalid value: 0: must be greater than 0]',
    );
    expect(await connected(b, 'none/log?sinceSeconds=0&sinceTime=2030-01-01T00:00:00Z')).toBe(
      '422 PodLogOptions "none" is invalid: []: Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified',
    );
  });
});

describe('a command', () => {
  it.each([
    ['one/exec', '400 pod one does not have a host assigned'],
    ['two/exec?container=d', '400 pod two does not have a host assigned'],
    ['two/attach?container=e', '400 container e is not valid for pod two'],
    ['placed/exec', '404 pods "n" not found'],
    ['placed/portforward?ports=1,65535', '404 pods "n" not found'],
    ['none/portforward?ports=1,x', '400 cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax'],
    [
      'none/portforward?ports=1&ports=65536',
      '400 cannot convert to []int32: strconv.ParseUint: parsing "65536": value out of range',
    ],
    ['two/portforward', '400 pod two does not have a host assigned'],
  ])('%s: %s', async (path, expected) => {
    expect(await connected(await opened(), path)).toBe(expected);
  });
});

describe('a proxy', () => {
  it.each([
    ['one/proxy', '400 address not allowed'],
    ['one:80/proxy', '400 address not allowed'],
    ['https:one:80/proxy', '400 address not allowed'],
    ['ftp:one:80/proxy', '400 invalid pod request "ftp:one:80"'],
    ['a:b:c:d/proxy', '400 invalid pod request "a:b:c:d"'],
    [':80/proxy', '400 invalid pod request ":80"'],
    ['none:80/proxy', '404 pods "none" not found'],
  ])('to pods, %s: %s', async (path, expected) => {
    expect(await connected(await opened(), path)).toBe(expected);
  });

  it.each([
    ['s/proxy', '503 no endpoints available for service "s"'],
    ['s:80/proxy', '503 no endpoints available for service "s"'],
    ['s:81/proxy', '503 no service port 81 found for service "s"'],
    ['http:none:/proxy', '503 no endpoints available for service "none"'],
    ['none:80/proxy', '404 services "none" not found'],
    ['a:b:c:d/proxy', '400 invalid service request "a:b:c:d"'],
  ])('to services, %s: %s', async (path, expected) => {
    const b = await opened();
    await b.create('services', 'default', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ port: 80 }] },
    });
    expect(await connected(b, path, 'services')).toBe(expected);
  });

  it('to nodes names the node', async () => {
    const b = await opened();
    expect(await connected(b, 'https:n:10250/proxy', 'nodes')).toBe('404 nodes "n" not found');
    expect(await connected(b, 'a:b:c:d/proxy', 'nodes')).toBe('400 invalid node request "a:b:c:d"');
  });
});

describe('on a node with a kubelet', () => {
  async function placed(): Promise<Bench> {
    const b = await opened();
    const addresses = [
      { type: 'ExternalIP', address: '203.0.113.9' },
      { type: 'InternalIP', address: '192.0.2.9' },
    ];
    const daemonEndpoints = { kubeletEndpoint: { Port: 10251 } };
    const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' }, status: { addresses, daemonEndpoints } };
    await b.create('nodes', '', node);
    return b;
  }
  const kubelet = 'https://192.0.2.9:10251';

  it.each([
    ['log', `kubelet log ${kubelet}/containerLogs/default/placed/c`],
    [
      'log?tailLines=3&follow=true&previous=false&timestamps=1&limitBytes=9&sinceTime=2030-01-01T00:00:00Z',
      `kubelet log ${kubelet}/containerLogs/default/placed/c?follow=true&limitBytes=9&sinceTime=2030-01-01T00%3A00%3A00Z&tailLines=3&timestamps=true`,
    ],
    ['log?insecureSkipTLSVerifyBackend=true', `kubelet log ${kubelet}/containerLogs/default/placed/c insecure`],
    [
      'exec?command=ls&command=-l%20a&stdin=true&stdout=true&stderr=false&tty=1',
      `kubelet stream ${kubelet}/exec/default/placed/c?command=ls&command=-l+a&input=1&output=1&tty=1`,
    ],
    ['attach?stdout=true&command=no', `kubelet stream ${kubelet}/attach/default/placed/c?output=1`],
    ['portforward', `kubelet stream ${kubelet}/portForward/default/placed`],
    ['portforward?ports=80&ports=81,82', `kubelet stream ${kubelet}/portForward/default/placed?port=80%2C81%2C82`],
  ])('%s goes to %s', async (path, expected) => {
    expect(await connected(await placed(), `placed/${path}`)).toBe(expected);
  });

  it('a proxy to a node uses its credentials at the port of the kubelet only', async () => {
    const b = await placed();
    expect(await connected(b, 'n/proxy/metrics', 'nodes')).toBe(`kubelet proxy ${kubelet}/metrics`);
    expect(await connected(b, 'http:n:10251/proxy', 'nodes')).toBe(`kubelet proxy ${kubelet}`);
    expect(await connected(b, 'n:9100/proxy/metrics', 'nodes')).toBe('proxy http://192.0.2.9:9100/metrics');
    expect(await connected(b, 'https:n:9100/proxy/', 'nodes')).toBe('proxy https://192.0.2.9:9100/');
  });

  it('a pod is reached at its address, by default at its first port', async () => {
    const b = await placed();
    const ports = [{ containerPort: 8080 }, { containerPort: 8081 }];
    await b.create('pods', 'default', {
      ...pod('web', []),
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i', ports }] },
    });
    const addressed = (podIP: string) => ({ status: { podIP, podIPs: [{ ip: podIP }] } });
    await b.patch('pods/status', ['default', 'web'], addressed('10.0.0.7'));
    expect(await connected(b, 'web/proxy/a b')).toBe('proxy http://10.0.0.7:8080/a%20b');
    expect(await connected(b, 'https:web:9/proxy')).toBe('proxy https://10.0.0.7:9');
    await b.patch('pods/status', ['default', 'web'], addressed('2001:db8::7'));
    expect(await connected(b, 'web/proxy')).toBe('proxy http://[2001:db8::7]:8080');
  });

  it.each(['127.0.0.1', '169.254.169.254', '::1', 'fe80::1'])('a pod at %s is not reached', async (podIP) => {
    const b = await placed();
    await b.patch('pods/status', ['default', 'placed'], { status: { podIP, podIPs: [{ ip: podIP }] } });
    expect(await connected(b, 'placed:80/proxy')).toBe('400 address not allowed');
  });
});

describe('a service', () => {
  const slice = (endpoint: JsonObject): JsonObject => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 's-1', labels: { 'kubernetes.io/service-name': 's' } },
    addressType: 'IPv4',
    endpoints: [
      { addresses: ['10.0.0.7'], targetRef: { kind: 'Pod', namespace: 'default', name: 'one' }, ...endpoint },
    ],
    ports: [{ name: 'web', port: 8080, protocol: 'TCP' }],
  });
  async function served(endpoint: JsonObject): Promise<Bench> {
    const b = await opened();
    await b.patch('pods/status', ['default', 'one'], {
      status: { podIP: '10.0.0.7', podIPs: [{ ip: '10.0.0.7' }] },
    });
    const spec = {
      ports: [
        { name: 'web', port: 80 },
        { name: 'other', port: 81 },
      ],
    };
    await b.create('services', 'default', { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec });
    await b.create('endpointslices.discovery.k8s.io/v1', 'default', slice(endpoint));
    return b;
  }

  it('is reached at a ready pod, by the name or the number of its port', async () => {
    const b = await served({ conditions: { ready: true } });
    expect(await connected(b, 's:web/proxy/x', 'services')).toBe('proxy http://10.0.0.7:8080/x');
    expect(await connected(b, 'https:s:80/proxy/x', 'services')).toBe('proxy https://10.0.0.7:8080/x');
    for (const other of ['s', 's:other', 's:81', 's:8080x'])
      expect(await connected(b, `${other}/proxy/x`, 'services')).toBe('503 no endpoints available for service "s"');
  });

  it.each([
    ['not ready', { conditions: { ready: false } }],
    ['no pod', { targetRef: { kind: 'Node', name: 'n' } }],
    ['a pod that does not exist', { targetRef: { kind: 'Pod', namespace: 'default', name: 'none' } }],
    ['a pod with another address', { addresses: ['10.0.0.8'] }],
    ['a pod of another namespace', { targetRef: { kind: 'Pod', namespace: 'kube-system', name: 'one' } }],
  ])('is not reached at an endpoint that is %s', async (_what, endpoint) => {
    const b = await served(endpoint as JsonObject);
    expect(await connected(b, 's:web/proxy/x', 'services')).toBe('503 no endpoints available for service "s"');
  });
});
