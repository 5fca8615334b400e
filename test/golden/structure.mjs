// Compares recordings that are not scenarios: discovery documents, Table columns, and OpenAPI v3 of every served group
// version.
import https from 'node:https';
import { recordedPaths, recordedText } from './recordings.mjs';

/**
 * `discovery`, `tables`: the recorded files; `suffix`: appended to the names of areas; `openapi`: whether these
 * documents are compared too.
 */
export async function compareStructure({ server, cert, key, failures, discovery: discoveryFile, tables: tablesFile, openapi, suffix }) {
  const agent = new https.Agent({ keepAlive: true, cert, key, rejectUnauthorized: false });
  const get = (path, accept = 'application/json') =>
    new Promise((resolve, reject) => {
      https
        .get(`${server}${path}`, { agent, headers: { accept } }, (res) => {
          const chunks = [];
          res.on('data', (c) => chunks.push(c));
          res.on('end', () => {
            try {
              resolve(res.statusCode === 200 ? JSON.parse(Buffer.concat(chunks).toString()) : undefined);
            } catch (e) {
              reject(e);
            }
          });
        })
        .on('error', reject);
    });
  const read = (path) => JSON.parse(recordedText(path));
  const totals = {};
  const shown = {};
  const judge = (name, id, expected, actual, extrasAllowed) => {
    const area = `${name}${suffix}`;
    const t = (totals[area] ??= { same: 0, words: 0, different: 0 });
    const at = firstDifference(expected, actual, '', extrasAllowed);
    t[at === undefined ? 'same' : 'different']++;
    if (at !== undefined && (shown[area] = (shown[area] ?? 0) + 1) <= failures) console.log(`${area}/${id}\n    ${at}`);
  };

  const discovery = read(discoveryFile);
  judge('discovery', '/api', clean(discovery.api), clean(await get('/api')));
  const apis = await get('/apis');
  judge('discovery', '/apis', groupNames(discovery.apis), groupNames(apis));
  for (const [gv, expected] of Object.entries(discovery.groupVersions)) {
    const actual = await get(gv === 'v1' ? '/api/v1' : `/apis/${gv}`);
    const wanted = byName(expected);
    const got = byName(actual?.resources ?? []);
    for (const name of Object.keys(wanted)) judge('discovery', `${gv}/${name}`, wanted[name], got[name]);
  }

  const tables = read(tablesFile);
  for (const [id, expected] of Object.entries(tables)) {
    const slash = id.lastIndexOf('/');
    const gv = id.slice(0, slash);
    const base = gv === 'v1' ? '/api/v1' : `/apis/${gv}`;
    const table = await get(`${base}/${id.slice(slash + 1)}?limit=1`, 'application/json;as=Table;v=v1;g=meta.k8s.io');
    judge('tables', id, expected, table?.columnDefinitions?.map(({ description, ...c }) => c));
  }

  for (const file of openapi ? recordedPaths('openapi/') : []) {
    const expected = read(file);
    const gv = file.replace(/^openapi\/|\.json$/g, '').replace(/_(?=[^_]*$)/, '/');
    const doc = await get(`/openapi/v3/${gv === 'v1' ? 'api/v1' : `apis/${gv}`}`);
    const schemas = doc?.components?.schemas ?? {};
    for (const [name, schema] of Object.entries(expected.schemas)) judge('openapi-schemas', `${gv}/${name}`, schema, bare(schemas[name]), true);
    for (const [path, item] of Object.entries(expected.paths)) judge('openapi-paths', `${gv}${path}`, item, condense(doc?.paths?.[path]), true);
  }
  const width = 16;
  for (const [k, t] of Object.entries(totals)) console.log(k.padEnd(width), String(t.same).padStart(6), String(t.words).padStart(6), String(t.different).padStart(6));
  agent.destroy();
  return totals;
}

const byName = (list) => Object.fromEntries(list.map((r) => [r.name, r]));
const groupNames = (list) => (list?.groups ?? []).map(({ name, versions, preferredVersion }) => ({ name, versions: versions.map((v) => v.version), preferred: preferredVersion?.version })).sort((a, b) => (a.name < b.name ? -1 : 1));
const clean = (api) => ({ kind: api?.kind, versions: api?.versions });

/** Removes descriptions, as in the recorded documents. A property named `description` stays. */
function bare(v, insideProperties = false) {
  if (Array.isArray(v)) return v.map((x) => bare(x));
  if (v === null || typeof v !== 'object') return v;
  const out = {};
  for (const [k, x] of Object.entries(v)) if (insideProperties || k !== 'description' || typeof x !== 'string') out[k] = bare(x, k === 'properties');
  return out;
}

/**
 * Converts a path item to the short form of the recording: `query:dryRun:string`, `application/json #/components/...`,
 * all sorted.
 */
function condense(item) {
  if (item === undefined) return undefined;
  const ref = (schema) => schema?.$ref ?? schema?.type ?? '';
  const content = (c) =>
    Object.entries(c ?? {})
      .map(([type, { schema }]) => `${type} ${ref(schema)}`)
      .sort();
  const parameters = (list) => (list?.length ? { parameters: list.map((p) => `${p.in}:${p.name}${p.required ? '!' : ''}:${p.schema.type}`).sort() } : {});
  const out = {};
  for (const [method, op] of Object.entries(item)) {
    if (typeof op !== 'object' || Array.isArray(op)) continue;
    out[method] = {
      id: op.operationId,
      ...(op['x-kubernetes-action'] ? { action: op['x-kubernetes-action'] } : {}),
      ...(op['x-kubernetes-group-version-kind'] ? { gvk: op['x-kubernetes-group-version-kind'] } : {}),
      ...parameters(op.parameters),
      ...(op.requestBody ? { body: content(op.requestBody.content) } : {}),
      responses: Object.fromEntries(Object.entries(op.responses).map(([code, r]) => [code, content(r.content)])),
    };
  }
  return { ...out, ...parameters(item.parameters) };
}

/**
 * `extrasAllowed`: this server has a newer API level than the recording, so additional properties, enum values and
 * parameters are accepted.
 */
function firstDifference(a, b, path, extrasAllowed) {
  if (a === b) return undefined;
  const cut = (x) => (x === undefined ? 'absent' : JSON.stringify(x).slice(0, 160));
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object' || Array.isArray(a) !== Array.isArray(b)) return `${path || '/'}: expected ${cut(a)}, got ${cut(b)}`;
  const extra = extrasAllowed && (path.endsWith('/properties') || path.endsWith('/enum') || path.endsWith('/parameters'));
  if (Array.isArray(a) && a.every((x) => typeof x === 'string' || x?.name !== undefined) && extrasAllowed) {
    const id = (x) => (typeof x === 'string' ? x : `${x.in}/${x.name}`);
    const other = new Map(b.map((x) => [id(x), x]));
    for (const x of a) {
      const d = other.has(id(x)) ? firstDifference(x, other.get(id(x)), `${path}/${id(x)}`, extrasAllowed) : `${path}: expected ${id(x)}, absent`;
      if (d) return d;
    }
    return !extra && a.length !== b.length ? `${path}: expected ${a.length} entries, got ${b.length}` : undefined;
  }
  for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (extra && !(k in a)) continue;
    const d = firstDifference(a[k], b[k], `${path}/${k}`, extrasAllowed);
    if (d) return d;
  }
  return undefined;
}
