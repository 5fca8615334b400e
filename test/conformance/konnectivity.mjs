// Tries the egress through konnectivity proxies against a real server and agent: `make konnectivity`. BIN names a folder that has them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { programs, root } from './cluster.mjs';

const bin = programs(['proxy-server', 'proxy-agent'], process.env.BIN);
if (bin === undefined) console.log('konnectivity: skipped, because Go is not installed');
else {
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'test/access/konnectivity.test.ts'];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, TRIREME_KONNECTIVITY: bin } });
  process.exitCode = status ?? 1;
}
