// Measures the replicated store: `node test/bench/peer.mjs [one] [three] [grpc] [etcd] [https] [failover] [snapshot] [catchup]
// [compaction] [lateness]` (all by default). BENCH_SECONDS: the duration of each run. TRIREME_DIST: another compiled tree.
// The comment at the top of each file in peer/ describes its measurement.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { catchup } from './peer/catchup.mjs';
import { compaction } from './peer/compaction.mjs';
import { etcd } from './peer/etcd.mjs';
import { failover } from './peer/failover.mjs';
import { grpc } from './peer/grpc.mjs';
import { https } from './peer/https.mjs';
import { lateness } from './peer/lateness.mjs';
import { one } from './peer/one.mjs';
import { snapshot } from './peer/snapshot.mjs';
import { three } from './peer/three.mjs';

const MODES = { one, three, grpc, etcd, https, failover, snapshot, catchup, compaction, lateness };

const folder = mkdtempSync(join(tmpdir(), 'trireme-bench-'));
const wanted = process.argv.slice(2).filter((name) => name in MODES);
try {
  for (const name of wanted.length > 0 ? wanted : Object.keys(MODES)) {
    mkdirSync(join(folder, name), { recursive: true });
    await MODES[name](join(folder, name));
  }
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(0);
