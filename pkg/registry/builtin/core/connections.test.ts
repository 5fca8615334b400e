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
  const failed = b.registry.connect({ target: b.target('pods/log', 'default', 'placed'), parameters }, b.context);
  const message = 'no preferred addresses found; known addresses: []';
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 };
  await expect(failed).rejects.toMatchObject({ status });
  await expect(failed).rejects.not.toHaveProperty('status.reason');
});

/** Returns 'nothing' for an empty response without an error, otherwise the code and message. */
async function connected(b: Bench, path: string, resource = 'pods'): Promise<string> {
  const [place = '', query = ''] = path.split('?');
  const [name = '', subresource = ''] = place.split('/');
  const values = new URLSearchParams(query);
  const parameters = {
    text: (key: string) => values.get(key) ?? '',
    all: (key: string) => values.getAll(key),
    has: (key: string) => values.has(key),
    integer: (key: string) => (values.has(key) ? Number(values.get(key)) : undefined),
  };
  const target = b.target(`${resource}/${subresource}`, resource === 'nodes' ? '' : 'default', name);
  try {
    await b.registry.connect({ target, parameters }, b.context);
    return 'nothing';
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
