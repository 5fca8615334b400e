// Baselines of the machine: plain Node.js servers in their own process, and appends to a file.
import { spawn } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { here } from './bench.mjs';

export async function floors(bench) {
  const bare = spawn(process.execPath, [join(here, 'floor.mjs'), bench.folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const ports = JSON.parse(await firstLine(bare));
    const figure = async (name, options) => {
      const before = bench.cpu(bare.pid);
      const out = await bench.client('requests.mjs', { mode: 'raw', ...options });
      bench.row(name, { ...out, cpuMicroseconds: ((bench.cpu(bare.pid) - before) * 1e6) / out.operations });
      return out;
    };
    const n = bench.n(60000);
    bench.floors.get = await figure('floor: bare node:https, 1 KiB', { port: ports.h1, n, connections: 64 });
    bench.floors.get2 = await figure('floor: bare node:http2, 1 KiB', { port: ports.h2, n, connections: 64, h2: true });
    bench.floors.list = await figure('floor: 46 MB from memory over TLS', { port: ports.list, n: 20, connections: 1 });
  } finally {
    bare.kill('SIGTERM');
  }
  const fd = openSync(join(bench.folder, 'append'), 'w');
  const block = Buffer.alloc(1200, 1);
  const count = bench.n(2000);
  const begun = performance.now();
  for (let i = 0; i < count; i++) {
    writeSync(fd, block);
    fdatasyncSync(fd);
  }
  const seconds = (performance.now() - begun) / 1000;
  closeSync(fd);
  bench.floors.sync = { perSecond: count / seconds };
  bench.row('floor: append 1.2 KB and fdatasync, alone', bench.floors.sync);
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    child.stdout.once('data', (c) => resolve(c.toString().split('\n')[0]));
    child.once('exit', () => reject(new Error('the floor servers did not start')));
  });
}
