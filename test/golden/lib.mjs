// Runs recorded cases: a small HTTPS client, variable substitution, normalisation of values that differ from run to
// run, and comparison. README.md describes the format.
import https from 'node:https';

/** One request. Returns {status, headers, body: Buffer}; a watch is opened with `open` instead. */
export class Client {
  constructor({ server, cert, key, token, prefix = '' }) {
    const u = new URL(server);
    if (!['127.0.0.1', 'localhost', '[::1]'].includes(u.hostname)) throw new Error('only loopback servers');
    this.u = u; this.prefix = prefix; this.token = token;
    this.agent = new https.Agent({ keepAlive: true, maxSockets: 64, cert, key, rejectUnauthorized: false });
    this.bare = new https.Agent({ keepAlive: true, maxSockets: 16, rejectUnauthorized: false });
  }
  #options(method, path, headers) {
    const h = { accept: 'application/json', 'user-agent': 'golden/1', ...headers };
    for (const k of Object.keys(h)) if (h[k] === null) delete h[k];
    if (this.token && !h.authorization) h.authorization = `Bearer ${this.token}`;
    return { agent: this.agent, host: this.u.hostname.replace(/[[\]]/g, ''), port: this.u.port, method, path: this.prefix + path, headers: h };
  }
  /** `bare`: without the administrator's certificate or token (for requests with other credentials or none). */
  request(method, path, headers = {}, body, bare = false) {
    return new Promise((resolve, reject) => {
      const payload = body === undefined ? undefined : Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
      if (payload && !Object.keys(headers).some((k) => k.toLowerCase() === 'content-type')) headers = { 'content-type': 'application/json', ...headers };
      const options = this.#options(method, path, { ...headers, ...(payload ? { 'content-length': payload.length } : {}) });
      if (bare) { options.agent = this.bare; if (!headers.authorization) delete options.headers.authorization; }
      const req = https.request(options, (res) => {
        const chunks = [];
        res.on('data', (c) => chunks.push(c));
        res.on('end', () => resolve({ status: res.statusCode, headers: res.headers, body: Buffer.concat(chunks) }));
        res.on('error', reject);
      });
      req.setTimeout(20000, () => req.destroy(new Error('timeout')));
      req.on('error', reject);
      req.end(payload);
    });
  }
  close() {
    this.agent.destroy();
    this.bare.destroy();
  }
  /** Opens a stream of JSON lines. `events` grows; `done` resolves at its end. */
  open(path, headers = {}) {
    const w = { events: [], status: undefined, ended: false, waiters: [] };
    const wake = () => { for (const f of w.waiters.splice(0)) f(); };
    const req = https.request({ ...this.#options('GET', path, headers), agent: undefined, cert: this.agent.options.cert, key: this.agent.options.key, rejectUnauthorized: false }, (res) => {
      w.status = res.statusCode; w.headers = res.headers;
      let rest = '';
      res.setEncoding('utf8');
      res.on('data', (c) => {
        rest += c;
        const lines = rest.split('\n'); rest = lines.pop();
        for (const l of lines) if (l.trim()) { try { w.events.push(JSON.parse(l)); } catch { w.events.push({ unparsed: l.slice(0, 200) }); } }
        wake();
      });
      res.on('end', () => { if (rest.trim()) { try { w.events.push(JSON.parse(rest)); } catch { w.events.push({ unparsed: rest.slice(0, 200) }); } } w.ended = true; wake(); });
      wake();
    });
    req.on('error', () => { w.ended = true; wake(); });
    req.end();
    w.close = () => req.destroy();
    w.wait = (until, ms) => new Promise((resolve) => {
      const t = setTimeout(() => resolve(false), ms);
      const check = () => { if (until(w) || w.ended) { clearTimeout(t); resolve(true); } else w.waiters.push(check); };
      check();
    });
    return w;
  }
}

/** Long runs of one character are written as {{fill:x:1000}} in the files. */
export function shrink(v) {
  if (typeof v === 'string') return v.length < 1000 ? v : v.replace(/([^{}])\1{999,}/gs, (m, c) => `{{fill:${c}:${m.length}}}`);
  if (Array.isArray(v)) return v.map(shrink);
  if (v && typeof v === 'object' && !Buffer.isBuffer(v)) return Object.fromEntries(Object.entries(v).map(([k, x]) => [shrink(k), shrink(x)]));
  return v;
}
export const expand = (s) => s.replace(/\{\{fill:(.):(\d+)\}\}/gs, (m, c, n) => c.repeat(Number(n)));

/** Replaces {{name}} in every string of a value. */
export function substitute(v, vars) {
  if (typeof v === 'string') {
    if (v.includes('{{fill:')) v = expand(v);
    const whole = /^\{\{(\w+)\}\}$/.exec(v);
    if (whole && whole[1] in vars) return vars[whole[1]];
    return v.replace(/\{\{(\w+)\}\}/g, (m, k) => (k in vars ? String(vars[k]) : m));
  }
  if (Array.isArray(v)) return v.map((x) => substitute(x, vars));
  if (v && typeof v === 'object') return Object.fromEntries(Object.entries(v).map(([k, x]) => [substitute(k, vars), substitute(x, vars)]));
  return v;
}

/** The administrator's user name, which differs between servers; set by `whoami`. */
const identity = { admin: undefined };
export async function whoami(client) {
  const r = await client.request('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }).catch(() => undefined);
  if (r?.status === 201) identity.admin = JSON.parse(r.body).status?.userInfo?.username;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;
const IP = /^(10\.\d+\.\d+\.\d+|192\.0\.2\.\d+|198\.51\.100\.\d+|fd[0-9a-f:]+|2001:db8[0-9a-f:]+)$/;

/** Replaces values that differ from run to run by fixed marks; drops managedFields unless they are requested. */
export function normalise(v, { vars = {}, managedFields = false } = {}, key = '', parent = '') {
  if (typeof v === 'string') {
    if (key === 'uid' && v) return '<uid>';
    if (key === 'username' && v === identity.admin) return '<admin>';
    if (key === 'resourceVersion' && v) return /^\d+$/.test(v) ? '<rv>' : v;
    if (key === 'continue' && v) return '<continue>';
    if (key === 'pod-template-hash') return '<hash>';
    if (v.length >= 1000) v = shrink(v);
    if (TIME.test(v)) return v.includes('.') ? '<microtime>' : '<time>';
    if ((key === 'clusterIP' || parent === 'clusterIPs') && IP.test(v)) return '<ip>';
    for (const k of ['ns', ...Object.keys(vars).filter((x) => x !== 'ns')]) {
      const s = vars[k];
      if (typeof s === 'string' && s.length > 3 && v.includes(s)) v = v.split(s).join(`{{${k}}}`);
    }
    return v
      .replace(/X509SHA256=[0-9a-f]{64}/g, 'X509SHA256=<hash>')
      .replace(/\bkube-api-access-[a-z0-9]{5}\b/g, 'kube-api-access-<x>')
      .replace(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<uid>')
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? \+0000 UTC( m=\S+)?/g, '<time>');
  }
  if (typeof v === 'number' && (key === 'nodePort' || key === 'healthCheckNodePort') && v >= 30000) return '<port>';
  if (Array.isArray(v)) return v.map((x) => normalise(x, { vars, managedFields }, '', key));
  if (v && typeof v === 'object') {
    const out = {};
    for (const [k, x] of Object.entries(v)) {
      if (k === 'managedFields' && !managedFields) continue;
      out[k] = normalise(x, { vars, managedFields }, k, key);
    }
    if (out.annotations && !Object.keys(out.annotations).length && !('annotations' in v && !Object.keys(v.annotations).length)) delete out.annotations;
    return out;
  }
  return v;
}

/** The text of a value with sorted object keys. */
export function canonical(v) {
  if (Array.isArray(v)) return `[${v.map(canonical).join(',')}]`;
  if (v && typeof v === 'object') return `{${Object.keys(v).sort().map((k) => `${JSON.stringify(k)}:${canonical(v[k])}`).join(',')}}`;
  return JSON.stringify(v);
}

/** The parts of a failure Status that programs use, without its messages. */
export function statusShape(b) {
  const d = b?.details;
  return {
    status: b?.status, reason: b?.reason, code: b?.code,
    details: d && { name: d.name, group: d.group, kind: d.kind, retryAfterSeconds: d.retryAfterSeconds, causes: d.causes && d.causes.map((c) => [c.reason, c.field]).sort((a, z) => canonical(a) < canonical(z) ? -1 : 1) },
  };
}

/**
 * A Status without what differs from run to run: kube-apiserver lists the owners of a conflict in the random order of a map, and shows
 * the whole result of a patch that it cannot decode, with its resourceVersion.
 */
function repeatable(body) {
  if (body?.kind !== 'Status' || body.status !== 'Failure') return body;
  const settled = JSON.parse(JSON.stringify(body).replace(/(resourceVersion\\{3}":\\{3}")\d+/g, '$1<rv>'));
  if (body.reason === 'Conflict') settled.details?.causes?.sort((a, z) => (canonical(a) < canonical(z) ? -1 : 1));
  return settled;
}

/** 'same' | 'words' (only messages differ) | 'different', with the first difference. */
export function compare(expected, actual) {
  if (canonical(repeatable(expected)) === canonical(repeatable(actual))) return { verdict: 'same' };
  if (expected?.kind === 'Status' && actual?.kind === 'Status' && expected.status === 'Failure') {
    if (canonical(statusShape(expected)) === canonical(statusShape(actual))) return { verdict: 'words', at: firstDifference(expected, actual) };
  }
  return { verdict: 'different', at: firstDifference(expected, actual) };
}

export function firstDifference(a, b, path = '') {
  if (canonical(a) === canonical(b)) return undefined;
  if (a && b && typeof a === 'object' && typeof b === 'object' && Array.isArray(a) === Array.isArray(b)) {
    for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const d = firstDifference(a[k], b[k], `${path}/${k}`);
      if (d) return d;
    }
  }
  const cut = (x) => (x === undefined ? 'absent' : JSON.stringify(x).slice(0, 160));
  return `${path || '/'}: expected ${cut(a)}, got ${cut(b)}`;
}

const get = (o, path) => path.split('.').reduce((v, k) => v?.[/^\d+$/.test(k) ? Number(k) : k], o);

/** The texts of the `Warning: 299 - "..."` headers, or undefined. */
export function warningsOf(res) {
  const all = [...String(res.headers.warning ?? '').matchAll(/(\d{3}) \S+ "((?:[^"\\]|\\.)*)"/g)].map((m) => `${m[1]} ${m[2]}`);
  return all.length ? all : undefined;
}

/** Parses a body for comparison. Watch streams and other text stay text. */
export function decodeBody(res) {
  const t = res.headers['content-type'] ?? '';
  const text = res.body.toString('utf8');
  if (t.includes('json')) { try { return JSON.parse(text); } catch { /* several documents or malformed */ } }
  if (t.includes('protobuf') || t.includes('cbor')) return { bytes: true };
  return text.slice(0, 4000);
}

/**
 * Runs one case's steps. `each(step, index, got)` gets the normalised response: {status, type, warnings, body} or
 * {events}. A case starts in a fresh namespace named by {{ns}} unless it has `namespace: false`.
 */
export async function runCase(client, c, ns, each) {
  const vars = { ns, ...(c.vars ?? {}) };
  const watches = {};
  if (c.namespace !== false) {
    const r = await client.request('POST', '/api/v1/namespaces', {}, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
    if (r.status !== 201) throw new Error(`namespace ${ns}: ${r.status} ${r.body.toString().slice(0, 200)}`);
    // the account of every namespace; created here if no controller creates it
    await client.request('POST', `/api/v1/namespaces/${ns}/serviceaccounts`, {}, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
  }
  try {
    for (const [i, raw] of c.steps.entries()) {
      const s = substitute(raw.expect === undefined ? raw : { ...raw, expect: undefined }, vars);
      const opts = { vars, managedFields: raw.managedFields ?? c.managedFields ?? false };
      if (s.sleep) { await new Promise((r) => setTimeout(r, s.sleep)); continue; }
      if (s.watch) {
        const w = (watches[s.watch] = client.open(s.path, s.headers));
        await w.wait((x) => x.status !== undefined, 5000);
        continue;
      }
      if (s.events) {
        const w = watches[s.events];
        const n = s.count ?? 0;
        await w.wait((x) => (s.until ? x.events.some((e) => canonical(e).includes(s.until)) : x.events.length >= n), s.timeoutMs ?? 4000);
        if (!s.until && s.settleMs) await new Promise((r) => setTimeout(r, s.settleMs));
        const taken = w.events.splice(0);
        await each(raw, i, { status: w.status, ended: s.ended ? w.ended : undefined, events: taken.map((e) => normalise(e, opts)) });
        continue;
      }
      const body = s.text !== undefined ? s.text : s.base64 !== undefined ? Buffer.from(s.base64, 'base64') : s.body;
      const res = await client.request(s.method, s.path, s.headers, body, s.bare);
      const decoded = decodeBody(res);
      for (const [name, p] of Object.entries(s.capture ?? {})) vars[name] = get(decoded, p);
      const warnings = warningsOf(res);
      const pick = s.only ? Object.fromEntries(s.only.map((p) => [p, get(decoded, p)])) : decoded;
      await each(raw, i, { status: res.status, type: (res.headers['content-type'] ?? '').replace(/; ?charset=utf-8/i, ''), ...(warnings ? { warnings: warnings.map((x) => normalise(x, opts)) } : {}), body: normalise(pick, opts) });
    }
  } finally {
    for (const w of Object.values(watches)) w.close();
    if (c.namespace !== false) await client.request('DELETE', `/api/v1/namespaces/${ns}`).catch(() => {});
    for (const s of substitute(c.cleanup ?? [], vars)) await client.request('DELETE', s).catch(() => {});
  }
}

/** Applies {op: add|replace|remove, path: JSON pointer, value} to a copy. */
export function applyOps(base, ops) {
  const doc = structuredClone(base);
  for (const { op, path, value } of ops) {
    const keys = path.split('/').slice(1).map((k) => k.replace(/~1/g, '/').replace(/~0/g, '~'));
    const last = keys.pop();
    let at = doc;
    for (const k of keys) at = at[k] ??= {};
    if (op === 'remove') { if (Array.isArray(at)) at.splice(Number(last), 1); else delete at[last]; }
    else if (Array.isArray(at) && op === 'add') at.splice(last === '-' ? at.length : Number(last), 0, value);
    else at[last] = value;
  }
  return doc;
}

/**
 * The response to one validation line: {code, causes?: [[reason, field, message]], adds?: {pointer: value}, drops?:
 * [pointer]}.
 */
export async function runValidation(client, c, b, ns, stored) {
  const path = b.path.replace('{{ns}}', ns);
  c = { ...c, ops: substitute(c.ops, {}) };
  let res; let sent;
  if (c.on === 'update') {
    let s = stored.get(c.base);
    if (!s) {
      const r = await client.request('POST', path, {}, b.object);
      if (r.status >= 300) throw new Error(`base ${c.base}: ${r.status} ${r.body.toString().slice(0, 300)}`);
      const obj = JSON.parse(r.body);
      s = { object: obj, path: `${path}/${obj.metadata.name}` };
      stored.set(c.base, s);
    }
    sent = applyOps(s.object, c.ops);
    res = await client.request('PUT', `${s.path}?dryRun=All`, {}, sent);
    if (res.status === 409 && res.body.includes('the object has been modified')) {
      s.object = JSON.parse((await client.request('GET', s.path)).body);
      sent = applyOps(s.object, c.ops);
      res = await client.request('PUT', `${s.path}?dryRun=All`, {}, sent);
    }
  } else {
    const s = stored.get(c.base);
    if (s) { stored.delete(c.base); await remove(client, s.path); }
    sent = applyOps(b.object, c.ops);
    res = await client.request('POST', `${path}?dryRun=All`, {}, sent);
  }
  const body = JSON.parse(res.body.toString());
  const w = warningsOf(res)?.map((x) => normalise(x, { vars: { ns } }));
  const warned = w ? { warnings: w } : {};
  if (res.status >= 300) {
    const causes = body.details?.causes?.map((x) => [x.reason, x.field, normalise(x.message, { vars: { ns } })]);
    return { code: res.status, reason: body.reason, ...warned, ...(causes ? { causes: causes.sort((a, z) => (canonical(a) < canonical(z) ? -1 : 1)) } : { message: normalise(body.message ?? '', { vars: { ns } }) }) };
  }
  const clean = (x) => { const y = normalise(x, { vars: { ns } }); if (y.metadata) for (const k of ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields', 'namespace', 'generation']) delete y.metadata[k]; return y; };
  const adds = {}; const drops = [];
  diff(clean(sent), clean(body), '');
  return { code: res.status, ...warned, ...(Object.keys(adds).length ? { adds } : {}), ...(drops.length ? { drops } : {}) };
  function diff(a, z, p) {
    if (canonical(a) === canonical(z)) return;
    if (a && z && typeof a === 'object' && typeof z === 'object' && Array.isArray(a) === Array.isArray(z)) {
      for (const k of new Set([...Object.keys(a), ...Object.keys(z)])) {
        const q = `${p}/${k.replace(/~/g, '~0').replace(/\//g, '~1')}`;
        if (!(k in z)) drops.push(q);
        else if (!(k in a)) adds[q] = z[k];
        else diff(a[k], z[k], q);
      }
    } else adds[p] = z;
  }
}

/** Deletes an object completely, removing finalizers that no controller removes. */
export async function remove(client, path) {
  await client.request('DELETE', `${path}?gracePeriodSeconds=0&propagationPolicy=Background`).catch(() => {});
  const r = await client.request('GET', path).catch(() => undefined);
  if (r?.status !== 200) return;
  const obj = JSON.parse(r.body);
  if (obj.kind === 'Namespace') { obj.spec.finalizers = []; await client.request('PUT', `${path}/finalize`, {}, obj).catch(() => {}); }
  if (obj.metadata.finalizers) await client.request('PATCH', path, { 'content-type': 'application/merge-patch+json' }, { metadata: { finalizers: null } }).catch(() => {});
}
