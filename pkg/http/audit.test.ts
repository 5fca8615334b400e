import { afterEach, describe, expect, it } from 'vitest';
import { AuditMetrics, Auditor, type Backend, readPolicy } from '../audit/index.js';
import { requestAudit } from './audit.js';
import { TestDoor, turn, until } from './testing/door.js';
import { testWorld } from './testing.js';

const CMS = '/api/v1/namespaces/n/configmaps';
const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
const CREATE = `POST ${CMS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
const LIST = `GET ${CMS} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** A backend whose events are recorded when the test says so. */
class HeldBackend implements Backend {
  readonly overlaps: boolean;
  readonly stages: string[] = [];
  readonly annotations: (Readonly<Record<string, string>> | undefined)[] = [];
  readonly #waiting: ((ok: boolean) => void)[] = [];

  constructor(overlaps: boolean) {
    this.overlaps = overlaps;
  }

  process({ json }: { readonly json: string }): Promise<boolean> {
    const event = JSON.parse(json) as { readonly stage: string; readonly annotations?: Record<string, string> };
    this.stages.push(event.stage);
    this.annotations.push(event.annotations);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  record(ok: boolean): void {
    for (const resolve of this.#waiting.splice(0)) resolve(ok);
  }

  async close(): Promise<void> {}
}

const opened: TestDoor[] = [];
afterEach(async () => {
  for (const { listener } of opened.splice(0)) await listener.drain(0);
});

async function open(overlaps: boolean, world = testWorld) {
  const backend = new HeldBackend(overlaps);
  const rules = [{ level: 'Metadata' }];
  const text = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules });
  const auditor = new Auditor(await readPolicy('policy', text), [backend], new AuditMetrics());
  const door = await TestDoor.open(world, { stages: { audit: requestAudit(auditor, world) } });
  opened.push(door);
  let served = 0;
  door.services.registry.before = async () => void served++;
  const socket = await door.dial();
  let received = '';
  socket.on('data', (piece) => {
    received += String(piece);
  });
  const many = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await turn();
  };
  return { backend, door, socket, served: () => served, received: () => received, many };
}

async function eventually(what: () => boolean): Promise<void> {
  while (!what()) await turn();
}

describe('a request whose event is being recorded', () => {
  it.each([
    ['an object', CREATE, ' 201 '],
    ['an error', `GET ${CMS}/none HTTP/1.1\r\nHost: x\r\n\r\n`, ' 404 '],
  ])('is served, and is answered when its last event is recorded, too: %s', async (_, request, code) => {
    const { backend, socket, received, many } = await open(true);
    const answer = until(socket, (text) => text.includes(code));
    socket.write(request);
    await eventually(() => backend.stages.length === 2);
    await many();
    expect(received()).toBe('');
    expect(backend.stages).toEqual(['RequestReceived', 'ResponseComplete']);
    backend.record(true);
    expect(await answer).toContain(code);
    await many();
    expect(backend.stages).toHaveLength(2);
    socket.destroy();
  });

  it('waits for its first event only if it is slow, and its last one shows how long it took', async () => {
    let now = 0;
    const clock = { ...testWorld.clock, monotonic: () => now };
    const { backend, door, socket, many } = await open(true, { ...testWorld, clock });
    door.services.registry.before = async () => {
      now = 600;
    };
    const answer = until(socket, (text) => text.includes(' 201 '));
    socket.write(CREATE);
    await eventually(() => backend.stages.length === 1);
    await many();
    expect(backend.stages).toEqual(['RequestReceived']);
    backend.record(true);
    await answer;
    await eventually(() => backend.stages.length === 2);
    expect(backend.annotations[1]!['apiserver.latency.k8s.io/total']).toBe('600ms');
    backend.record(true);
    socket.destroy();
  });

  it.each([
    ['a list, whose response is a stream', true, LIST],
    ['a create, if the backend does not overlap', false, CREATE],
  ])('is not served before: %s', async (_, overlaps, request) => {
    const { backend, socket, served, many } = await open(overlaps);
    const answer = until(socket, (text) => text.includes('HTTP/1.1 20'));
    socket.write(request);
    await eventually(() => backend.stages.length === 1);
    await many();
    expect(served()).toBe(0);
    backend.record(true);
    await answer;
    expect(served()).toBe(1);
    await eventually(() => backend.stages.length === 2);
    backend.record(true);
    socket.destroy();
  });

  it('is refused in the strict mode if the event could not be recorded, and nothing is done', async () => {
    const { backend, socket, served } = await open(false);
    const answer = until(socket, (text) => text.includes('failed to store audit event'));
    socket.write(CREATE);
    await eventually(() => backend.stages.length === 1);
    backend.record(false);
    expect(await answer).toMatch(/^HTTP\/1.1 500 /);
    expect(served()).toBe(0);
    socket.destroy();
  });
});

describe('an event', () => {
  async function eventsOf(...requests: readonly string[]): Promise<{ [field: string]: unknown }[]> {
    const events: { [field: string]: unknown }[] = [];
    const backend: Backend = {
      overlaps: false,
      process: async ({ json }) => events.push(JSON.parse(json)) > 0,
      close: async () => {},
    };
    const rules = [{ level: 'Metadata', omitStages: ['RequestReceived'] }];
    const text = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules });
    const auditor = new Auditor(await readPolicy('policy', text), [backend], new AuditMetrics());
    const door = await TestDoor.open(testWorld, { stages: { audit: requestAudit(auditor, testWorld) } });
    opened.push(door);
    const socket = await door.dial();
    for (const [i, request] of requests.entries()) {
      socket.write(request);
      await eventually(() => events.length === i + 1);
    }
    socket.destroy();
    return events;
  }

  it('has the addresses of the first line of a header, in canonical form', async () => {
    const get = (...lines: readonly string[]): string =>
      `GET ${CMS}/a HTTP/1.1\r\nHost: x\r\n${lines.join('\r\n')}\r\n\r\n`;
    const events = await eventsOf(
      get('X-Forwarded-For: ::0001, 2001:DB8::0:1, fe80::1%eth0, 010.1.1.1', 'X-Forwarded-For: 2.2.2.2'),
      get('X-Real-Ip: ::ffff:1.2.3.4', 'X-Real-Ip: 2.2.2.2'),
    );
    const given = events.map((e) => (e['sourceIPs'] as string[]).slice(0, -1));
    expect(given).toEqual([['::1', '2001:db8::1', '10.1.1.1'], ['1.2.3.4']]);
  });
});
