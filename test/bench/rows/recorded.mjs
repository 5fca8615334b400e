// Small requests with a metadata-level audit and encrypted Secrets, as the ratio to the same work without either. The
// two servers alternate, so that both have the same conditions; the ratio of the CPU time varies less than that of the
// rate.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const work = [
  { name: 'create ConfigMap, audited', mode: 'create', n: 10000, connections: 64, prefix: 'a', size: 1024 },
  { name: 'get ConfigMap, audited', mode: 'get', n: 30000, connections: 64, prefix: 'a', objects: 5000 },
  { name: 'create Secret, audited and encrypted', mode: 'create', n: 10000, connections: 64, prefix: 'a', size: 1024, kind: 'Secret' },
  { name: 'get Secret, audited and encrypted', mode: 'get', n: 30000, connections: 64, prefix: 'a', objects: 5000, kind: 'Secret' },
];
const ROUNDS = 2;

export const names = work.map(({ name }) => name);

export async function run(bench) {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-bench-flags-'));
  const secret = Buffer.alloc(32, 7).toString('base64');
  const providers = [{ aesgcm: { keys: [{ name: 'key1', secret }] } }, { identity: {} }];
  const files = {
    audit: { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] },
    encryption: { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'EncryptionConfiguration', resources: [{ resources: ['secrets'], providers }] },
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value));
  const flags = ['--audit-policy-file', join(folder, 'audit'), '--audit-log-path', join(folder, 'log'), '--audit-log-mode', 'batch', '--encryption-provider-config', join(folder, 'encryption')];
  const sums = work.map(() => ({ off: sum(), on: sum() }));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const side of round % 2 === 0 ? ['off', 'on'] : ['on', 'off']) {
        await bench.restart({ flags: side === 'on' ? flags : [] });
        await bench.settled();
        for (const [i, { name, ...options }] of work.entries()) {
          const before = bench.cpu();
          const out = await bench.client('requests.mjs', { ...options, n: bench.n(options.n), ...(options.objects && { objects: bench.n(options.objects) }) });
          const all = sums[i][side];
          all.cpu += bench.cpu() - before;
          all.operations += out.operations;
          all.seconds += out.seconds;
          all.failures += out.failures;
        }
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  for (const [i, { name }] of work.entries()) {
    if (!bench.wanted(name)) continue;
    const { off, on } = sums[i];
    const perSecond = on.operations / on.seconds;
    const cpu = (s) => (s.cpu * 1e6) / s.operations;
    const times = (ratio) => `${ratio.toFixed(3)} x`;
    const note = `rate ${times(perSecond / (off.operations / off.seconds))}, CPU ${times(cpu(on) / cpu(off))} of without`;
    bench.row(name, { perSecond, cpuMicroseconds: cpu(on), failures: on.failures + off.failures, note });
  }
}

function sum() {
  return { cpu: 0, operations: 0, seconds: 0, failures: 0 };
}
