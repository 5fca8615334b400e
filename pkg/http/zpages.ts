import { errors, type JsonObject } from '../api/index.js';
import { encodeCbor } from '../codec/index.js';
import type { Call } from './call.js';
import { encodeDocument } from './documents.js';
import { errorForm, MEDIA_TYPES, parseAccept, wantsPretty } from './negotiate.js';
import { PageNotFound } from './pagenotfound.js';
import { sendBytes, sendStatus } from './responses.js';
import type { HttpServices } from './services.js';
import { API_VERSION, RUNTIME_VERSION } from './version.js';

/** The pages about the server process: `/flagz` and `/statusz` (KEP-4828, KEP-4827), as text and as objects of `config.k8s.io`. */

/** What the pages show. */
export interface ServerFacts {
  /** When the process started: seconds since the epoch. */
  readonly started: number;
  /** The flags with their values; undefined without the gate ComponentFlagz. */
  readonly flags: Readonly<Record<string, string>> | undefined;
  /** The gate ComponentStatusz. */
  readonly hasStatus: boolean;
}

const COMPONENT = 'apiserver';
const GROUP = 'config.k8s.io';
const VERSIONS: ReadonlySet<string> = new Set(['v1alpha1', 'v1beta1']);
const TEXT = 'text/plain; charset=utf-8';

/** What follows the names on a page. It varies, because the text is not to be parsed. */
const DELIMITERS = [':', ': ', '=', ' '] as const;

export function serveFlagz(call: Call, services: HttpServices): void | Promise<void> {
  const { flags } = services.facts;
  if (flags === undefined) throw new PageNotFound();
  return servePage(call, services, {
    kind: 'Flagz',
    text: (delimiter) =>
      Object.entries(flags)
        .map(([name, value]) => `${name}${delimiter}${value}\n`)
        .join(''),
    fields: () => ({ flags: { ...flags } }),
  });
}

/** `paths`: the paths that `/` lists. */
export function serveStatusz(call: Call, services: HttpServices, paths: readonly string[]): void | Promise<void> {
  const { started, hasStatus } = services.facts;
  if (!hasStatus) throw new PageNotFound();
  const uptime = Math.max(0, Math.floor(services.world.clock.now() / 1000 - started));
  const emulation = `${API_VERSION.major}.${API_VERSION.minor}`;
  const binary = API_VERSION.gitVersion.slice(1);
  const folders = foldersOf(paths);
  return servePage(call, services, {
    kind: 'Statusz',
    text: (delimiter) =>
      [
        ['\nStarted', unixDate(started)],
        ['Up', uptimeText(uptime)],
        ['Go version', RUNTIME_VERSION],
        ['Binary version', binary],
        ['Emulation version', emulation],
        ['Paths', folders.join(' ')],
      ]
        .map(([name, value]) => `${name}${delimiter} ${value}\n`)
        .join(''),
    fields: () => ({
      startTime: `${new Date(started * 1000).toISOString().slice(0, 19)}Z`,
      uptimeSeconds: uptime,
      goVersion: RUNTIME_VERSION,
      binaryVersion: binary,
      emulationVersion: emulation,
      paths: [...folders],
    }),
  });
}

interface Page {
  readonly kind: 'Flagz' | 'Statusz';
  /** The lines of the text below its head. */
  text(delimiter: string): string;
  /** The fields of the object beside its kind and metadata. */
  fields(): JsonObject;
}

function servePage(call: Call, { world, stages }: HttpServices, page: Page): void | Promise<void> {
  const isCbor = stages.supportedEncodings.encodings.includes('cbor');
  const { accept } = call.exchange.headers;
  const encodings = isCbor ? [...ENCODINGS, 'cbor' as const] : ENCODINGS;
  const form = formOf(accept, page.kind, encodings);
  if (form === undefined) {
    const types = encodings.map((e) => (e === 'text' ? 'text/plain' : MEDIA_TYPES[e]));
    // These pages have no protobuf form, their errors included.
    const supported = { encodings: encodings.filter((e) => e !== 'text'), types };
    const wanted = { accept, query: call.info.query, userAgent: call.userAgent };
    return sendStatus(call, 406, errors.notAcceptable(types).status, errorForm(wanted, supported));
  }
  if (form.encoding === 'text') {
    const delimiter = DELIMITERS[Math.floor(world.random.float() * DELIMITERS.length)]!;
    const name = page.kind.toLowerCase();
    const head = `\n${COMPONENT} ${name}\nWarning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.\n`;
    return sendBytes(call, 200, TEXT, Buffer.from(head + page.text(delimiter)));
  }
  const { encoding, version } = form;
  if (version === 'v1alpha1')
    call.warn(`This version of the ${page.kind.toLowerCase()} endpoint is deprecated. Please use a newer version.`);
  const object = {
    kind: page.kind,
    apiVersion: `${GROUP}/${version}`,
    metadata: { name: COMPONENT },
    ...page.fields(),
  };
  const pretty = wantsPretty({ accept, query: call.info.query, userAgent: call.userAgent }, form.pretty);
  const bytes = encoding === 'cbor' ? encodeCbor(undefined, object) : encodeDocument(object, encoding, pretty);
  return sendBytes(call, 200, `${MEDIA_TYPES[encoding]};g=${GROUP};v=${version};as=${page.kind}`, bytes);
}

type PageForm =
  | { readonly encoding: 'text' }
  | { readonly encoding: 'json' | 'yaml' | 'cbor'; readonly version: string; readonly pretty: boolean };

type PageEncoding = PageForm['encoding'];
const ENCODINGS: readonly PageEncoding[] = ['json', 'yaml', 'text'];

/** The form for an Accept header: text, unless the client names the kind with a version. Undefined if there is none. */
function formOf(
  accept: string | undefined,
  kind: Page['kind'],
  encodings: readonly PageEncoding[],
): PageForm | undefined {
  if (accept === undefined || accept.trim() === '') return { encoding: 'text' };
  for (const { type, subtype, parameters } of parseAccept(accept)) {
    if (parameters.has('stream') || parameters.has('sv')) continue;
    const named = ['g', 'v', 'as'].map((name) => parameters.get(name) ?? '');
    const [group = '', version = ''] = named;
    const isObject = group === GROUP && VERSIONS.has(version) && named[2] === kind;
    for (const encoding of encodings) {
      const [ownType, ownSubtype] = encoding === 'text' ? ['text', 'plain'] : ['application', encoding];
      if ((type !== '*' && type !== ownType) || (subtype !== '*' && subtype !== ownSubtype)) continue;
      if (encoding === 'text') {
        if (named.every((value) => value === '')) return { encoding };
      } else if (isObject) return { encoding, version, pretty: parameters.get('pretty') === '1' };
    }
  }
  return undefined;
}

/** The folders of the API, which are not for debugging. */
const API_FOLDERS: ReadonlySet<string> = new Set(['/apis', '/api', '/openid', '/openapi', '/.well-known']);

function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    const folder = `/${path.split('/')[1] ?? ''}`;
    if (folder !== '/' && !API_FOLDERS.has(folder)) folders.add(folder);
  }
  return [...folders].sort();
}

/** A time in the form of the command `date`: `Sat Nov  7 06:29:53 UTC 2026`. */
function unixDate(seconds: number): string {
  const [, day = '', month, year, time] = /^(\w+, \d+) (\w+) (\d+) (\S+)/.exec(new Date(seconds * 1000).toUTCString())!;
  const [weekday, date = ''] = day.split(', ');
  return `${weekday} ${month} ${String(Number(date)).padStart(2)} ${time} UTC ${year}`;
}

function uptimeText(seconds: number): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${Math.floor(seconds / 3600)} hr ${two(Math.floor(seconds / 60) % 60)} min ${two(seconds % 60)} sec`;
}
