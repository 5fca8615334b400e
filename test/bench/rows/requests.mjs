// Small requests of each kind in a closed loop; one large list; and the memory afterwards.
export const names = [];
const add = (name, options) => {
  names.push(name);
  return { name, ...options };
};

const small = [
  add('create 1 KiB', { mode: 'create', n: 20000, connections: 64, prefix: 'a', size: 1024, floor: 'sync' }),
  add('create 1 KiB, HTTP/2', { mode: 'create', n: 10000, connections: 64, h2: true, prefix: 'b', size: 1024, floor: 'sync' }),
  add('merge patch', { mode: 'patch', n: 15000, connections: 64, prefix: 'a', objects: 5000, floor: 'sync' }),
  add('get, consistent', { mode: 'get', n: 60000, connections: 64, prefix: 'a', objects: 5000, floor: 'get' }),
  add('get, consistent, HTTP/2', { mode: 'get', n: 40000, connections: 64, h2: true, prefix: 'a', objects: 5000, floor: 'get2' }),
  add('get at resourceVersion=0', { mode: 'get', n: 60000, connections: 64, prefix: 'a', objects: 5000, query: '?resourceVersion=0', floor: 'get' }),
  add('get, one client', { mode: 'get', n: 5000, connections: 1, prefix: 'a', objects: 5000, floor: 'get' }),
];

export async function run(bench) {
  await bench.restart();
  // The other rows read and change the objects that the first one creates.
  const wanted = small.filter(({ name }, i) => bench.wanted(name) || (i === 0 && small.some((s) => bench.wanted(s.name))));
  for (const options of wanted) await work(bench, { ...options, n: bench.n(options.n), ...(options.objects && { objects: bench.n(options.objects) }) });
}

/** Formats a client's result as a row. */
export async function work(bench, { name, floor, ...options }) {
  const before = bench.cpu();
  const out = await bench.client('requests.mjs', options);
  const spent = bench.cpu() - before;
  const best = bench.floors[floor];
  bench.row(name, {
    ...out,
    cpuMicroseconds: (spent * 1e6) / Math.max(1, out.operations),
    rss: bench.rss(),
    ...(best === undefined ? {} : { floor: floor === 'list' ? out.megabytesPerSecond / best.megabytesPerSecond : out.perSecond / best.perSecond }),
  });
  return out;
}
