// A control plane of real processes: a server (trireme, or kube-apiserver with etcd to compare), kube-controller-manager,
// kube-scheduler, and nodes simulated by kwok. Used by the end-to-end tests, the device allocations and the benchmark of a cluster.
import { execFileSync, spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serverEnvironment } from '../../scripts/environment.mjs';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '..', '..');
const READY_MS = 120_000;
const STOP_MS = 10_000;
const TICKS_PER_SECOND = 100;

/** The programs beside the server, by the module that pins their version. */
const PROGRAMS = [
  ...['kube-controller-manager', 'kube-scheduler', 'kubectl'].map((name) => ({ name, module: 'e2e', of: `k8s.io/kubernetes/cmd/${name}` })),
  { name: 'e2e.test', module: 'e2e', of: 'k8s.io/kubernetes/test/e2e', test: true },
  { name: 'kube-apiserver', module: 'e2e', of: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  { name: 'kwok', module: 'e2e/kwok', of: 'sigs.k8s.io/kwok/cmd/kwok' },
  ...['server', 'agent'].map((name) => ({ name: `proxy-${name}`, module: 'e2e/konnectivity', of: `sigs.k8s.io/apiserver-network-proxy/cmd/${name}` })),
  { name: 'etcd', module: 'e2e/etcd', of: 'go.etcd.io/etcd/server/v3' },
];

/**
 * Returns a folder with the named programs, built from the pinned modules unless `given` names a folder. Without Go it returns
 * undefined. A cold build takes some ten minutes.
 */
export function programs(names, given) {
  if (given !== undefined) return given;
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  const to = join(root, '.trireme', 'conformance', 'bin');
  mkdirSync(to, { recursive: true });
  const version = ['gitVersion=v1.37.2', 'gitMajor=1', 'gitMinor=37'].map((v) => `-X k8s.io/component-base/version.${v}`).join(' ');
  console.log('building the programs; the first time takes some ten minutes');
  for (const p of PROGRAMS.filter(({ name }) => names.includes(name))) {
    const args = p.test ? ['test', '-c', '-vet=off'] : ['build', ...(p.module === 'e2e' ? ['-ldflags', version] : [])];
    execFileSync('go', [...args, '-o', join(to, p.name), p.of], { cwd: join(here, p.module), stdio: 'inherit' });
  }
  return to;
}

/** A node of kwok with room for `pods` pods. */
export function nodeNamed(name, pods = 110) {
  const room = { cpu: '8', memory: '32Gi', pods: String(pods), 'ephemeral-storage': '100Gi' };
  const labels = { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64', 'topology.kubernetes.io/zone': 'a' };
  const nodeInfo = { kubeletVersion: 'v1.37.2', operatingSystem: 'linux', architecture: 'amd64', machineID: '', systemUUID: '', bootID: '', kernelVersion: '', osImage: '', containerRuntimeVersion: '', kubeProxyVersion: '' };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels, annotations: { 'kwok.x-k8s.io/node': 'fake' } }, status: { allocatable: room, capacity: room, nodeInfo } };
}

/**
 * Starts a control plane with fresh data.
 *   bin     folder of the programs
 *   logs    folder for one log file of each process
 *   server  'trireme', 'kube-apiserver', or 'trireme-alone': with `--controllers=-*`, so that kube-controller-manager runs all, as beside kube-apiserver
 *   nodes   count of kwok nodes; 0: kwok is not started
 *   users   true: kube-controller-manager and kube-scheduler are their own users, and controllers their service accounts (trireme only)
 *   flags   more flags by program: { server, manager, scheduler, kwok }; `server` are flags that both servers know
 *   gates   feature gates for the server, the controllers and the scheduler, as in --feature-gates
 *   exec    arguments of node before the program of trireme
 */
export async function startCluster({ bin, logs, server = 'trireme', nodes = 3, users = false, flags = {}, gates, exec = [] }) {
  const cluster = new Cluster(bin, logs, server);
  try {
    await cluster.start({ nodes, users, flags, gates: gates === undefined ? [] : [`--feature-gates=${gates}`], exec });
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

class Cluster {
  #bin;
  #logs;
  #server;
  #folder = mkdtempSync(join(tmpdir(), 'trireme-conformance-'));
  #children = [];
  #servers = [];
  #agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  #credentials = {};
  port = 0;
  kubeconfig = '';

  constructor(bin, logs, server) {
    this.#bin = bin;
    this.#logs = logs;
    this.#server = server;
    mkdirSync(logs, { recursive: true });
  }

  async start({ nodes, users, flags, gates, exec }) {
    this.port = await freePort();
    const given = [...gates, ...(flags.server ?? [])];
    const own = this.#server === 'kube-apiserver' ? await this.#kubeApiserver(given) : await this.#trireme(given, exec);
    const common = (name) => [`--kubeconfig=${users ? this.kubeconfigOf(`system:${name}`) : this.kubeconfig}`, '--leader-elect=false', '--secure-port=0', ...gates];
    const accounts = users ? ['--use-service-account-credentials'] : [];
    this.run('kube-controller-manager', join(this.#bin, 'kube-controller-manager'), [...common('kube-controller-manager'), ...own, ...accounts, ...(flags.manager ?? [])]);
    this.run('kube-scheduler', join(this.#bin, 'kube-scheduler'), [...common('kube-scheduler'), ...(flags.scheduler ?? [])]);
    if (nodes === 0) return;
    const kwok = ['--manage-all-nodes=true', '--cidr=10.200.0.1/16', '--node-ip=127.0.0.1', '--node-lease-duration-seconds=40', `--config=${join(here, 'e2e', 'kwok.yaml')}`];
    this.run('kwok', join(this.#bin, 'kwok'), [`--kubeconfig=${this.kubeconfig}`, ...kwok, ...(flags.kwok ?? [])]);
    for (let i = 0; i < nodes; i++) await this.ask('POST', '/api/v1/nodes', nodeNamed(`node-${i}`));
  }

  /** Writes a kubeconfig for a user with a new certificate, and returns its path. */
  kubeconfigOf(user, groups = []) {
    const file = join(this.#folder, `${user.replaceAll(':', '-')}.kubeconfig`);
    const args = ['kubeconfig', `--kubeconfig=${this.kubeconfig}`, `--user=${user}`, ...(groups.length === 0 ? [] : [`--groups=${groups.join(',')}`])];
    writeFileSync(file, execFileSync(process.execPath, [join(root, 'dist/cmd/ctl/main.js'), ...args]), { mode: 0o600 });
    return file;
  }

  /** Returns the flags for kube-controller-manager: the controllers that the server does not have. */
  async #trireme(flags, exec) {
    const data = join(this.#folder, 'data');
    this.kubeconfig = join(data, 'admin.kubeconfig');
    const isAlone = this.#server === 'trireme-alone';
    const own = [`--secure-port=${this.port}`, `--data-dir=${data}`, '--log-level=warn', '--auto-compaction-retention=5m', ...(isAlone ? ['--controllers=-*'] : [])];
    const args = [...exec, join(root, 'dist/cmd/apiserver/main.js'), ...own, ...flags];
    const child = this.run('trireme', process.execPath, args);
    this.#servers.push(child);
    await until(() => child.exitCode !== null || existsSync(this.kubeconfig), 'trireme wrote no kubeconfig');
    const [cert, key] = ['admin.crt', 'admin.key'].map((f) => readFileSync(join(data, 'pki', f)));
    this.#credentials = { cert, key };
    await this.#ready(child);
    const rootCa = `--root-ca-file=${join(data, 'pki', 'ca.crt')}`;
    if (isAlone) return [`--service-account-private-key-file=${join(data, 'pki', 'sa.key')}`, rootCa];
    const controllers = execFileSync(process.execPath, [join(root, 'dist/cmd/ctl/main.js'), 'controllers'], { encoding: 'utf8' }).trim();
    return [`--controllers=${controllers}`, rootCa];
  }

  async #kubeApiserver(flags) {
    const at = (name) => join(this.#folder, name);
    const [client, peer] = [await freePort(), await freePort()].map((p) => `http://127.0.0.1:${p}`);
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048, publicKeyEncoding: { type: 'spki', format: 'pem' }, privateKeyEncoding: { type: 'pkcs1', format: 'pem' } });
    const token = randomBytes(16).toString('hex');
    writeFileSync(at('sa.key'), privateKey);
    writeFileSync(at('sa.pub'), publicKey);
    writeFileSync(at('tokens.csv'), `${token},admin,admin,system:masters\n`);
    this.kubeconfig = at('kubeconfig');
    writeFileSync(this.kubeconfig, JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
      clusters: [{ name: 'a', cluster: { server: `https://127.0.0.1:${this.port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'a', user: { token } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    }));
    this.#servers.push(this.run('etcd', join(this.#bin, 'etcd'), [`--data-dir=${at('etcd')}`, '--log-level=warn', '--name=a', `--listen-client-urls=${client}`, `--advertise-client-urls=${client}`, `--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=a=${peer}`]));
    const own = ['--authorization-mode=Node,RBAC', '--allow-privileged=true', '--service-cluster-ip-range=10.0.0.0/16', `--token-auth-file=${at('tokens.csv')}`, `--cert-dir=${at('certs')}`, '--bind-address=127.0.0.1'];
    const tokens = ['--service-account-issuer=https://kubernetes.default.svc', `--service-account-key-file=${at('sa.pub')}`, `--service-account-signing-key-file=${at('sa.key')}`];
    const child = this.run('kube-apiserver', join(this.#bin, 'kube-apiserver'), [`--etcd-servers=${client}`, `--secure-port=${this.port}`, ...own, ...tokens, ...flags]);
    this.#servers.push(child);
    this.#credentials = { token };
    await this.#ready(child);
    return [`--service-account-private-key-file=${at('sa.key')}`, `--root-ca-file=${join(at('certs'), 'apiserver.crt')}`];
  }

  async #ready(child) {
    await until(async () => child.exitCode !== null || (await this.request('GET', '/readyz').catch(() => ({ code: 0 }))).code === 200, 'the server is not ready');
    if (child.exitCode !== null) throw new Error(`the server ended; see ${this.#logs}`);
  }

  /** Starts a process; its output goes to `<name>.log`. */
  run(name, file, args, env = {}) {
    const log = openSync(join(this.#logs, `${name}.log`), 'w');
    const child = spawn(file, args, { stdio: ['ignore', log, log], env: { ...serverEnvironment, ...env } });
    child.ended = new Promise((resolve) => {
      child.once('error', resolve);
      child.once('exit', resolve);
    });
    this.#children.push(child);
    return child;
  }

  /** Sends a request; returns the code and the JSON of the response. */
  request(method, path, body, type = 'application/json', credentials = this.#credentials) {
    const { cert, key, token } = credentials;
    const headers = { 'content-type': type, accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    return new Promise((resolve, reject) => {
      const request = https.request({ host: '127.0.0.1', port: this.port, method, path, cert, key, agent: credentials === this.#credentials ? this.#agent : new https.Agent({ rejectUnauthorized: false }), headers }, (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({ code: response.statusCode, body: text.startsWith('{') ? JSON.parse(text) : text });
        });
      });
      request.once('error', reject);
      request.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** Sends a request that must succeed, and returns its object. */
  async ask(method, path, body, type, credentials) {
    const { code, body: answer } = await this.request(method, path, body, type, credentials);
    if (code >= 300) throw new Error(`${method} ${path}: ${code} ${answer.message ?? answer}`);
    return answer;
  }

  /** Seconds of CPU time of the server processes, user and system. */
  cpuSeconds() {
    return this.#servers.reduce((sum, { pid }) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      return sum + (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    }, 0);
  }

  /** Resident memory of the server processes in MB. */
  residentMegabytes() {
    return this.#servers.reduce((sum, { pid }) => sum + Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024, 0);
  }

  /** Ends the processes, the server last, and removes the data. */
  async stop() {
    for (const child of this.#children.splice(0).reverse()) await end(child);
    this.#agent.destroy();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Waits until `done` returns true. */
export async function until(done, problem, milliseconds = READY_MS) {
  const limit = performance.now() + milliseconds;
  while (!(await done())) {
    if (performance.now() > limit) throw new Error(problem);
    await new Promise((r) => setTimeout(r, 100));
  }
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await child.ended;
  clearTimeout(timer);
}

function freePort() {
  return new Promise((resolve) => {
    const s = createServer().listen(0, '127.0.0.1', () => {
      const { port } = s.address();
      s.close(() => resolve(port));
    });
  });
}
