import { describe, expect, it } from 'vitest';
import { ApiError, type JsonObject } from '../../../../api/index.js';
import { Bench } from '../../../testing.js';

async function fields(spec: JsonObject): Promise<readonly string[]> {
  const b = await Bench.open();
  const o = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } };
  try {
    await b.create('pods', 'default', { ...o, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });
    return [];
  } catch (e) {
    if (!(e instanceof ApiError)) throw e;
    return (e.status.details?.causes ?? []).map((c) => `${c.reason} ${c.field}`);
  }
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const wanted = (...values: readonly string[]): JsonObject => ({
  matchExpressions: [{ key: 'k', operator: 'In', values: [...values] }],
});

describe('selector values that no label can have', () => {
  it('are rejected in required node affinity, not in preferred', async () => {
    const term = wanted('a', 'not valid');
    const node = (a: JsonObject): Promise<readonly string[]> => fields({ affinity: { nodeAffinity: a } });
    expect(await node({ [REQUIRED]: { nodeSelectorTerms: [term] } })).toEqual([
      `FieldValueInvalid spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].matchExpressions[0].values[1]`,
    ]);
    expect(await node({ [PREFERRED]: [{ weight: 1, preference: term }] })).toEqual([]);
  });

  it('are rejected as node names', async () => {
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['Not_Valid!'] }];
    const affinity = { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: [{ matchFields }] } } };
    expect(await fields({ affinity })).toEqual([
      `FieldValueInvalid spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms[0].matchFields[0].values[0]`,
    ]);
  });

  it.each(['labelSelector', 'namespaceSelector'])('are rejected in the %s of pod affinity', async (selector) => {
    const term = { topologyKey: 'z', [selector]: wanted('not valid') };
    const path = `spec.affinity.podAffinity.${REQUIRED}[0].${selector}.matchExpressions[0].values[0]`;
    expect(await fields({ affinity: { podAffinity: { [REQUIRED]: [term] } } })).toEqual([`FieldValueInvalid ${path}`]);
  });
});

describe('volumes', () => {
  it('of a FlexVolume driver may have a secret reference without a name', async () => {
    expect(await fields({ volumes: [{ name: 'v', flexVolume: { driver: 'd', secretRef: {} } }] })).toEqual([]);
  });

  it('with an ephemeral claim have an absent or a known volume mode', async () => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const of = (mode: JsonObject): Promise<readonly string[]> =>
      fields({ volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { spec: { ...spec, ...mode } } } }] });
    const path = 'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.volumeMode';
    expect(await of({})).toEqual([]);
    expect(await of({ volumeMode: '' })).toEqual([`FieldValueNotSupported ${path}`]);
  });
});
