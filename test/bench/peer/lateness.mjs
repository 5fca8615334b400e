// Measures how late heartbeats are while the serving thread is busy, on three full server processes: the histogram that each keeps of its
// own ticks (100 ms apart), as bucket bounds. First idle, then while clients create objects of 2.9 MiB (the largest request
// is 3 MiB with its framing) and list 100,000 objects, which also causes garbage collection. No election may happen meanwhile.
// BENCH_OBJECTS: the number of listed objects. BENCH_LOAD_SECONDS: the duration of each phase.
import { ApiServers } from './apiservers.mjs';
import { Histogram } from './histogram.mjs';
import { clients, wait } from './measure.mjs';

const OBJECTS = Number(process.env.BENCH_OBJECTS ?? 100_000);
const PHASE = Number(process.env.BENCH_LOAD_SECONDS ?? 40) * 1000;
const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
const REVISIONS = '/apis/apps/v1/namespaces/default/controllerrevisions';
const LATENESS = 'trireme_peer_tick_lateness_seconds';

const small = (i) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `small-${i}` }, data: { text: 'x'.repeat(200) } });
const BLOB = 'y'.repeat(2.9 * 2 ** 20);
const large = (i) =>
  JSON.stringify({ apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: `large-${i}` }, revision: 1, data: { BLOB } });

function number(text, pattern) {
  const found = pattern.exec(text);
  return found === null ? 0 : Number(found[1]);
}

function seen(text) {
  const lines = [...text.matchAll(new RegExp(`^${LATENESS}_bucket\\{le="([^"]+)"[^}]*\\} (\\S+)`, 'gm'))];
  const buckets = lines.map(([, le, value]) => ({ le: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le), value: Number(value) }));
  return {
    lateness: new Histogram(buckets),
    elections: number(text, /^etcd_server_leader_changes_seen_total (\S+)/m),
    collecting: [...text.matchAll(/^nodejs_gc_duration_seconds_sum\{[^}]*\} (\S+)/gm)].reduce((sum, [, value]) => sum + Number(value), 0),
  };
}

async function must(asked, status) {
  const answer = await asked;
  if (answer.status !== status) throw new Error(`got status ${answer.status} instead of ${status}`);
  return answer;
}

export async function lateness(folder) {
  const servers = new ApiServers(folder);
  const look = () => Promise.all(servers.peers.map(async (peer) => seen(await servers.metrics(peer))));
  const told = (phase, before, after) => {
    const since = after.map(({ lateness: l }, i) => l.since(before[i].lateness));
    const buckets = since[0].buckets.map(({ le }, i) => ({ le, value: since.reduce((sum, s) => sum + s.buckets[i].value, 0) }));
    for (const [i, s] of since.entries()) process.stdout.write(`heartbeat lateness, ${phase}, peer ${servers.peers[i].name}: ${s}\n`);
    process.stdout.write(`heartbeat lateness, ${phase}, all: ${new Histogram(buckets)}; `);
    process.stdout.write(`leader changes ${after.map(({ elections }, i) => elections - before[i].elections).join(', ')}; `);
    process.stdout.write(`garbage collection ${after.map(({ collecting }, i) => (collecting - before[i].collecting).toFixed(1)).join(', ')} s\n`);
  };
  try {
    await servers.start();
    await servers.leader();
    const before = await look();
    await wait(PHASE / 2);
    told('idle', before, await look());

    const filling = performance.now();
    let n = 0;
    await Promise.all(
      Array.from({ length: 60 }, async (_, i) => {
        while (n < OBJECTS) await must(servers.ask(servers.peers[i % 3], 'POST', CONFIGMAPS, { body: small(n++) }), 201);
      }),
    );
    process.stdout.write(`${OBJECTS} objects created in ${((performance.now() - filling) / 1000).toFixed(1)} s\n`);

    const busy = await look();
    let lists = 0;
    let listed = 0;
    let creates = 0;
    await Promise.all([
      clients(3, PHASE, async (i) => {
        const { bytes } = await must(servers.ask(servers.peers[i % 3], 'GET', CONFIGMAPS), 200);
        lists++;
        listed += bytes;
      }),
      clients(3, PHASE, async (i) => {
        await must(servers.ask(servers.peers[i % 3], 'POST', REVISIONS, { body: large(i) }), 201);
        creates++;
        await must(servers.ask(servers.peers[i % 3], 'DELETE', `${REVISIONS}/large-${i}`), 200);
      }),
    ]);
    process.stdout.write(`during the load ${lists} lists of ${Math.round(listed / lists / 2 ** 20)} MiB, ${creates} creates of 2.9 MiB in ${PHASE / 1000} s\n`);
    told('busy', busy, await look());
  } finally {
    servers.stop();
  }
}
