import { expect, it } from 'vitest';
import { TestWorld } from '../registry/testing.js';
import type { OutboundRequest, OutboundResponse } from './index.js';
import { sendRepeatedly } from './repeat.js';

const URL = 'https://a/hook?timeout=10s';

/** A server with these responses, and then 200; a response is its status and its Retry-After. */
function asked(
  responses: readonly (readonly [number, string?])[],
  more: Partial<OutboundRequest> = {},
  total?: number,
) {
  const world = new TestWorld();
  const began = world.clock.monotonic();
  const calls: { at: number; timeout: number }[] = [];
  const send = ({ timeout }: OutboundRequest): Promise<OutboundResponse> => {
    const [status, after] = responses[calls.length] ?? [200];
    calls.push({ at: world.clock.monotonic() - began, timeout });
    const headers = after === undefined ? {} : { 'retry-after': after };
    return Promise.resolve({ status, headers, body: Buffer.alloc(0) });
  };
  const request = { method: 'POST', path: '/hook?timeout=10s', timeout: 10_000, ...more } as const;
  const result = sendRepeatedly({ world, send, url: URL }, request, total).then(
    ({ status }) => status,
    ({ phase, message }) => `${phase}: ${message}`,
  );
  const advance = async (seconds: number): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    world.advance(seconds * 1000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { result, calls, advance };
}

it('sends the request again after the time that the server asks for, within its timeout', async () => {
  const { result, calls, advance } = asked([
    [503, '2'],
    [429, '1'],
    [500, '-1'],
  ]);
  await advance(2);
  await advance(1);
  await advance(0);
  expect(await result).toBe(200);
  expect(calls.map(({ at }) => at)).toEqual([0, 2000, 3000, 3000]);
  expect(calls.map(({ timeout }) => timeout)).toEqual([10_000, 8_000, 7_000, 7_000]);
});

it.each([[500], [429], [404, '1'], [200, '1'], [503, '1.5'], [503, 'Wed, 21 Oct 2026 07:28:00 GMT']] as const)(
  'returns the response %j %j',
  async (...response) => {
    const { result, calls } = asked([response]);
    expect(await result).toBe(response[0]);
    expect(calls).toHaveLength(1);
  },
);

it('gives up after ten repetitions', async () => {
  const { result, calls, advance } = asked(Array.from({ length: 20 }, () => [503, '0'] as const));
  for (let i = 0; i < 12; i++) await advance(0);
  expect(await result).toBe(503);
  expect(calls).toHaveLength(11);
});

it('ends with the timeout of the request', async () => {
  const { result, calls, advance } = asked([[503, '60']]);
  await advance(10);
  expect(await result).toBe(`timeout: Post "${URL}": context deadline exceeded`);
  expect(calls).toHaveLength(1);
});

it('gives each repetition the whole timeout of the request if more time is allowed in all', async () => {
  const { result, calls, advance } = asked(
    [
      [503, '8'],
      [503, '8'],
      [503, '8'],
    ],
    {},
    20_000,
  );
  for (const seconds of [8, 8, 4]) await advance(seconds);
  expect(await result).toBe(`timeout: Post "${URL}": context deadline exceeded`);
  expect(calls).toEqual([
    { at: 0, timeout: 10_000 },
    { at: 8000, timeout: 10_000 },
    { at: 16_000, timeout: 4_000 },
  ]);
});

it('ends when the caller aborts', async () => {
  const abort = new AbortController();
  const { result, calls, advance } = asked([[503, '5']], { signal: abort.signal });
  await advance(1);
  abort.abort();
  expect(await result).toBe(`canceled: Post "${URL}": context canceled`);
  expect(calls).toHaveLength(1);
});
