import { expect, it } from 'vitest';
import { TestWorld } from '../registry/testing.js';
import { OutboundError } from './errors.js';
import { sendFollowing } from './redirect.js';
import type { OutboundRequest, OutboundTarget } from './target.js';

const GIVEN: OutboundTarget = {
  origin: 'https://a',
  ca: 'ca',
  address: () => ({ host: '10.0.0.1', port: 1 }),
  credentials: { certificate: { cert: 'c', key: 'k' }, authorization: () => 'Bearer t' },
};

/** Sends a POST to a server that answers by the path: a code and a Location. */
async function followed(places: Readonly<Record<string, readonly [number, string]>>) {
  const calls: string[] = [];
  const world = new TestWorld();
  const targets: OutboundTarget[] = [];
  const timeouts: number[] = [];
  const send = async (target: OutboundTarget, { method, path, body, timeout }: OutboundRequest) => {
    calls.push(`${method} ${target.origin}${path} ${body?.toString() ?? '-'}`);
    targets.push(target);
    timeouts.push(timeout);
    world.advance(100);
    if (path === '/refuses')
      throw new OutboundError('dial', 'connection refused', { method, url: target.origin + path });
    const [status, location] = places[path] ?? [200, ''];
    return { status, headers: location === '' ? {} : { location }, body: Buffer.alloc(0) };
  };
  const request = { method: 'POST', path: '/', body: Buffer.from('body'), timeout: 5000 } as const;
  const result = await sendFollowing({ world, outbound: { send } }, GIVEN, request).then(
    ({ status }) => status,
    (error: Error) => error.message,
  );
  return { result, calls, targets, timeouts };
}

it.each([301, 302, 303])('sends a GET without the body after %i', async (status) => {
  const { result, calls, timeouts } = await followed({ '/': [status, '/b?x=1'] });
  expect([result, calls]).toEqual([200, ['POST https://a/ body', 'GET https://a/b?x=1 -']]);
  expect(timeouts).toEqual([5000, 4900]);
});

it.each([307, 308])('sends the same request after %i', async (status) => {
  const { result, calls } = await followed({ '/': [status, 'b'] });
  expect([result, calls]).toEqual([200, ['POST https://a/ body', 'POST https://a/b body']]);
});

it('sends no token to another server, and connects to its own address', async () => {
  const { targets } = await followed({ '/': [302, 'https://b:444/x'] });
  expect(targets[1]).toEqual({
    origin: 'https://b:444',
    ca: 'ca',
    credentials: { certificate: { cert: 'c', key: 'k' } },
  });
});

it.each([
  [{ '/': [302, ''] }, 302],
  [{ '/': [304, '/b'] }, 304],
  [{ '/': [307, 'ftp://b/'] }, 'Post "https://a/": failed to parse Location header "ftp://b/"'],
  [{ '/': [302, '/'] }, 'Post "https://a/": stopped after 10 redirects'],
  [{ '/': [302, '/refuses'] }, 'Post "https://a/refuses": connection refused'],
] as const)('%j: %s', async (places, expected) => {
  const { result, calls } = await followed(places as never);
  expect(result).toBe(expected);
  expect(calls.length).toBeLessThanOrEqual(10);
});
