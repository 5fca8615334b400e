import { expect, it } from 'vitest';
import { TestWorld } from '../registry/testing.js';
import { OutboundError, type OutboundResponse } from './index.js';
import { ReviewClient, type ReviewClientParts } from './reviewclient.js';

/** Posts a review to a service that answers in this way, and returns the outcome and the number of its calls. */
async function posted(answer: () => OutboundResponse): Promise<readonly [string, number]> {
  const world = new TestWorld();
  let calls = 0;
  const outbound = {
    send: async () => {
      calls++;
      return answer();
    },
  } as unknown as ReviewClientParts['outbound'];
  const target = { target: { origin: 'https://h' }, path: '' } as unknown as ReturnType<ReviewClientParts['target']>;
  const client = new ReviewClient({ world, outbound, target: () => target, timeout: 3000 });
  let outcome: string | undefined;
  client.post({ apiVersion: 'g/v1', kind: 'Review' }).then(
    () => {
      outcome = 'success';
    },
    (error: Error) => {
      outcome = error.message;
    },
  );
  for (let turns = 0; outcome === undefined && turns < 100; turns++) {
    await new Promise((resolve) => setImmediate(resolve));
    world.advance(1000);
  }
  return [outcome ?? 'no outcome', calls];
}

const broken = (reason: string) => (): OutboundResponse => {
  throw new OutboundError('exchange', reason);
};
const response = (status: number, headers: OutboundResponse['headers'] = {}) => ({
  status,
  headers,
  body: Buffer.from('no'),
});

it.each([
  ['a connection that was reset', broken('read: connection reset by peer'), 5, 'connection reset by peer'],
  ['a connection that was closed', broken('EOF'), 1, 'EOF'],
  ['an internal error', () => response(500), 5, 'an error on the server ("no") has prevented'],
  ['another error', () => response(404), 1, 'could not find the requested resource'],
  ['a wish to wait, as long as the timeout lasts', () => response(429, { 'retry-after': '1' }), 3, 'context deadline'],
] as const)('repeats a review after %s as kube-apiserver does', async (_, answer, calls, message) => {
  const [outcome, count] = await posted(answer);
  expect(outcome).toContain(message);
  expect(count).toBe(calls);
});
