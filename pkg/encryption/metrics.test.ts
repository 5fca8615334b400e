import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { Exposition } from '../telemetry/index.js';
import { TransformationMetrics } from './metrics.js';
import { configuration, FakeKms, keyed, type Opened, open } from './testing/keyspaces.js';

const SECRET = '/registry/secrets/default/a';
const kms = { kms: { apiVersion: 'v2', name: 'plug', endpoint: 'unix:///run/plug.sock' } };
const hash = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** The lines of a scrape without their common prefix, by name and labels. */
async function scraped(metrics: TransformationMetrics): Promise<ReadonlyMap<string, number>> {
  const exposition = new Exposition();
  exposition.add(...metrics.families);
  const lines = (await exposition.scrape('text'))
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('apiserver_'));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(' ');
      return [line.slice('apiserver_'.length, at), Number(line.slice(at + 1))] as const;
    }),
  );
}

const of = (s: Opened) => scraped(s.encryption.metrics);

it('count the keys of a plug-in by the hashes of their ids and of the server', async () => {
  const s = await open(configuration([[['secrets'], [kms]]]));
  for (let i = 0; i < 3; i++) await s.put(SECRET, '{"kind":"Secret"}');
  await s.get(SECRET);
  const found = await of(s);
  const key = `key_id_hash="${hash('k1')}",apiserver_id_hash="${hash('apiserver-a')}"`;
  const uses = `provider_name="plug",${key}`;
  const now = s.world.clock.now() / 1000;
  const at = (name: string): number | undefined => found.get(`envelope_encryption_${name}`);
  expect(at(`key_id_hash_total{transformation_type="to_storage",${uses}}`)).toBe(3);
  expect(at(`key_id_hash_last_timestamp_seconds{transformation_type="to_storage",${uses}}`)).toBe(now);
  expect(at(`key_id_hash_last_timestamp_seconds{transformation_type="from_storage",${uses}}`)).toBe(now);
  expect(at(`key_id_hash_status_last_timestamp_seconds{${uses}}`)).toBe(now);
  expect(at('dek_source_cache_size{provider_name="plug"}')).toBe(1);
  expect(at('dek_cache_fill_percent')).toBe(100 / 4096);
  expect(found.get('storage_data_key_generation_duration_seconds_count')).toBe(1);
  expect(found.get('storage_data_key_generation_failures_total')).toBe(0);
});

it('have the code of the call of a plug-in that failed, and no duration then', async () => {
  const s = await open(configuration([[['secrets'], [kms]]]));
  await s.put(SECRET, '{"kind":"Secret"}');
  const down = new FakeKms();
  down.down = true;
  const other = await open(configuration([[['secrets'], [kms]]]), { inner: s.inner, kms: down });
  await other.get(SECRET);
  const failed = 'resource="secrets",transformation_type="from_storage",transformer_prefix="k8s:enc:kms:v2:plug:"';
  const found = await of(other);
  expect(found.get(`storage_transformation_operations_total{${failed},status="DeadlineExceeded"}`)).toBe(1);
  const timed = [...found.keys()].filter((name) => name.includes('duration_seconds_count{'));
  expect(timed.filter((name) => name.includes('kms'))).toEqual([]);

  const wrong = await open(configuration([[['secrets'], [keyed('aescbc', ['key1', 'a'])]]]), { inner: s.inner });
  await wrong.get(SECRET);
  const none = 'resource="secrets",transformation_type="from_storage",transformer_prefix="unknown"';
  expect((await of(wrong)).get(`storage_transformation_operations_total{${none},status="unknown-non-grpc"}`)).toBe(1);
});

it('count the uses of each key beside those of its provider', async () => {
  const s = await open(configuration([[['secrets'], [keyed('aescbc', ['key1', 'a'])]]]));
  await s.put(SECRET, '{"kind":"Secret"}');
  await s.get(SECRET);
  const found = await of(s);
  const operations = (direction: string, prefix: string, status = 'OK') =>
    `storage_transformation_operations_total{resource="secrets",transformation_type="${direction}",transformer_prefix="${prefix}",status="${status}"}`;
  for (const prefix of ['k8s:enc:aescbc:v1:', 'key1:'])
    for (const direction of ['to_storage', 'from_storage']) expect(found.get(operations(direction, prefix))).toBe(1);
  const other = await open(configuration([[['secrets'], [keyed('aescbc', ['key2', 'a'])]]]), { inner: s.inner });
  await other.get(SECRET);
  expect((await of(other)).get(operations('from_storage', 'unknown', 'unknown-non-grpc'))).toBe(1);
});

it('keep the last hundred keys of each metric', async () => {
  const s = await open('');
  const metrics = new TransformationMetrics(s.world.clock, 'x');
  for (let i = 0; i < 150; i++) {
    metrics.keyUsed('to_storage', 'plug', 'first');
    metrics.keyUsed('to_storage', 'plug', `k${i}`);
    metrics.keyNamed('plug', `k${i}`);
  }
  const found = [...(await scraped(metrics))];
  const named = (name: string) => found.filter(([line]) => line.startsWith(`envelope_encryption_${name}{`));
  expect(named('key_id_hash_total')).toHaveLength(100);
  expect(named('key_id_hash_last_timestamp_seconds')).toHaveLength(100);
  expect(named('key_id_hash_status_last_timestamp_seconds')).toHaveLength(100);
  expect(Math.max(...named('key_id_hash_total').map(([, value]) => value))).toBe(150);
});

it('have one hash of the configuration in force', async () => {
  const one = configuration([[['secrets'], [keyed('aescbc', ['key1', 'a'])]]]);
  const s = await open(one, { reload: true });
  s.file = configuration([[['secrets'], [keyed('aescbc', ['key2', 'b'], ['key1', 'a'])]]]);
  await s.world.advance(60_000);
  const labels = `apiserver_id_hash="${hash('apiserver-a')}",hash="${hash(s.file)}"`;
  const found = [...(await of(s))].filter(([line]) => line.includes('last_config_info'));
  expect(found).toEqual([[`encryption_config_controller_last_config_info{${labels}}`, 1]]);
});
