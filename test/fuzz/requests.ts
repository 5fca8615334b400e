import { validateHeaderValue } from 'node:http';
import {
  ApiError,
  canonicalMicroTime,
  canonicalQuantity,
  canonicalTime,
  formatCidr,
  formatDuration,
  formatIp,
  formatQuantity,
  matchesLabels,
  parseCidr,
  parseDuration,
  parseFieldSelector,
  parseInstant,
  parseIp,
  parseLabelSelector,
  parseQuantity,
  SelectorError,
} from '../../pkg/api/index.js';
import type { StoredObject } from '../../pkg/cache/index.js';
import { readAccess } from '../../pkg/client/access.js';
import { parseArguments } from '../../pkg/client/arguments.js';
import { ClientError } from '../../pkg/client/index.js';
import { ConfigError, configOf, parseCommandLine } from '../../pkg/config/index.js';
import { acceptsGzip } from '../../pkg/http/gzip.js';
import {
  allowsMeta,
  bodyEncoding,
  checkRoute,
  errorForm,
  negotiate,
  patchTypeOf,
  supportedEncodings,
} from '../../pkg/http/negotiate.js';
import {
  checkedDeleteOptions,
  deleteWishOfQuery,
  listOptions,
  managerOf,
  patchOptions,
  writeOptions,
} from '../../pkg/http/options.js';
import { MalformedPath, Query, requestInfo } from '../../pkg/http/requestinfo.js';
import { Warnings } from '../../pkg/http/warnings.js';
import { decodeContinue, encodeContinue } from '../../pkg/registry/continuetoken.js';
import { checkListOptions } from '../../pkg/registry/listoptions.js';
import { parseSelectors } from '../../pkg/registry/selection.js';
import { parseShardSelector } from '../../pkg/registry/shards.js';
import { type Target, texts } from './target.js';

/** Parsers of request lines, headers, query parameters, scalars, flags and configuration files. */

const SERVER = supportedEncodings(true);

/** A query or a header may contain any text: Node passes headers on as latin1. */
function textTarget(
  target: Omit<Target, 'seeds' | 'run'> & { readonly seeds: readonly string[]; run(text: string): void },
): Target {
  return { ...target, seeds: texts(...target.seeds), run: (input) => target.run(input.toString()) };
}

const requestLines = textTarget({
  name: 'request lines',
  seeds: [
    '/api/v1/namespaces/default/pods/a/status?fieldManager=m&force=true&dryRun=All&fieldValidation=Strict',
    '/apis/apps/v1/watch/namespaces/n/deployments?labelSelector=a%3Db&limit=5&continue=abc&resourceVersion=7&resourceVersionMatch=Exact&sendInitialEvents=true&timeoutSeconds=9&allowWatchBookmarks=1&pretty',
    '/api/v1/nodes/n/proxy/metrics/a/b?propagationPolicy=Orphan&gracePeriodSeconds=-1&orphanDependents=false',
  ],
  words: [
    '/',
    '//',
    '..',
    '%2F',
    '%',
    '%zz',
    '?',
    '&',
    '=',
    '+',
    ';',
    '/namespaces/',
    '/apis/',
    '/watch/',
    'limit=',
    'limit=-1',
    'continue=',
    'resourceVersion=0',
    'dryRun=All&dryRun=x',
    '\u00e9',
  ],
  refusals: [ApiError, MalformedPath],
  run: (url) => {
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE', 'FROB']) {
      const { query } = requestInfo(method, url);
      settled(() => writeOptions('CreateOptions', query, 'kubectl/v1'));
      settled(() => patchOptions(query, 'apply', ''));
      settled(() => checkedDeleteOptions(deleteWishOfQuery(query), true));
      settled(() => {
        const options = listOptions(query);
        parseSelectors(options);
        checkListOptions(options, true);
      });
    }
  },
});

/** A rejection by one parser does not stop the next. */
function settled(f: () => void): void {
  try {
    f();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

const accepts = textTarget({
  name: 'media types',
  seeds: [
    'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json',
    'application/vnd.kubernetes.protobuf;q=0.8;stream=watch, */*;q=0.1',
    'application/apply-patch+yaml',
    'gzip, deflate;q=0.5, br',
  ],
  words: [
    ',',
    ';',
    'q=',
    'q=0',
    '*/*',
    '*',
    '/',
    'as=',
    'stream=watch',
    'pretty=1',
    'sv=1',
    '"',
    '\\"',
    'application/',
    'cbor',
    'cbor-seq',
    '=',
  ],
  refusals: [ApiError],
  run: (text) => {
    negotiate(text, SERVER, allowsMeta);
    errorForm({ accept: text, query: new Query(''), userAgent: text }, SERVER);
    acceptsGzip({ compresses: true, exchange: { method: 'GET', headers: { 'accept-encoding': text } } } as never);
    settled(() => checkRoute(text, SERVER.types));
    settled(() => bodyEncoding(text, SERVER));
    settled(() => patchTypeOf(text, SERVER, true));
  },
});

const LABELS = { app: 'web', n: '5', 'example.com/tier': 'front' };

const labelSelectors = textTarget({
  name: 'selectors of labels',
  seeds: ['app in (web,db),!gone,tier notin (a),n>3,n<9,x==y,z!=', 'example.com/tier', 'a=b,c!=d'],
  words: [',', '(', ')', '!', '=', '==', '!=', ' in ', ' notin ', '>', '<', 'in', 'app', ' ', '\t', 'a'.repeat(64)],
  refusals: [SelectorError],
  run: (text) => {
    const selector = parseLabelSelector(text);
    matchesLabels(selector, LABELS);
  },
});

const fieldSelectors = textTarget({
  name: 'selectors of fields',
  seeds: ['metadata.name=a,spec.nodeName!=b\\,c,status.phase==Running', 'a=\\\\'],
  words: [',', '=', '==', '!=', '\\', '\\,', '\\=', 'metadata.name', '.'],
  refusals: [SelectorError],
  run: (text) => {
    parseFieldSelector(text);
  },
});

const SHARDED = { namespace: 'n', uid: () => '00000000-0000-4000-8000-000000000000' } as unknown as StoredObject;

const shardSelectors = textTarget({
  name: 'selectors of shards',
  seeds: [
    "shardRange(object.metadata.uid, '0x0', '0x8000000000000000') || shardRange(object.metadata.namespace, '0x8', '0x10000000000000000')",
  ],
  words: ['||', ' || ', "'0x", "'", ',', '(', ')', ' ', 'object.metadata.uid', 'shardRange('],
  refusals: [SelectorError],
  run: (text) => {
    parseShardSelector(text)(SHARDED);
  },
});

const tokens = textTarget({
  name: 'continue tokens',
  seeds: [
    encodeContinue({ revision: undefined, start: 'default/a' }),
    Buffer.from('{"v":"meta.k8s.io/v1","rv":5,"start":"a/b\\u0000"}').toString('base64url'),
    '{"v":"meta.k8s.io/v1","rv":5,"start":"a"}',
  ],
  words: ['e30', 'eyJ2Ijoi', '=', '-', '_', 'bnVsbA', '"rv":', '"start":"../x"', 'null'],
  refusals: [ApiError],
  run: (text) => {
    // As received, and with modified content.
    for (const token of [text, Buffer.from(text).toString('base64url')])
      settled(() => {
        const read = decodeContinue(token);
        const again = decodeContinue(encodeContinue(read));
        if (again.start !== read.start || again.revision !== read.revision)
          throw new Error('a token differs after writing and reading');
      });
  },
});

const scalars = textTarget({
  name: 'quantities, times, durations, addresses',
  seeds: [
    '1536Mi',
    '-0.5e3',
    '100m',
    '1E-9',
    '.5Gi',
    '2024-02-29T23:59:60.123456789+01:00',
    '1h2m3.5s',
    '-9223372036854775808ns',
    '10.0.0.1/8',
    '2001:db8::ffff:1.2.3.4/64',
  ],
  words: [
    'e',
    'E',
    '.',
    '-',
    '+',
    'Ki',
    'n',
    'm',
    'T',
    'Z',
    ':',
    '::',
    '/',
    '0',
    '9'.repeat(40),
    'h',
    'us',
    '\u00b5s',
    '%eth0',
  ],
  refusals: [],
  run: (text) => {
    same(canonicalQuantity, text);
    same(canonicalTime, text);
    same(canonicalMicroTime, text);
    parseInstant(text);
    const quantity = parseQuantity(text);
    if (quantity !== undefined) formatQuantity(quantity);
    const duration = parseDuration(text);
    if (duration !== undefined && parseDuration(formatDuration(duration)) !== duration)
      throw new Error('a duration differs after writing and reading');
    const ip = parseIp(text);
    if (ip !== undefined && parseIp(formatIp(ip)) === undefined) throw new Error('an address cannot be read again');
    const cidr = parseCidr(text);
    if (cidr !== undefined && parseCidr(formatCidr(cidr)) === undefined)
      throw new Error('a network cannot be read again');
  },
});

/** Canonical values do not change. */
function same(canonical: (text: string) => string | undefined, text: string): void {
  const once = canonical(text);
  if (once !== undefined && canonical(once) !== once) throw new Error(`${once} is not canonical: ${canonical(once)}`);
}

const headers = textTarget({
  name: 'warnings and managers',
  seeds: ['unknown field "spec.x"', 'kubectl/v1.33 (linux/amd64) kubernetes/8adc0f0', '\u00e9\u{1f6f6}\\"'],
  words: ['\r\n', '\0', '"', '\\', '/', '\u2028', '\ud800', '\x7f', 'a'.repeat(300)],
  refusals: [],
  run: (text) => {
    const warnings = new Warnings();
    for (const part of text.split('\n')) warnings.add(part);
    for (const value of warnings.headers ?? []) validateHeaderValue('warning', value);
    managerOf(text);
  },
});

const flags = textTarget({
  name: 'flags',
  seeds: [
    '--secure-port=6443\n--feature-gates=AllAlpha=true,WatchList=false\n--runtime-config=api/all=true\n--service-node-port-range=1-65535',
    '--initial-cluster=a=https://127.0.0.1:1,b=https://[::1]:2\n--name=a\n--controllers=*,-x\n--service-cluster-ip-range=10.0.0.0/8,fd00::/108',
    '--request-timeout\n1h30m\n--quota-backend-bytes=1\n--v=9',
  ],
  words: ['\n', '=', '--', '-', ',', '--name', '--help', 'true', '1h', '99999999999999999999', 'https://', '/0', '-1'],
  refusals: [ConfigError],
  run: (text) => {
    const line = parseCommandLine(text.split('\n'));
    if (line.kind === 'run') configOf(line.values, line.warnings, line.given);
  },
});

const clientArguments = textTarget({
  name: 'arguments of triremectl',
  seeds: ['member\nadd\nx\n--peer-urls=https://a:1,https://b:2\n--learner', 'status\n--kubeconfig\nx'],
  words: ['\n', '--', '-', '=', '--learner', '--help', '--peer-urls'],
  refusals: [ClientError],
  run: (text) => {
    parseArguments(text.split('\n'), new Set(['peer-urls', 'learner', 'kubeconfig', 'help']));
  },
});

const kubeconfigs = textTarget({
  name: 'kubeconfigs',
  // A local configuration file: its parser takes quadratic time for unusual input.
  inputBytesMax: 4096,
  seeds: [
    'apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n- name: k\n  cluster: {server: "https://127.0.0.1:6443", certificate-authority-data: QQ==}\nusers:\n- name: u\n  user: {client-certificate-data: QQ==, client-key-data: QQ==}\ncontexts:\n- name: c\n  context: {cluster: k, user: u}\n',
  ],
  words: ['\n', '- ', ': ', 'null', '[]', '{}', 'cluster', 'users:', '&a ', '*a', '"', '!!binary ', '<<: *a'],
  refusals: [ClientError],
  run: (text) => {
    readAccess(text, '/nowhere/kubeconfig');
  },
});

export const requestTargets: readonly Target[] = [
  requestLines,
  accepts,
  labelSelectors,
  fieldSelectors,
  shardSelectors,
  tokens,
  scalars,
  headers,
  flags,
  clientArguments,
  kubeconfigs,
];
