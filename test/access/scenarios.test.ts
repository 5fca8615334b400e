import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWithFlags } from '../../pkg/server/library.js';
import { Client, type RecordedCase, runCase } from '../golden/lib.mjs';

/** What kube-apiserver 1.37.2 answered, in the format of test/golden. Only answers are kept that it gave twice. */
const scenarios = JSON.parse(
  readFileSync(new URL('scenarios.json', import.meta.url), 'utf8'),
) as readonly RecordedCase[];

let server: Awaited<ReturnType<typeof startWithFlags>>;
let client: Client;
beforeAll(async () => {
  const issuer = '--service-account-issuer=https://kubernetes.default.svc';
  server = await startWithFlags(['--secure-port=0', '--service-cluster-ip-range=10.0.0.0/16', issuer]);
  client = new Client({ server: server.url, cert: server.cert, key: server.key });
}, 60_000);
afterAll(async () => {
  client.close();
  await server.close();
});

it.each(scenarios.map((one, i) => [one.id, one, i] as const))('%s', async (_, one, i) => {
  // kube-apiserver learns of roles and deletions after a while; here they take effect at once.
  const steps = one.steps.filter(({ sleep }) => sleep === undefined);
  await runCase(client, { ...one, steps }, `scenario-${i}`, (step, _index, { type, ...answer }) => {
    if (step.expect === undefined) return;
    const got = type === 'application/json' ? answer : { ...answer, type };
    expect(got, `${step.method} ${step.path}`).toEqual(step.expect);
  });
});
