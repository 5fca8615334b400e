// One client lists a collection of 46 MB repeatedly, in JSON and in protobuf; and the memory afterwards.
import { work } from './requests.mjs';

const PROTOBUF = { Accept: 'application/vnd.kubernetes.protobuf' };
const AFTER = 'RSS with 10,000 x 4 KiB after that';
const LISTS = [
  { name: 'LIST 46 MB, one client', n: 20, floor: 'list' },
  { name: 'LIST 46 MB at resourceVersion=0', n: 20, query: '?resourceVersion=0', floor: 'list' },
  { name: AFTER },
  { name: 'LIST 46 MB, protobuf, the first', n: 1, headers: PROTOBUF, floor: 'list' },
  { name: 'LIST 46 MB, protobuf, repeated', n: 20, headers: PROTOBUF, floor: 'list' },
  { name: 'RSS with its protobuf kept' },
];
const CREATE = 'create 4 KiB x 10,000';

export const names = [CREATE, ...LISTS.map(({ name }) => name)];

export async function run(bench) {
  await bench.restart();
  await work(bench, { name: CREATE, mode: 'create', n: 10000, connections: 32, prefix: 'l', size: 4096, floor: 'sync' });
  for (const { name, n, ...options } of LISTS.filter((l) => bench.wanted(l.name))) {
    if (n === undefined) bench.row(name, { rss: bench.rss() });
    else await work(bench, { name, mode: 'list', n, connections: 1, ...options });
  }
}
