import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import type { ApiDescription, ApiResource } from './served.js';
import { createOpenApi } from './service.js';
import { swaggerParts } from './swagger.js';

/** Custom resources whose schemas tell when they are read. */
function customResources(kinds: readonly string[], read: (kind: string) => void): ApiDescription {
  const resources = kinds.map((kind): ApiResource => {
    const schema = (): JsonObject => {
      read(kind);
      return { type: 'object', properties: { spec: { type: 'string', description: kind } } };
    };
    const name = `${kind.toLowerCase()}s`;
    const custom = { listKind: `${kind}List`, schema };
    return { name, kind, namespaced: true, verbs: ['get', 'list'], subresources: [], custom };
  });
  return { version: 'v1', groupVersions: [{ group: 'example.com', version: 'v1', resources }] };
}

it('has the schema of one custom resource in memory at a time', () => {
  const read: string[] = [];
  const seen: [definition: string, read: string][] = [];
  for (const part of swaggerParts(customResources(['A', 'B', 'C'], (kind) => read.push(kind)))) {
    if (typeof part !== 'object' || part.kind !== 'definition') continue;
    seen.push([part.name, read.join('')]);
  }
  expect(seen.filter(([name]) => name.startsWith('com.example.'))).toEqual([
    ['com.example.v1.A', 'A'],
    ['com.example.v1.AList', 'A'],
    ['com.example.v1.B', 'AB'],
    ['com.example.v1.BList', 'AB'],
    ['com.example.v1.C', 'ABC'],
    ['com.example.v1.CList', 'ABC'],
  ]);
});

it('yields before each schema of a custom resource', async () => {
  let pauses = 0;
  const at: number[] = [];
  const api = customResources(['A', 'B', 'C'], () => at.push(pauses));
  const pause = (): Promise<void> => {
    pauses++;
    return Promise.resolve();
  };
  const { bytes } = await createOpenApi({ now: () => 0, api, pause }).v2('json');
  expect(new Set(at).size).toBe(3);
  const { definitions } = JSON.parse(bytes.toString()) as { definitions: JsonObject };
  expect(definitions['com.example.v1.B']).toMatchObject({ properties: { spec: { type: 'string', description: 'B' } } });
  expect(Object.keys(definitions)).toEqual(Object.keys(definitions).sort());
});
