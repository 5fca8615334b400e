// A thousand CustomResourceDefinitions of 100 KB: memory, the time to serve them, restarts, OpenAPI, and the event loop meanwhile.
import { collectionOf, definition, groupOf, nameOf } from '../definition.mjs';
import { sleep } from '../bench.mjs';

const BYTES = 100_000;
const COUNT = 1000;
const NODE = ['--expose-gc', '--import', new URL('../looplag.mjs', import.meta.url).href];
const TITLE = 'definitions of 100 KB';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export const names = [`${TITLE}: all`];

export async function run(bench) {
  const count = bench.n(COUNT);
  const row = (name, figures) => bench.row(`${TITLE}: ${name}`, figures);
  const measured = async (name, work) => {
    await bench.lag();
    const out = await work();
    await sleep(100);
    row(name, { ...out, note: `${out?.note ?? ''} event loop ${await bench.lag()} ms at most`.trim() });
  };
  await bench.restart({ node: NODE });
  await bench.settled();
  await bench.lag();
  await sleep(1000);
  const empty = bench.rss();
  row('none', { rss: empty });
  let installed;
  await measured(`install ${count}`, async () => {
    installed = await bench.client('definitions.mjs', { from: 0, to: count, bytes: BYTES });
    return { seconds: installed.seconds, failures: installed.failures };
  });
  row('create, response', installed.create);
  row('from Established to served', installed.serve);
  await bench.settled();
  row('installed', { rss: bench.rss(), added: bench.rss() - empty });
  await bench.lag();
  await sleep(2000);
  row('installed, after a collection of garbage', { rss: bench.rss(), added: bench.rss() - empty });
  await bench.stop();
  const began = performance.now();
  await bench.start({ node: NODE });
  const ready = Math.round(performance.now() - began);
  // The time depends on what else the machine does, the CPU time less so.
  row('start to ready', { milliseconds: ready, note: `${bench.cpu().toFixed(1)} s of CPU time, event loop ${await bench.lag()} ms at most` });
  row('served first, after a start', { milliseconds: Math.round((await timed(bench, [get(collectionOf(count - 1))]))[0].milliseconds) });
  await bench.settled();
  row('started', { rss: bench.rss(), added: bench.rss() - empty });
  await bench.lag();
  await sleep(2000);
  row('started, after a collection of garbage', { rss: bench.rss(), added: bench.rss() - empty });
  const thing = (i, name) => JSON.stringify({ apiVersion: `${groupOf(i)}/v1`, kind: `Thing${i}`, metadata: { name }, spec: { limit: 7 } });
  const post = (i, name) => ({ method: 'POST', path: collectionOf(i), type: 'application/json', body: thing(i, name) });
  await measured('first create of a kind, then second', async () => {
    const firsts = [];
    const seconds = [];
    for (let i = 0; i < 20; i++) {
      const [a, b] = await timed(bench, [post(i, 'a'), post(i, 'b')]);
      firsts.push(a.milliseconds);
      seconds.push(b.milliseconds);
      if (a.code !== 201 || b.code !== 201) throw new Error(`a create was answered with ${a.code}, ${b.code}`);
    }
    return { note: `p50 ${median(firsts).toFixed(1)} ms, then ${median(seconds).toFixed(1)} ms;` };
  });
  const changed = definition(5, BYTES);
  changed.spec.names.categories = ['all'];
  await measured('change one', () => requests(bench, [{ method: 'PATCH', path: `${DEFINITIONS}/${nameOf(5)}`, type: 'application/merge-patch+json', body: JSON.stringify({ spec: changed.spec }) }]));
  const aggregated = { Accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
  await measured('discovery', () => requests(bench, [{ ...get('/apis'), headers: aggregated }]));
  await measured('OpenAPI v3 index', () => requests(bench, [get('/openapi/v3')]));
  await measured('OpenAPI v3 of one group, then again', () => requests(bench, [get(`/openapi/v3/apis/${groupOf(1)}/v1`), get(`/openapi/v3/apis/${groupOf(1)}/v1`)]));
  await measured('OpenAPI v2', () => requests(bench, [get('/openapi/v2')]));
  await measured('OpenAPI v2 in protobuf', () => requests(bench, [{ ...get('/openapi/v2'), headers: { Accept: 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf' } }]));
  await bench.settled();
  await bench.lag();
  await sleep(2000);
  row('OpenAPI served, after a collection of garbage', { rss: bench.rss(), added: bench.rss() - empty });
}

const get = (path) => ({ method: 'GET', path });
const timed = (bench, list) => bench.client('timed.mjs', { requests: list });
const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function requests(bench, list) {
  const out = await timed(bench, list);
  const bad = out.find(({ code }) => code !== 200);
  if (bad !== undefined) throw new Error(`a request was answered with ${bad.code}`);
  return { note: `${out.map((r) => `${(r.bytes / 1e6).toFixed(1)} MB in ${Math.round(r.milliseconds)} ms`).join(', ')};` };
}
