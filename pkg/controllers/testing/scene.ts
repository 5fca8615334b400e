import { onTestFinished } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { Bench } from '../../registry/testing.js';
import { clusterOf } from '../../server/cluster.js';
import type { Cluster } from '../cluster.js';
import type { Controller, ControllerContext } from '../controller.js';

export interface Scene {
  readonly bench: Bench;
  readonly context: ControllerContext;
  /** The messages that controllers have logged. */
  readonly logged: string[];
  start(controller: Controller): Promise<Controller>;
  /** Lets controllers run while the clock advances. */
  work(seconds?: number): Promise<void>;
}

/** An in-memory registry for tests of controllers. `wrap` changes their view of it; `runtimeConfig` adds versions to it. */
export async function openScene(
  wrap: (cluster: Cluster) => Cluster = (c) => c,
  runtimeConfig: Iterable<readonly [string, boolean]> = [],
): Promise<Scene> {
  const bench = await Bench.open(runtimeConfig);
  const { world, registry } = bench;
  const logged: string[] = [];
  const log = (message: string, fields: Readonly<Record<string, unknown>>): void =>
    void logged.push(`${message} ${JSON.stringify(fields)}`);
  return {
    bench,
    logged,
    context: { world, cluster: wrap(clusterOf(registry, world)), log },
    async start(controller) {
      await controller.start();
      onTestFinished(() => controller.stop());
      return controller;
    },
    async work(seconds = 1) {
      for (let second = 0; second < seconds; second++) {
        world.advance(1000);
        for (let i = 0; i < 60; i++) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

export const metaIn = (o: JsonObject): JsonObject => o['metadata'] as JsonObject;

export const conditionsIn = (o: JsonObject): Record<string, string> =>
  Object.fromEntries(
    (((o['status'] as JsonObject | undefined)?.['conditions'] ?? []) as JsonObject[]).map((c) => [
      String(c['type']),
      String(c['status']),
    ]),
  );

/** The `spec.request` of a certificate request that the server accepts: without a subject, signed by its Ed25519 key. */
export const EMPTY_REQUEST = Buffer.from(
  `-----BEGIN CERTIFICATE REQUEST-----
MH8wMwIBADAAMCowBQYDK2VwAyEAA8+LKX9BEZDf8F/OlukGGd3tX2bGqCqvl2Cq
gNe4nWmgADAFBgMrZXADQQDBZ42KOi1yIwucl/sckx9sQT2CUeh6624SBALgEbTP
1/wyCTEBwVo+di9+/W290yxRL4To8Uv6UDO8xaZhOiAJ
-----END CERTIFICATE REQUEST-----
`,
).toString('base64');
