// One object on each of several servers, and their responses to the same request about it.
import { canonical, normalise, remove, warningsOf } from '../../golden/lib.mjs';
import { requestOf } from './ways.mjs';

/** Fields that differ from run to run, and one that kube-apiserver drops when it stores an object. */
const UNSTORED = ['uid', 'resourceVersion', 'creationTimestamp', 'selfLink'];

/** Kinds whose status a controller of kube-apiserver writes at any time after the creation, and its field manager. */
const STATUS_WRITERS = { FlowSchema: 'api-priority-and-fairness-config-consumer-v1' };

/** Several objects may be compared at a time, each in its own namespace. */
let places = 0;

/**
 * Creates the object of `base` (`{path, object}`) in a namespace of its own on each server, calls `use` with its place, and removes
 * it. The place is undefined if a server refuses the object.
 */
export async function withPlace(clients, base, use) {
  const ns = `f${Date.now().toString(36)}-${places++}`;
  const path = base.path.replace('{{ns}}', ns);
  const stored = [];
  if (path !== base.path)
    for (const c of clients) {
      await c.request('POST', '/api/v1/namespaces', {}, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
      await c.request('POST', `/api/v1/namespaces/${ns}/serviceaccounts`, {}, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
    }
  try {
    for (const c of clients) {
      const r = await c.request('POST', path, {}, base.object);
      if (r.status < 300) stored.push(JSON.parse(r.body));
    }
    const name = stored[0]?.metadata?.name;
    await use(name === undefined || stored.length < clients.length ? undefined : { path, name, createName: `${name}-new`, ns, stored, created: base.object });
  } finally {
    for (const c of clients) {
      if (stored.length > 0) await remove(c, `${path}/${stored[0].metadata?.name}`).catch(() => {});
      if (path !== base.path) await c.request('DELETE', `/api/v1/namespaces/${ns}`).catch(() => {});
    }
  }
}

/** The response of each server to `ops` on the object of `place`, or undefined if the operations cannot be applied. */
export async function answersTo(clients, place, { on, ops, query = '' }) {
  const answers = await answersOnce(clients, place, { on, ops, query });
  if (!answers?.some((a) => a.code === 409)) return answers;
  // A controller of one server may have changed the object meanwhile.
  const current = await Promise.all(clients.map((c) => c.request('GET', `${place.path}/${place.name}`)));
  if (current.some((r) => r.status !== 200)) return undefined;
  for (const [i, r] of current.entries()) place.stored[i] = JSON.parse(r.body);
  return answersOnce(clients, place, { on, ops, query });
}

async function answersOnce(clients, place, { on, ops, query }) {
  const sent = clients.map((_, i) => requestOf(on, place, i, ofServer(ops, place.stored, i), query));
  if (sent.includes(undefined)) return undefined;
  return Promise.all(clients.map((client, i) => ask(client, sent[i], place)));
}

/** The operations were drawn from the object of the first server: each server has allocated another address. */
function ofServer(ops, stored, i) {
  const [first, own] = [stored[0], stored[i]].map((o) => o.spec?.clusterIP ?? '');
  if (i === 0 || !/^[\d.]+$/.test(first) || !/^[\d.]+$/.test(own)) return ops;
  return JSON.parse(JSON.stringify(ops).replaceAll(`"${first}"`, `"${own}"`));
}

async function ask(client, { method, path, headers = {}, body }, { ns }) {
  const res = await client.request(method, path, headers, body);
  const answer = JSON.parse(res.body.toString() || '{}');
  // A generated name has the first 58 characters of its prefix.
  const prefix = typeof body === 'object' ? body.metadata?.generateName?.slice(0, 58) : undefined;
  const known = (x) => (prefix && typeof x === 'string' ? x.split(prefix).map((part, i) => (i === 0 ? part : part.replace(/^[a-z0-9]{5}/, '<x>'))).join(prefix) : x);
  const clean = (x) => normalise(known(x), { vars: { ns }, managedFields: method === 'PATCH' });
  const sentence = (x) => clean(x).replace(/resourceVersion\\":\\"\d+/g, 'resourceVersion\\":\\"<rv>').replace(/\b10\.0\.\d+\.\d+\b/g, '<ip>');
  const warnings = warningsOf(res)?.map(clean);
  const shown = warnings === undefined ? {} : { warnings };
  if (res.status >= 300) {
    const causes = answer.details?.causes?.map((c) => [c.reason, c.field, sentence(c.message)]);
    return { code: res.status, reason: answer.reason, ...shown, ...(causes === undefined ? {} : { causes: causes.sort(byText) }), message: sentence(answer.message ?? '') };
  }
  const object = clean(answer);
  if (object.metadata?.generateName !== undefined) object.metadata.name = '<generated>';
  for (const field of UNSTORED) delete object.metadata?.[field];
  const writer = STATUS_WRITERS[object.kind];
  if (writer !== undefined) delete object.status;
  // Entries are ordered by time, and the servers may write the object in different seconds.
  if (object.metadata?.managedFields !== undefined) object.metadata.managedFields = object.metadata.managedFields.filter((entry) => entry.manager !== writer).map(({ time: _time, ...rest }) => rest).sort(byText);
  return { code: res.status, ...shown, object };
}

const byText = (a, b) => (canonical(a) < canonical(b) ? -1 : 1);
