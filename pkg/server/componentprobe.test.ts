import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { World } from '../base/index.js';
import { closedPort, tcpServer, testServer } from '../outbound/testing/server.js';
import { componentProbe } from './componentprobe.js';
import { systemWorld } from './world.js';

const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const f of undo.splice(0)) await f();
});

async function serving(respond: (response: ServerResponse, path: string) => void): Promise<string> {
  const made = await testServer((_, request, response) => respond(response, request.url ?? ''));
  undo.push(() => made.close());
  return `${made.origin}/healthz`;
}

const status =
  (code: number, body = '', headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(code, headers).end(body);

/** A world whose timers of some length fire when the test says so. */
function timersOf(ms: number): { readonly world: World; readonly due: Set<() => void> } {
  const due = new Set<() => void>();
  const after: World['timers']['after'] = (time, f) => {
    if (time !== ms) return systemWorld.timers.after(time, f);
    due.add(f);
    return () => due.delete(f);
  };
  return { due, world: { ...systemWorld, timers: { ...systemWorld.timers, after } } };
}

const fire = (due: Set<() => void>): void => {
  for (const f of [...due]) f();
};

describe('a probe of a component', () => {
  const ok = { status: 'True', message: 'ok', error: '' };
  const failed = (message: string) => ({ status: 'False', message, error: '' });

  it.each([
    ['a healthy one', status(200, 'ok'), ok],
    ['one without a text', status(204), { ...ok, message: '' }],
    ['a long text', status(200, 'x'.repeat(20_000)), { ...ok, message: 'x'.repeat(10_240) }],
    ['an unhealthy one', status(500, 'no'), failed('HTTP probe failed with statuscode: 500')],
    ['a path that is missing', status(404, 'no'), failed('HTTP probe failed with statuscode: 404')],
    [
      'a redirect without a place',
      status(302, 'moved'),
      { status: 'Unknown', message: 'Probe terminated redirects, Response body: moved', error: '' },
    ],
    [
      'redirects without end',
      status(302, '', { location: '/healthz' }),
      failed('Get "/healthz": stopped after 10 redirects'),
    ],
    [
      'a redirect to another path',
      (response: ServerResponse, path: string) =>
        path === '/other' ? status(200, 'ok')(response) : status(302, '', { location: '/other' })(response),
      ok,
    ],
    [
      'a body that ends early',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('abc', () => response.destroy());
      },
      { status: 'Unknown', message: '', error: 'unexpected EOF' },
    ],
  ] as const)('of %s', async (_, respond, expected) => {
    expect(await componentProbe(systemWorld)(await serving(respond))).toEqual(expected);
  });

  it('names the error of a connection', async () => {
    const port = await closedPort();
    const url = `https://127.0.0.1:${port}/healthz`;
    const refused = `Get "${url}": dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(await componentProbe(systemWorld)(url)).toEqual(failed(refused));

    const resetting = await tcpServer((socket) => void socket.once('data', () => socket.resetAndDestroy()));
    undo.push(() => resetting.close());
    const { message } = await componentProbe(systemWorld)(`${resetting.origin}/healthz`);
    const place = `127\\.0\\.0\\.1:\\d+->127\\.0\\.0\\.1:${resetting.port}`;
    expect(message).toMatch(new RegExp(`^Get ".*": read tcp ${place}: read: connection reset by peer$`));
  });

  it('ends when a handshake, a header or a body takes too long', async () => {
    const dialing = timersOf(10_000);
    const silent = await tcpServer((socket) => void socket.once('data', () => fire(dialing.due)));
    undo.push(() => silent.close());
    const url = `${silent.origin}/healthz`;
    expect(await componentProbe(dialing.world)(url)).toEqual(failed(`Get "${url}": net/http: TLS handshake timeout`));

    const waiting = timersOf(20_000);
    const hanging = await serving(() => fire(waiting.due));
    expect(await componentProbe(waiting.world)(hanging)).toEqual(
      failed(`Get "${hanging}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`),
    );

    // The timer of the header is cancelled when the header has arrived; that of the whole probe remains.
    const reading = timersOf(20_000);
    const { due } = reading;
    const remove = due.delete.bind(due);
    due.delete = (f) => {
      const found = remove(f);
      setImmediate(() => fire(due));
      return found;
    };
    const slow = await serving((response) => void response.writeHead(200, { 'content-length': '100' }).write('abc'));
    expect(await componentProbe(reading.world)(slow)).toEqual({
      status: 'Unknown',
      message: '',
      error: 'context deadline exceeded (Client.Timeout or context cancellation while reading body)',
    });
  });
});
