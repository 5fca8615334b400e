import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import type { ReviewClient } from '../../outbound/index.js';
import { TokenCacheMetrics } from '../../telemetry/index.js';
import { TokenWebhook } from './token.js';

/** A webhook whose reviews end when the test says so. */
function webhook() {
  const ends: ((status: JsonObject | Error) => void)[] = [];
  const post = (): Promise<JsonObject> =>
    new Promise((resolve, reject) =>
      ends.push((status) => (status instanceof Error ? reject(status) : resolve({ status }))),
    );
  let now = 0;
  const metrics = new TokenCacheMetrics();
  const tokens = new TokenWebhook(
    { post } as unknown as ReviewClient,
    { version: 'v1', cacheTime: 1000, audiences: ['api'] },
    { clock: { now: () => now, monotonic: () => now }, metrics, problem: () => {} },
  );
  const shown = (): Readonly<Record<string, number>> =>
    Object.fromEntries(
      metrics.families
        .flatMap((family) => family.get().values.map((v) => ({ name: family.name, ...v })))
        .filter(({ labels }) => !('le' in labels))
        .map(({ name, metricName, labels, value }) => [
          `${(metricName ?? name).slice('authentication_token_cache_'.length)} ${labels['status']}`,
          value,
        ]),
    );
  const advance = (ms: number): void => {
    now += ms;
  };
  return { tokens, ends, shown, advance };
}

it('counts look-ups in the cache of tokens, and the reviews that they wait for', async () => {
  const { tokens, ends, shown, advance } = webhook();
  const both = [tokens.authenticateToken('a'), tokens.authenticateToken('a')];
  expect(shown()).toEqual({ 'active_fetch_count blocked': 2, 'active_fetch_count in_flight': 1 });
  advance(500);
  ends[0]!({ authenticated: true, user: { username: 'jane' } });
  expect((await Promise.all(both)).map(({ kind }) => kind)).toEqual(['authenticated', 'authenticated']);
  await tokens.authenticateToken('a');
  const failing = tokens.authenticateToken('b');
  ends[1]!(new Error('refused'));
  await expect(failing).rejects.toThrow('not available');
  expect(shown()).toEqual({
    'request_total hit': 1,
    'request_total miss': 3,
    'request_duration_seconds_sum hit': 0,
    'request_duration_seconds_count hit': 1,
    'request_duration_seconds_sum miss': 1,
    'request_duration_seconds_count miss': 3,
    'fetch_total ok': 1,
    'fetch_total error': 1,
    'active_fetch_count blocked': 0,
    'active_fetch_count in_flight': 0,
  });
});
