import { expect, it } from 'vitest';
import { Scheduler } from '../base/index.js';
import { OutboundError, type OutboundRequest, type OutboundResponse } from '../outbound/index.js';
import { TestWorld } from '../registry/testing.js';
import { RemoteSwagger } from './remoteswagger.js';

const MINUTE = 60_000;
const document = (name: string): Buffer =>
  Buffer.from(JSON.stringify({ swagger: '2.0', paths: { [`/apis/example.com/v1/${name}`]: {} } }));

/** A server that gives the next of `answers` to each request, and the last one from then on. */
function asked(...answers: readonly (Partial<OutboundResponse> | Error)[]) {
  const world = new TestWorld();
  const requests: OutboundRequest[] = [];
  let changes = 0;
  const swagger = new RemoteSwagger(
    { group: 'example.com', version: 'v1' },
    {
      world,
      pace: new Scheduler(world, 1000),
      changed: () => changes++,
      unusable: () => {},
      send: (request) => {
        const answer = answers[Math.min(requests.length, answers.length - 1)]!;
        requests.push(request);
        if (answer instanceof Error) return Promise.reject(answer);
        return Promise.resolve({ status: 200, headers: {}, body: Buffer.alloc(0), ...answer });
      },
    },
  );
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const after = async (milliseconds: number): Promise<void> => {
    world.advance(milliseconds);
    await settled();
  };
  const seen = () => ({ paths: [...(swagger.document?.paths.keys() ?? [])], asked: requests.length, changes });
  return { swagger, requests, after, settled, seen };
}

it('is asked for when the server is available, and again only for changes', async () => {
  const first = { body: document('a'), headers: { etag: '"1"' } };
  const { swagger, requests, after, settled, seen } = asked(first, { status: 304 }, { body: document('b') });
  await after(MINUTE);
  expect(seen()).toEqual({ paths: [], asked: 0, changes: 0 });
  swagger.setAvailable(true);
  await settled();
  expect(seen()).toEqual({ paths: ['/apis/example.com/v1/a'], asked: 1, changes: 1 });
  await after(MINUTE);
  expect(seen()).toEqual({ paths: ['/apis/example.com/v1/a'], asked: 2, changes: 1 });
  await after(MINUTE);
  expect(seen()).toEqual({ paths: ['/apis/example.com/v1/b'], asked: 3, changes: 2 });
  // Without an ETag the same content is no change either.
  await after(MINUTE);
  expect(seen()).toEqual({ paths: ['/apis/example.com/v1/b'], asked: 4, changes: 2 });
  expect(requests.map(({ path, headers }) => [path, headers?.['x-remote-user'], headers?.['if-none-match']])).toEqual([
    ['/openapi/v2', 'system:aggregator', undefined],
    ['/openapi/v2', 'system:aggregator', '"1"'],
    ['/openapi/v2', 'system:aggregator', '"1"'],
    ['/openapi/v2', 'system:aggregator', undefined],
  ]);
});

it('is kept when the server fails, which is asked less and less often', async () => {
  const failures = [{ status: 503 }, new OutboundError('dial', 'refused'), { body: Buffer.from('no JSON') }];
  const { swagger, after, settled, seen } = asked({ body: document('a') }, ...failures);
  swagger.setAvailable(true);
  await settled();
  for (const [minutes, count] of [
    [1, 2],
    [1, 3],
    [1, 3],
    [1, 4],
    [3, 4],
    [1, 5],
  ] as const) {
    for (let i = 0; i < minutes; i++) await after(MINUTE);
    expect(seen()).toEqual({ paths: ['/apis/example.com/v1/a'], asked: count, changes: 1 });
  }
  swagger.setAvailable(false);
  await after(100 * MINUTE);
  expect(seen()).toEqual({ paths: ['/apis/example.com/v1/a'], asked: 5, changes: 1 });
  swagger.setAvailable(true);
  await settled();
  expect(seen().asked).toBe(6);
});

it('is dropped when the server has none any more', async () => {
  const { swagger, after, settled, seen } = asked({ body: document('a') }, { status: 404 });
  swagger.setAvailable(true);
  await settled();
  await after(MINUTE);
  expect(seen()).toEqual({ paths: [], asked: 2, changes: 2 });
});

it('ignores the response of a server that became unavailable meanwhile', async () => {
  const { swagger, settled, seen } = asked({ body: document('a') });
  swagger.setAvailable(true);
  swagger.setAvailable(false);
  await settled();
  expect(seen()).toEqual({ paths: [], asked: 1, changes: 0 });
});
