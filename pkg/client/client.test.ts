import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { accessOf, readAccess } from './access.js';
import { parseArguments } from './arguments.js';
import type { Offline } from './commands/command.js';
import { ClientError } from './error.js';
import { runCtl } from './run.js';
import { sizeText, table } from './table.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-client-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const cluster = (name: string, url: string, ca: string): string =>
  `- name: ${name}\n  cluster: {server: "${url}", certificate-authority-data: ${base64(ca)}}\n`;

function kubeconfig(...clusters: readonly string[]): string {
  const file = join(folder, 'kubeconfig');
  writeFileSync(
    file,
    `clusters:\n${clusters.join('')}users:\n- name: u\n  user: {client-certificate-data: ${base64('C')}, client-key-data: ${base64('K')}}\n` +
      'contexts:\n- name: x\n  context: {cluster: one, user: u}\ncurrent-context: x\n',
  );
  return file;
}

describe('a kubeconfig', () => {
  it('returns the server of its context first, then others with the same authority, without duplicates', () => {
    const file = kubeconfig(
      cluster('two', 'https://h:2', 'CA'),
      cluster('one', 'https://h:1', 'CA'),
      cluster('again', 'https://h:2', 'CA'),
      cluster('foreign', 'https://x:1', 'OTHER'),
    );
    expect(accessOf(file)).toMatchObject({ endpoints: ['https://h:1', 'https://h:2'], ca: 'CA', cert: 'C', key: 'K' });
  });

  it('must name an existing cluster', () => {
    expect(() => accessOf(kubeconfig(cluster('two', 'https://h:2', 'CA')))).toThrow(
      'the current context does not name',
    );
    expect(() => accessOf(join(folder, 'none'))).toThrow('cannot read the kubeconfig');
  });
});

describe('a malformed kubeconfig', () => {
  const good = 'clusters: []\nusers: []\ncontexts: []\ncurrent-context: x\n';
  it.each([
    ['', 'it must be object'],
    ['a: [b', 'it is not valid YAML: '],
    ['[]', 'it must be object'],
    [good.replace('clusters: []', 'clusters: [null]'), 'clusters[0] must be object'],
    [
      good.replace('clusters: []', 'clusters: [{name: a, cluster: {}}]'),
      "clusters[0].cluster must have required property 'server'",
    ],
    [
      good.replace('clusters: []', 'clusters: [{name: a, cluster: {server: "h:1"}}]'),
      'clusters[0].cluster.server must match pattern',
    ],
    [
      good.replace('users: []', 'users: [{name: a, user: {client-key-data: 5}}]'),
      'users[0].user.client-key-data must be string',
    ],
    [good.replace('current-context: x', 'current-context: [x]'), 'current-context must be string'],
  ])('%j: the error names the field', (text, wrong) => {
    expect(() => readAccess(text, 'kubeconfig')).toThrow(ClientError);
    expect(() => readAccess(text, 'kubeconfig')).toThrow(wrong);
  });

  it('ignores unknown fields, and names a file that is missing', () => {
    const user = '{name: u, user: {client-key: none.key, auth-provider: {name: x}}}';
    const text = `clusters: [{name: c, cluster: {server: "https://h:1", certificate-authority: none.crt}}]\nusers: [${user}]\ncontexts: [{name: x, context: {cluster: c, user: u, namespace: ns}}]\ncurrent-context: x\npreferences: {}\n`;
    expect(() => readAccess(text, join(folder, 'kubeconfig'))).toThrow(
      /cannot read a file that the kubeconfig names: .*none.crt/,
    );
  });
});

describe('a command line', () => {
  const known = new Set(['peer-urls', 'learner', 'o']);

  it('has words and flags in any order', () => {
    const { words, flags } = parseArguments(['member', 'add', '--learner', 'd', '--peer-urls=u', '-o', 'json'], known);
    expect(words).toEqual(['member', 'add', 'd']);
    expect([...flags]).toEqual([
      ['learner', 'true'],
      ['peer-urls', 'u'],
      ['o', 'json'],
    ]);
  });

  it('is rejected at the first unknown flag', () => {
    expect(() => parseArguments(['--lerner'], known)).toThrow('unknown flag --lerner');
    expect(() => parseArguments(['-o'], known)).toThrow('flag --o needs a value');
  });
});

describe('a table', () => {
  it('has columns of minimal width, without trailing blanks', () => {
    expect(table(['A', 'LONG'], [['xyz', '']])).toBe('A    LONG\nxyz\n');
  });

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1536, '1.5 KiB'],
    [1024 ** 3, '1.0 GiB'],
  ])('shows %d bytes as %s', (bytes, text) => expect(sizeText(bytes)).toBe(text));
});

describe('triremectl', () => {
  const run = async (line: string, offline: Partial<Offline> = {}) => {
    const said = { out: '', err: '' };
    const code = await runCtl(
      line.split(' ').filter((w) => w !== ''),
      {
        offline: offline as Offline,
        version: '9',
        env: {},
        print: (text) => (said.out += text),
        complain: (text) => (said.err += text),
      },
    );
    return { code, ...said };
  };

  it('prints help and version', async () => {
    expect((await run('--help')).out).toContain('member add NAME --peer-urls URL,...');
    expect(await run('--version')).toEqual({ code: 0, out: 'triremectl 9\n', err: '' });
  });

  it.each([
    ['nonsense', 'unknown command nonsense (see --help)'],
    ['member add', 'usage: triremectl member add NAME --peer-urls URL,... [--learner]'],
    ['move-leader a b', 'usage: triremectl move-leader [ID|NAME]'],
    ['status -o xml', '-o must be table or json'],
    ['snapshot restore f', 'snapshot restore needs --data-dir'],
    ['certs', 'certs needs --dir and --initial-cluster'],
    ['certs --dir d --initial-cluster a', '--initial-cluster: "a" must be NAME=VALUE'],
    ['certs --dir d --initial-cluster ..=https://a:1', '".." cannot be the name of a folder'],
    [
      'certs --dir d --initial-cluster a=https://a:1 --servers b=https://b:1',
      '--servers: b is not in --initial-cluster',
    ],
    [
      'certs --dir d --initial-cluster a=https://a:1 --servers a=b:1',
      '--servers: b:1 must be like https://127.0.0.1:6443',
    ],
  ])('refuses %s', async (line, message) => {
    expect(await run(line)).toEqual({ code: 1, out: '', err: message });
  });

  it('creates the folders of a cluster, at the hosts of its peers by default', async () => {
    const asked: unknown[] = [];
    const makeFolders: Offline['makeFolders'] = async (...request) => {
      asked.push(request);
      return { kubeconfig: '/k', dataDirs: ['/d/a', '/d/b'] };
    };
    const line =
      'certs --dir d --initial-cluster a=https://10.0.0.1:2380,b=https://10.0.0.2:2380 --servers b=https://b:1';
    expect((await run(line, { makeFolders })).out).toBe('--data-dir=/d/a\n--data-dir=/d/b\nexport KUBECONFIG=/k\n');
    expect(asked).toEqual([
      [
        'd',
        [
          { name: 'a', serverUrl: 'https://10.0.0.1:6443', peerUrl: 'https://10.0.0.1:2380' },
          { name: 'b', serverUrl: 'https://b:1', peerUrl: 'https://10.0.0.2:2380' },
        ],
      ],
    ]);
  });

  it('prints the controllers for a kube-controller-manager beside the server', async () => {
    const controllers: Offline['controllers'] = async () => ['b-controller', 'a-controller'];
    expect((await run('controllers', { controllers })).out).toBe('*,-a-controller,-b-controller\n');
    expect((await run('controllers -o json', { controllers })).out).toBe('[\n  "a-controller",\n  "b-controller"\n]\n');
  });

  it.each([
    ['member add --help', /^Adds a learner.*--peer-urls URL,.*--learner Keep it a learner.*Flags of every command/s],
    ['help snapshot restore', /^Creates a data directory.*--initial-cluster-token TOKEN/s],
    ['member --help', /member list.*member update ID\|NAME/s],
    ['--help', /status.*move-leader.*certs/s],
  ])('%s: prints help for the command', async (line, text) => {
    const { code, out } = await run(line);
    expect(code).toBe(0);
    expect(out).toMatch(text);
    if (!line.startsWith('--')) expect(out).not.toMatch(/^ {2}certs/m);
  });

  it('fails without a reachable server', async () => {
    const file = join(folder, 'kubeconfig');
    const server = '{name: c, cluster: {server: "https://127.0.0.1:1"}}';
    const context = '{name: x, context: {cluster: c, user: u}}';
    writeFileSync(
      file,
      `{clusters: [${server}], users: [{name: u, user: {}}], contexts: [${context}], current-context: x}`,
    );
    const { code, err } = await run(`member list --kubeconfig ${file}`);
    expect(code).toBe(1);
    expect(err).toBe('no server responded: https://127.0.0.1:1: no server listens there');
  });
});
