import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client } from './client.js';

/** Properties of the OpenAPI documents that client generators require. */

// biome-ignore lint/suspicious/noExplicitAny: parsed documents
type Document = any;

let server: TestApiServer;
let client: Client;
let v2: Document;
const v3 = new Map<string, Document>();

beforeAll(async () => {
  server = await startApiServer({ runtimeConfig: { 'api/all': true } });
  client = new Client(server);
  v2 = (await client.ask('/openapi/v2')).json();
  const { paths } = (await client.ask('/openapi/v3')).json();
  for (const [name, { serverRelativeURL }] of Object.entries<{ serverRelativeURL: string }>(paths))
    v3.set(name, (await client.ask(serverRelativeURL)).json());
});
afterAll(async () => {
  client?.close();
  await server?.close();
});

interface Operation {
  readonly path: string;
  readonly method: string;
  readonly at: Document;
  /** Parameters of the path. */
  readonly shared: readonly Document[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

function operationsOf(document: Document): readonly Operation[] {
  return Object.entries<Document>(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => ({
      path,
      method,
      at: item[method],
      shared: item.parameters ?? [],
    })),
  );
}

function* refsOf(value: Document): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === '$ref' && typeof inner === 'string') yield inner;
    else yield* refsOf(inner);
  }
}

function resolves(document: Document, ref: string): boolean {
  let at = document;
  for (const part of ref.slice(2).split('/')) at = at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')];
  return ref.startsWith('#/') && at !== undefined;
}

const documents = (): readonly (readonly [string, Document])[] => [['v2', v2], ...v3];
const duplicates = (list: readonly string[]): readonly string[] => list.filter((x, i) => list.indexOf(x) !== i);

describe('the OpenAPI documents', () => {
  it('describe every served group version', async () => {
    const groups = (await client.ask('/apis')).json().groups as readonly { versions: { groupVersion: string }[] }[];
    const served = groups.flatMap((g) => g.versions.map((v) => `apis/${v.groupVersion}`));
    expect(served.length).toBeGreaterThan(30);
    expect([...served, 'api/v1'].filter((name) => !v3.has(name))).toEqual([]);
    expect([v2.swagger, ...new Set([...v3.values()].map((d) => d.openapi))]).toEqual(['2.0', '3.0.0']);
  });

  it('contain all definitions that they refer to', () => {
    for (const [name, document] of documents()) {
      const refs = [...new Set(refsOf(document))];
      if (name === 'v2') expect(refs.length).toBeGreaterThan(500);
      expect([name, refs.filter((ref) => !resolves(document, ref))]).toEqual([name, []]);
    }
  });

  it('give every operation a unique ID', () => {
    for (const [name, document] of documents()) {
      const ids = operationsOf(document).map(({ at }) => at.operationId as string);
      expect([name, ids.filter((id) => !/^[A-Za-z][A-Za-z0-9_]*$/.test(id ?? '')), duplicates(ids)]).toEqual([
        name,
        [],
        [],
      ]);
    }
    // Generators read all documents together for clients of several versions.
    const everywhere = [...v3.values()].flatMap((d) => operationsOf(d).map(({ at }) => at.operationId as string));
    expect(duplicates(everywhere)).toEqual([]);
  });

  it('declare every path parameter once, and a response for every operation', () => {
    for (const [name, document] of documents())
      for (const { path, method, at, shared } of operationsOf(document)) {
        const declared = [...shared, ...(at.parameters ?? [])].map((p: Document) => {
          const target =
            p.$ref === undefined
              ? p
              : (p.$ref as string)
                  .slice(2)
                  .split('/')
                  .reduce((o, k) => o[k], document);
          return `${target.in} ${target.name}`;
        });
        const wanted = [...path.matchAll(/\{(\w+)\}/g)].map((m) => `path ${m[1]}`);
        expect([name, method, path, wanted.filter((w) => !declared.includes(w)), duplicates(declared)]).toEqual([
          name,
          method,
          path,
          [],
          [],
        ]);
        expect([name, method, path, Object.keys(at.responses ?? {}).length > 0]).toEqual([name, method, path, true]);
      }
  });

  it('annotate operations and kinds with their group, version and kind', () => {
    for (const [name, document] of documents()) {
      const nameless = operationsOf(document).filter(
        ({ at }) => at['x-kubernetes-action'] !== undefined && at['x-kubernetes-group-version-kind'] === undefined,
      );
      expect([name, nameless.map((o) => o.path)]).toEqual([name, []]);
      const schemas: Record<string, Document> = document.definitions ?? document.components?.schemas ?? {};
      const kinds = Object.entries(schemas).filter(
        ([, s]) =>
          s.properties?.kind !== undefined &&
          s.properties?.apiVersion !== undefined &&
          s.properties?.metadata !== undefined,
      );
      const unmarked = kinds.filter(([, s]) => !Array.isArray(s['x-kubernetes-group-version-kind']));
      expect([name, unmarked.map(([n]) => n)]).toEqual([name, []]);
    }
    const marked = Object.values<Document>(v2.definitions).flatMap((s) => s['x-kubernetes-group-version-kind'] ?? []);
    for (const kind of ['Pod', 'Deployment', 'Ingress', 'Status', 'DeleteOptions'])
      expect(marked.map((gvk: Document) => gvk.kind)).toContain(kind);
  });

  it('have descriptions for workloads and related kinds', () => {
    const silent = Object.entries<Document>(v2.definitions)
      .filter(
        ([n, s]) =>
          /^io\.k8s\.api\.(core|apps|batch|networking)\.v1\.[A-Z]/.test(n) && s['x-kubernetes-group-version-kind'],
      )
      .filter(([, s]) => !s.description)
      .map(([n]) => n);
    expect(silent).toEqual([]);
  });
});

describe('discovery', () => {
  it('has the storage version hashes of kube-apiserver, which stores definitions as v1beta1', async () => {
    const hashOf = async (path: string, name: string): Promise<string> => {
      const { resources } = (await client.ask(path)).json();
      return resources.find((r: Document) => r.name === name).storageVersionHash;
    };
    expect(await hashOf('/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions')).toBe('jfWCUB31mvA=');
    expect(await hashOf('/apis/apps/v1', 'deployments')).toBe('8aSe+NMegvE=');
  });
});
