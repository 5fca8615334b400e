import { ApiError, apiVersionOf, isObject, type JsonObject } from '../../pkg/api/index.js';
import { readJson } from '../../pkg/codec/index.js';
import { resolveTarget, type ServedResource } from '../../pkg/registry/index.js';
import { Bench } from '../../pkg/registry/testing.js';
import { recordedText } from '../golden/recordings.mjs';
import { deployment } from './seeds.js';
import { type Target, texts } from './target.js';

/** Complete writes: defaults, validation and admission of every kind, on modified valid objects. */

/** Valid objects of nearly every kind, from the recordings. */
function validObjects(): readonly JsonObject[] {
  const bases = JSON.parse(recordedText('validation/bases.json')) as Record<string, { readonly object: JsonObject }>;
  return Object.values(bases).map((base) => base.object);
}

const LONG = 100_000;
const WORDS = [
  ...['"', ',', '{}', '[]', 'null', '-1', '""', '{', '[{}]', 'true', '1.5', '" "', '"/"', '"a.b"', '"1"', '"50%"'],
  ...[
    '"10.0.0.0/8"',
    '"::1"',
    '"*"',
    '"http://"',
    '"1Gi"',
    '"-0"',
    '"@every 1h"',
    '"*/5 * * * *"',
    '"9999-99-99T99:99:99Z"',
  ],
  ...['9', 'a', 'A', '0', '-', '.', ':', '/', ' ', '=', ','].map((c) => `"${c.repeat(LONG)}!"`),
  ...['a.', '1,', '1-', 'a/', '0.', ':a', '-----BEGIN A', '%41', '* '].map((c) => `"${c.repeat(LONG / c.length)}!"`),
];

/** A dry run stores nothing, so that every input starts from the same state. */
export async function writeTargets(): Promise<readonly Target[]> {
  const bench = await Bench.open([['api/all', true]]);
  const served = new Map<string, ServedResource>();
  for (const group of bench.registry.servedResources.groups)
    for (const version of group.versions)
      for (const resource of version.resources)
        if (resource.verbs.includes('create')) served.set(`${apiVersionOf(resource)} ${resource.kind}`, resource);
  const options = { dryRun: true, fieldManager: 'fuzz', fieldValidation: 'Warn' } as const;
  return [
    {
      name: 'writes of every kind',
      seeds: texts(...[deployment, ...validObjects()].map((o) => JSON.stringify(o))),
      words: WORDS,
      refusals: [ApiError],
      run: async (bytes) => {
        const read = readJson(bytes);
        if (!read.ok || !isObject(read.value)) return;
        const resource = served.get(`${read.value['apiVersion']} ${read.value['kind']}`);
        if (resource === undefined) return;
        const target = resolveTarget(resource, { namespace: resource.namespaced ? 'default' : '' });
        if (target === undefined) return;
        bench.warnings.length = 0;
        const written = await bench.registry.create(
          { target, body: { bytes, encoding: 'json' }, options },
          bench.context,
        );
        bench.json(target, written.object);
      },
    },
  ];
}
