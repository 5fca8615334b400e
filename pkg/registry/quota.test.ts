import { describe, expect, it } from 'vitest';
import { builtinAdmission, chosenSteps } from '../admission/index.js';
import { ApiError, type JsonObject } from '../api/index.js';
import { Bench, refusal, type TestAdmission } from './testing.js';

/** Quotas under concurrent writers. Each writer has its own registry over one store, as peers do. */

const admission: TestAdmission = (objects, world) =>
  chosenSteps(
    builtinAdmission(objects, world, () => ({ allowed: true, reason: '', error: undefined })),
    { enabled: [], disabled: ['ServiceAccount'] },
  );

async function withQuota(hard: JsonObject, used: JsonObject): Promise<Bench> {
  const bench = await Bench.open([], admission);
  await bench.create('resourcequotas', 'default', {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q' },
    spec: { hard },
  });
  await bench.patch('resourcequotas/status', ['default', 'q'], { status: { hard, used } });
  return bench;
}

const configMap = (name: string): JsonObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

const statusOf = async (bench: Bench): Promise<JsonObject> =>
  ((await bench.get('resourcequotas', 'default', 'q'))['status'] as JsonObject)['used'] as JsonObject;

describe('a quota', () => {
  it('is not exceeded by concurrent writes to three peers, and its usage is exact', async () => {
    const first = await withQuota({ 'count/configmaps': '20' }, { 'count/configmaps': '0' });
    const peers = [first, await first.reopen(admission), await first.reopen(admission)];
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        peers[i % 3]!.create('configmaps', 'default', configMap(`c${i}`)).then(
          () => 'created',
          (e: unknown) => (e instanceof ApiError ? String(e.status.code) : String(e)),
        ),
      ),
    );
    expect(outcomes.filter((o) => o === 'created')).toHaveLength(20);
    expect(new Set(outcomes)).toEqual(new Set(['created', '403']));
    expect(await statusOf(first)).toEqual({ 'count/configmaps': '20' });
    expect((await first.list('configmaps', 'default')).items).toHaveLength(20);
  });

  it('reports the requested, used and limited amounts in a refusal; a dry run is not counted', async () => {
    const bench = await withQuota({ 'count/configmaps': '1' }, { 'count/configmaps': '0' });
    await bench.create('configmaps', 'default', configMap('dry'), { dryRun: true });
    expect(await statusOf(bench)).toEqual({ 'count/configmaps': '0' });
    await bench.create('configmaps', 'default', configMap('a'));
    expect(await refusal(bench.create('configmaps', 'default', configMap('b')))).toBe(
      '403 configmaps "b" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1',
    );
  });

  it('does not count a failed create', async () => {
    const bench = await withQuota({ 'count/configmaps': '5' }, { 'count/configmaps': '0' });
    await bench.create('configmaps', 'default', configMap('a'));
    expect(await refusal(bench.create('configmaps', 'default', configMap('a')))).toMatch(/^409/);
    expect(await statusOf(bench)).toEqual({ 'count/configmaps': '1' });
  });
});
