import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../pkg/outbound/testing/server.js';
import { startWithFlags, type TestApiServer } from '../../pkg/server/library.js';
import { type Answer, call } from './client.js';
import { writeWebhookConfig } from './kubeconfig.js';

type Review = { apiVersion: string; spec: { token: string; audiences?: string[] } };

let folder: string;
let hook: TestServer;
let server: TestApiServer;
let reviews: Review[] = [];
let failures = 0;

const USERS: Record<string, object> = {
  good: { authenticated: true, user: { username: 'jane', uid: '1', groups: ['g'], extra: { 'a.b/c': ['d'] } } },
  elsewhere: { authenticated: true, audiences: ['other'], user: { username: 'jane' } },
  bad: { authenticated: false, error: 'it was revoked' },
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-hook-'));
  hook = await testServer((body, request, response) => {
    const review = JSON.parse(body) as Review;
    expect(body).toMatch(/^\{"kind":"TokenReview","apiVersion":"[^"]*","metadata":\{\},"spec":\{.*\}\}\n$/);
    expect(request.headers.authorization).toBe('Bearer of-the-server');
    reviews.push(review);
    if (review.spec.token === 'down' || failures-- > 0) {
      response.statusCode = review.spec.token === 'down' ? 503 : 500;
      response.end('broken');
      return;
    }
    const status = USERS[review.spec.token] ?? { authenticated: false };
    response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'TokenReview', status }));
  });
  server = await startWithFlags([
    '--controllers=',
    `--authentication-token-webhook-config-file=${writeWebhookConfig(join(folder, 'hook'), hook)}`,
    '--authentication-token-webhook-version=v1',
    '--api-audiences=here',
  ]);
});
afterAll(async () => {
  await server?.close();
  await hook?.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  reviews = [];
  failures = 0;
});

const whoAmI = (token: string): Promise<Answer> =>
  call({
    url: server.url,
    token,
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: {},
  });

const review = (token: string, audiences?: string[]): Promise<Answer> =>
  call({
    url: server.url,
    cert: server.cert,
    key: server.key,
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/tokenreviews',
    body: { spec: { token, ...(audiences === undefined ? {} : { audiences }) } },
  });

describe('a webhook that reviews tokens', () => {
  it('authenticates the user, with one call for concurrent and later requests', async () => {
    const answers = await Promise.all([whoAmI('good'), whoAmI('good'), whoAmI('good')]);
    answers.push(await whoAmI('good'));
    expect(answers.map((a) => a.json.status.userInfo)).toEqual(
      Array(4).fill({ username: 'jane', uid: '1', groups: ['g', 'system:authenticated'], extra: { 'a.b/c': ['d'] } }),
    );
    expect(reviews.map(({ apiVersion, spec }) => ({ apiVersion, spec }))).toEqual([
      { apiVersion: 'authentication.k8s.io/v1', spec: { token: 'good', audiences: ['here'] } },
    ]);
  });

  it('refuses unknown tokens with 401, and caches that, unless the review has an error', async () => {
    for (const token of ['unknown', 'unknown']) expect((await whoAmI(token)).status).toBe(401);
    expect(reviews.length).toBe(1);
    for (const token of ['bad', 'bad']) expect((await whoAmI(token)).status).toBe(401);
    expect(reviews.length).toBe(3);
  });

  it('decides about audiences', async () => {
    expect((await whoAmI('elsewhere')).status).toBe(401);
    expect((await review('elsewhere', ['other', 'more'])).json.status).toMatchObject({
      authenticated: true,
      audiences: ['other'],
    });
    expect((await review('bad')).json.status).toEqual({ error: '[invalid bearer token, it was revoked]', user: {} });
  });

  it('is called again after a temporary failure', async () => {
    failures = 2;
    expect((await whoAmI('after-failures')).status).toBe(401);
    expect(reviews.length).toBe(3);
  });

  it('that is unavailable does not make a token invalid', async () => {
    const { status, json } = await whoAmI('down');
    expect([status, json.reason]).toEqual([503, 'ServiceUnavailable']);
    expect((await review('down')).status).toBe(503);
    // An outage is not cached.
    expect(reviews.length).toBe(2);
  });
});
