// Three peer processes on loopback with mutual TLS. The serving thread of each also generates its load (child.mjs).
import { execFileSync, fork } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { wait } from './measure.mjs';

export async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  for (const server of servers) await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** Creates a peer CA and a certificate for loopback with openssl: ca.crt, peer.crt and peer.key in the folder. */
export function certificates(folder) {
  const at = (name) => join(folder, name);
  const openssl = (...args) => execFileSync('openssl', args, { stdio: 'pipe' });
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl('req', '-x509', ...ec, '-keyout', at('ca.key'), '-out', at('ca.crt'), '-subj', '/CN=bench peer CA', '-days', '1');
  openssl('req', ...ec, '-keyout', at('peer.key'), '-out', at('peer.csr'), '-subj', '/CN=peer');
  writeFileSync(at('san'), 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
  openssl('x509', '-req', '-in', at('peer.csr'), '-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial', '-days', '1', '-extfile', at('san'), '-out', at('peer.crt'));
  const text = (name) => readFileSync(at(name), 'utf8');
  return { ca: text('ca.crt'), cert: text('peer.crt'), key: text('peer.key') };
}

/** The process of one peer. Requests call functions of child.mjs by name; several may be in flight. */
class Child {
  #asked = new Map();
  #next = 0;

  constructor() {
    const file = fileURLToPath(new URL('./child.mjs', import.meta.url));
    // As trireme-apiserver does.
    this.process = fork(file, [], { env: { UV_THREADPOOL_SIZE: '16', ...process.env } });
    this.pid = this.process.pid;
    this.process.on('message', ({ id, reply, error }) => {
      const { resolve, reject } = this.#asked.get(id);
      this.#asked.delete(id);
      if (error === undefined) resolve(reply);
      else reject(new Error(error));
    });
  }

  ask(call, argument = {}) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject });
      this.process.send({ id, call, argument });
    });
  }

  get alive() {
    return this.process.exitCode === null && this.process.signalCode === null && !this.process.killed;
  }

  kill() {
    this.process.kill('SIGKILL');
    return new Promise((resolve) => (this.process.exitCode === null && this.process.signalCode === null ? this.process.once('exit', resolve) : resolve()));
  }
}

export class Group {
  constructor(folder) {
    this.folder = folder;
    this.children = [];
  }

  /** Starts all three peers, or the first `count`. `over` overrides defaults of the peer configuration. */
  async start(over = {}, count = 3) {
    this.tls = certificates(this.folder);
    this.over = over;
    const ports = await freePorts(3);
    this.members = ports.map((port, i) => ({ name: `peer${i}`, peerUrls: [`https://127.0.0.1:${port}`] }));
    await Promise.all(this.members.slice(0, count).map((_, i) => this.open(i)));
  }

  /** Starts a peer; resolves when it answers consistent reads. */
  open(i) {
    const { name, peerUrls } = this.members[i];
    const child = new Child();
    this.children[i] = child;
    const network = { listenUrls: peerUrls, advertiseUrls: peerUrls, tls: this.tls };
    const dataDir = join(this.folder, name);
    return child.ask('open', { name, dataDir, initialCluster: this.members, network, ...this.over });
  }

  /** Deletes the data of a peer. */
  async wipe(i) {
    await this.children[i].kill();
    rmSync(join(this.folder, this.members[i].name), { recursive: true });
  }

  async leader() {
    for (;;) {
      const states = await Promise.all(this.children.map((child) => (child.alive ? child.ask('status') : undefined)));
      const i = states.findIndex((state) => state?.isLeader);
      if (i >= 0) return i;
      await wait(50);
    }
  }

  stop() {
    return Promise.all(this.children.map((child) => child.kill()));
  }
}
