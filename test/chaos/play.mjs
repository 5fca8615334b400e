// Plays attacks on a running server, with a probe every 20 ms, and reports for each the longest answer time of the probe, the memory of the
// server, and the longest turn of its event loop if it was started with turns.mjs. The probe runs on its own thread, because the attacks keep
// this one busy. Loopback only.
import { existsSync, readFileSync } from 'node:fs';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

/** The arguments of each list of attacks: PORT PKI_FOLDER [PID [TURNS_FILE [PART_OF_A_NAME]]]. PKI_FOLDER holds admin.crt and admin.key. */
const [port, pki, pid, turns, only = ''] = isMainThread ? [Number(process.argv[2]), ...process.argv.slice(3)] : workerData;
const host = '127.0.0.1';
export const credentials = { cert: readFileSync(`${pki}/admin.crt`), key: readFileSync(`${pki}/admin.key`) };
export const open = { host, port, rejectUnauthorized: false };
export const agent = (maxSockets = 4) => new https.Agent({ keepAlive: true, maxSockets, ...credentials, rejectUnauthorized: false });

/** Sends a request and returns the status of its response, or why there is none. */
export function request(over, method, path, body, type = 'application/json', more = {}) {
  return new Promise((resolve) => {
    const headers = { ...more, ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }) };
    const sent = https.request({ ...open, agent: over, method, path, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
      response.on('error', () => resolve('cut'));
    });
    sent.on('error', (error) => resolve(error.code ?? error.message));
    sent.setTimeout(30_000, () => sent.destroy());
    sent.end(body);
  });
}

/**
 * Requests /livez every 20 ms, and answers each message with the longest latency and the number of failures since the
 * last message.
 */
async function probe() {
  let [worst, failed] = [0, 0];
  parentPort.on('message', () => {
    parentPort.postMessage([worst, failed]);
    [worst, failed] = [0, 0];
  });
  const over = agent();
  for (;;) {
    const began = performance.now();
    const status = await request(over, 'GET', '/livez');
    if (status !== 200) failed++;
    worst = Math.max(worst, performance.now() - began);
    await sleep(20);
  }
}

const memory = () => (pid === undefined ? '?' : Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024));

/** The longest turn that the server reported after `since`, in milliseconds. */
function longestTurn(since) {
  if (turns === undefined) return '?';
  const lines = readFileSync(turns, 'utf8').trimEnd().split('\n').map((line) => line.split(' ').map(Number));
  return Math.round(Math.max(0, ...lines.filter(([at]) => at > since).map(([, longest]) => longest)));
}

/** Plays the attacks by name, one after the other, and ends the process. */
export async function play(attacks) {
  if (turns !== undefined && !existsSync(turns)) {
    console.error(`${turns} does not exist: start the server with TURNS_FILE=${turns} and node --import ./test/chaos/turns.mjs`);
    process.exit(2);
  }
  const prober = new Worker(new URL(import.meta.url), { workerData: [port, pki] });
  const probed = () =>
    new Promise((resolve) => {
      prober.once('message', resolve);
      prober.postMessage('report');
    });
  await sleep(1500);
  console.log(' probe ms  turn ms  memory MB');
  for (const [name, attack] of Object.entries(attacks)) {
    if (!name.includes(only)) continue;
    await probed();
    const since = Date.now();
    const outcome = await attack();
    await sleep(500);
    const [worst, failed] = await probed();
    const answers = Array.isArray(outcome) ? [...new Set(outcome)].join(' ') : (outcome ?? '');
    const figures = [Math.round(worst), longestTurn(since), memory()].map((figure) => String(figure).padStart(9)).join('');
    console.log(`${figures}  ${failed > 0 ? `${failed} probes failed  ` : ''}${name}  ${answers}`);
  }
  process.exit(0);
}

if (!isMainThread) await probe();
