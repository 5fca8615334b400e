// Replays recorded requests against a server and compares the responses.
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { canonical, Client, compare, firstDifference, remove, runCase, runValidation, whoami } from './lib.mjs';
import { recordedText } from './recordings.mjs';

/**
 * Replays `files` (paths of recordings) against `server` as the administrator with this certificate and key. `every`:
 * one of this many single changes of each kind is replayed; `only`: the ids that match. Returns the counts by area and
 * the differences.
 */
export async function replay({ server, certFile, keyFile, files, every = 1, only, words = false, jobs = 1 }) {
  const client = new Client({ server, cert: readFileSync(certFile), key: readFileSync(keyFile) });
  const totals = {};
  const failures = [];
  const count = (area, verdict, id, at) => {
    (totals[area] ??= { same: 0, words: 0, different: 0 })[verdict]++;
    if (verdict === 'different') failures.push({ area, id, at });
  };
  const chosen = (area, id) => only === undefined || only.test(`${area}/${id}`);
  await whoami(client);
  for (const file of files) await (file.endsWith('.jsonl') ? changes(file) : scenarios(file));
  client.close();
  return { totals, failures };

  async function scenarios(file) {
    const area = basename(file, '.json');
    const cases = JSON.parse(recordedText(file)).filter((c) => chosen(area, c.id));
    let next = 0;
    let alone = Promise.resolve();
    const worker = async () => {
      while (next < cases.length) {
        const number = next++;
        const c = cases[number];
        let worst = 'same';
        let where;
        let ended = () => {};
        if (impersonatesWithoutName(c)) {
          const before = alone;
          alone = new Promise((resolve) => (ended = resolve));
          await before;
        }
        try {
          await runCase(client, c, `g${number.toString(36)}${process.pid.toString(36)}${Date.now().toString(36)}`, (s, i, got) => {
            if (s.expect === undefined) return;
            const r = verdictOf(s.expect, got);
            if (r.verdict === 'words' && words) console.log(`${area}/${c.id} step ${i}: ${r.at}`);
            if (r.verdict === 'different' && worst !== 'different') {
              worst = 'different';
              where = `step ${i} ${s.method ?? s.events} ${s.path ?? ''}: ${r.at}`;
            } else if (r.verdict === 'words' && worst === 'same') worst = 'words';
          });
        } catch (e) {
          worst = 'different';
          where = e.message;
        }
        ended();
        count(area, worst, c.id, where);
      }
    };
    await Promise.all(Array.from({ length: jobs }, worker));
  }

  /** One line: a base object, changes to it, and the response to creating it or updating it to the result. */
  async function changes(file) {
    const bases = JSON.parse(recordedText('validation/bases.json'));
    const area = `validation/${basename(file, '.jsonl')}`;
    const ns = `v${Date.now().toString(36)}`;
    await client.request('POST', '/api/v1/namespaces', {}, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
    await client.request('POST', `/api/v1/namespaces/${ns}/serviceaccounts`, {}, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } });
    const stored = new Map();
    const lines = recordedText(file).split('\n').filter((line, i) => line !== '' && i % every === 0);
    for (const c of lines.map((line) => JSON.parse(line)).filter((c) => chosen(area, c.id))) {
      try {
        const got = await runValidation(client, c, bases[c.base], ns, stored);
        if (got.code !== c.expect.code) {
          count(area, 'different', c.id, `code ${c.expect.code}, got ${got.code} ${got.message ?? ''}`.slice(0, 300));
          continue;
        }
        const shape = (x) => ({ ...x, message: undefined, warnings: x.warnings?.length, causes: x.causes?.map(([reason, field]) => [reason, field]) });
        const [expected, actual] = [shape(c.expect), shape(got)];
        if (canonical(expected) !== canonical(actual)) {
          count(area, 'different', c.id, firstDifference(expected, actual));
          continue;
        }
        const same = canonical(c.expect) === canonical(got);
        count(area, same ? 'same' : 'words', c.id);
        if (!same && words) console.log(c.id, firstDifference(c.expect, got));
      } catch (e) {
        count(area, 'different', c.id, e.message);
      }
    }
    for (const { path } of stored.values()) await remove(client, path);
    await client.request('DELETE', `/api/v1/namespaces/${ns}`);
  }
}

/**
 * Whether anonymous requests of a case have impersonation headers. The server tries the mode of impersonation first that was the last to
 * succeed for the same user, and the message of a refusal is that of the first mode: such cases run one after the other.
 */
function impersonatesWithoutName({ steps }) {
  return steps.some((s) => s.bare && Object.keys(s.headers ?? {}).some((name) => name.startsWith('impersonate-')));
}

function verdictOf(expected, got) {
  const { body: wantedBody, ...wanted } = structuredClone(expected);
  const { body, ...rest } = JSON.parse(JSON.stringify(got));
  if (wanted.status !== rest.status) return { verdict: 'different', at: `status ${wanted.status}, got ${rest.status} ${JSON.stringify(body?.message ?? '').slice(0, 200)}` };
  const compared = compare(wantedBody, body);
  if (compared.verdict === 'different' || canonical(wanted) === canonical(rest)) return compared;
  if (wanted.warnings && rest.warnings && wanted.warnings.length === rest.warnings.length) return { verdict: 'words' };
  return { verdict: 'different', at: firstDifference(wanted, rest) };
}

/** Prints the counts by area, their sum, and the first `shown` differences. */
export function printCounts({ totals, failures }, shown) {
  const width = Math.max(10, ...Object.keys(totals).map((area) => area.length));
  const row = (name, t) => console.log(name.padEnd(width), ...[t.same, t.words, t.different].map((n) => String(n).padStart(6)));
  const sum = { same: 0, words: 0, different: 0 };
  for (const [area, t] of Object.entries(totals)) {
    row(area, t);
    for (const verdict in sum) sum[verdict] += t[verdict];
  }
  row('total', sum);
  console.log('(same, differing only in messages, different)');
  for (const f of failures.slice(0, shown)) console.log(`${f.area}/${f.id}\n    ${f.at}`);
}
