import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import type { ApiGroupVersion, ApiResource, ApiSubresource } from './served.js';
import { groupVersionDocument } from './v3.js';

const golden = new URL('../../../../shared/golden/', import.meta.url);

/** Resources whose DELETE answers with the object. */
const RETURNED: ReadonlySet<string> = new Set([
  ...['deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices', 'csidrivers', 'csinodes'],
  ...['storageclasses', 'volumeattachments', 'volumeattributesclasses', 'persistentvolumeclaims', 'pods'],
  ...['podtemplates', 'resourcequotas', 'serviceaccounts', 'services', 'persistentvolumes'],
]);

export function servedFromDiscovery(list: JsonObject): ApiGroupVersion[] {
  return Object.entries(list).map(([apiVersion, entries]) => {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    const gv = { group: group as string, version: version as string };
    const resources = new Map<string, ApiResource & { subresources: ApiSubresource[] }>();
    for (const entry of entries as JsonObject[]) {
      const [name, sub] = (entry['name'] as string).split('/') as [string, string | undefined];
      const kind = entry['kind'] as string;
      const verbs = entry['verbs'] as string[];
      if (sub === undefined) {
        resources.set(name, {
          ...{ name, kind, verbs, namespaced: entry['namespaced'] as boolean, subresources: [] },
          deleteReturnsObject: RETURNED.has(name),
        });
      }
    }
    for (const entry of entries as JsonObject[]) {
      const [name, sub] = (entry['name'] as string).split('/') as [string, string | undefined];
      if (sub === undefined) continue;
      resources.get(name)?.subresources.push({
        name: sub,
        verbs: entry['verbs'] as string[],
        kind: {
          group: (entry['group'] as string | undefined) ?? gv.group,
          version: (entry['version'] as string | undefined) ?? gv.version,
          kind: entry['kind'] as string,
        },
      });
    }
    return { ...gv, resources: [...resources.values()] };
  });
}

/** An alpha feature of the recording that level 1.37 shapes otherwise: device resources that are allocated by the node. */
const RESHAPED = /NodeAllocatableResource|nodeAllocatableResource/;

export function finish(steps: Generator<void, JsonObject>): JsonObject {
  for (let i = 0; i < 100_000; i++) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
  throw new Error('the document never ends');
}

describe('OpenAPI v3 against the recorded documents', () => {
  if (!existsSync(golden)) {
    it.skip('skipped: no recorded documents beside the checkout', () => {});
    return;
  }
  const discovery = JSON.parse(readFileSync(new URL('discovery.json', golden), 'utf8')) as JsonObject;
  const served = servedFromDiscovery(discovery['groupVersions'] as JsonObject);
  for (const file of readdirSync(new URL('openapi/', golden)).sort()) {
    const apiVersion = file.replace(/\.json$/, '').replace(/_(?=[^_]*$)/, '/');
    it(apiVersion, () => {
      const expected = JSON.parse(readFileSync(new URL(`openapi/${file}`, golden), 'utf8')) as {
        schemas: JsonObject;
        paths: JsonObject;
      };
      const gv = served.find((s) => (s.group === '' ? s.version : `${s.group}/${s.version}`) === apiVersion);
      const document = finish(groupVersionDocument(gv as ApiGroupVersion, 'v1.37.0'));
      const { schemas } = document['components'] as { schemas: JsonObject };
      const differences: string[] = [];
      for (const [name, schema] of Object.entries(expected.schemas)) {
        compare(schema, bare(schemas[name] as JsonValue), name, differences);
      }
      const paths = document['paths'] as JsonObject;
      expect(Object.keys(paths).sort()).toEqual(Object.keys(expected.paths).sort());
      for (const [path, item] of Object.entries(expected.paths)) {
        compare(item, condense(paths[path] as JsonObject), path, differences);
      }
      expect(differences.filter((d) => !RESHAPED.test(d))).toEqual([]);
      expect(danglingReferences(document, schemas)).toEqual([]);
    });
  }
});

function danglingReferences(value: JsonValue, schemas: JsonObject, found: string[] = []): string[] {
  if (Array.isArray(value)) for (const v of value) danglingReferences(v, schemas, found);
  else if (isObject(value)) {
    const ref = value['$ref'];
    if (typeof ref === 'string' && !Object.hasOwn(schemas, ref.slice('#/components/schemas/'.length))) found.push(ref);
    for (const v of Object.values(value)) danglingReferences(v, schemas, found);
  }
  return found;
}

/** Without descriptions; a property that is called `description` stays. */
function bare(value: JsonValue, insideProperties = false): JsonValue {
  if (Array.isArray(value)) return value.map((v) => bare(v));
  if (!isObject(value)) return value;
  const out: JsonObject = {};
  for (const [key, v] of Object.entries(value)) {
    if (insideProperties || key !== 'description' || typeof v !== 'string') out[key] = bare(v, key === 'properties');
  }
  return out;
}

/** A path item in the short form of the recording. */
function condense(item: JsonObject): JsonObject {
  const ref = (content: JsonObject): string[] =>
    Object.entries(content)
      .map(([type, media]) => {
        const schema = (media as JsonObject)['schema'] as JsonObject;
        return `${type} ${String(schema['$ref'] ?? schema['type'])}`;
      })
      .sort();
  const parameters = (list: JsonValue | undefined): JsonObject =>
    list === undefined
      ? {}
      : {
          parameters: (list as JsonObject[])
            .map((p) => `${p['in']}:${p['name']}${p['required'] ? '!' : ''}:${(p['schema'] as JsonObject)['type']}`)
            .sort(),
        };
  const out: JsonObject = {};
  for (const [method, op] of Object.entries(item)) {
    if (!isObject(op)) continue;
    const body = op['requestBody'] as JsonObject | undefined;
    out[method] = {
      id: op['operationId'] as string,
      ...(op['x-kubernetes-action'] !== undefined && { action: op['x-kubernetes-action'] }),
      ...(op['x-kubernetes-group-version-kind'] !== undefined && { gvk: op['x-kubernetes-group-version-kind'] }),
      ...parameters(op['parameters']),
      ...(body !== undefined && { body: ref(body['content'] as JsonObject) }),
      responses: Object.fromEntries(
        Object.entries(op['responses'] as JsonObject).map(([code, r]) => [
          code,
          ref(((r as JsonObject)['content'] ?? {}) as JsonObject),
        ]),
      ),
    };
  }
  return { ...out, ...parameters(item['parameters']) };
}

/** The recording is one level behind: properties, enum values and parameters beyond it are no difference. */
function compare(expected: JsonValue, actual: JsonValue | undefined, path: string, found: string[]): void {
  if (expected === actual) return;
  const beyond = path.endsWith('.properties') || path.endsWith('.enum') || path.endsWith('.parameters');
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (path.endsWith('.parameters')) [expected, actual] = [[...expected].sort(), [...actual].sort()];
    if (beyond) actual = actual.filter((a) => expected.some((e) => JSON.stringify(e) === JSON.stringify(a)));
    if (JSON.stringify(sortKeys(expected)) !== JSON.stringify(sortKeys(actual)))
      found.push(`${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
    return;
  }
  if (!isObject(expected) || actual === undefined || !isObject(actual)) {
    found.push(`${path}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual) ?? 'nothing'}`);
    return;
  }
  for (const key of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
    if (!Object.hasOwn(expected, key)) {
      if (!beyond) found.push(`${path}.${key}: not expected: ${JSON.stringify(actual[key])}`);
    } else compare(expected[key] as JsonValue, actual[key], `${path}.${key}`, found);
  }
}

function sortKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((k) => [k, sortKeys(value[k] as JsonValue)]),
  );
}
