import { declare, type Library } from '../environment.js';
import { ArrayList, fail, mapFrom, noOverload, Opaque, type Value } from '../values.js';
import { typeConstants } from './standard.js';

const NAME = 'kubernetes.URL';

/** The parts of a URL, as Go's net/url parses a request URI. */
export interface GoUrl {
  readonly scheme: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly text: string;
}

export class UrlValue extends Opaque {
  readonly url: GoUrl;

  constructor(url: GoUrl) {
    super();
    this.url = url;
  }

  get typeName(): string {
    return NAME;
  }

  equals(other: Value): boolean {
    return other instanceof UrlValue && other.url.text === this.url.text;
  }
}

const isControl = (c: string) => c < ' ' || c === '\u007f';
const failure = (text: string, why: string) => `parse ${JSON.stringify(text)}: ${why}`;

/** An absolute URL or an absolute path; otherwise the error message. */
export function parseRequestUri(text: string): GoUrl | string {
  if (Array.from(text).some(isControl)) return failure(text, 'net/url: invalid control character in URL');
  if (text === '') return failure(text, 'empty url');
  const scheme = readScheme(text);
  if (scheme === undefined) return failure(text, 'missing protocol scheme');
  if (text === '*') return { scheme: '', host: '', path: '*', query: '', text };
  let rest = text.slice(scheme === '' ? 0 : scheme.length + 1);
  const mark = rest.indexOf('?');
  const query = mark < 0 ? '' : rest.slice(mark + 1);
  if (mark >= 0) rest = rest.slice(0, mark);
  if (!rest.startsWith('/')) {
    // An opaque URL such as mailto:a@b.c.
    if (scheme !== '') return { scheme: scheme.toLowerCase(), host: '', path: '', query, text };
    return failure(text, 'invalid URI for request');
  }
  let host = '';
  if (scheme !== '' && rest.startsWith('//')) {
    const end = rest.indexOf('/', 2);
    const authority = end < 0 ? rest.slice(2) : rest.slice(2, end);
    rest = end < 0 ? '' : rest.slice(end);
    const found = readHost(authority.slice(authority.lastIndexOf('@') + 1));
    if (found.error !== undefined) return failure(text, found.error);
    host = found.host;
  }
  const bad = badEscape(rest);
  if (bad !== undefined) return failure(text, `invalid URL escape ${JSON.stringify(bad)}`);
  return { scheme: scheme.toLowerCase(), host, path: rest, query, text };
}

/** '' without a scheme; undefined if a colon comes first. */
function readScheme(text: string): string | undefined {
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (/[A-Za-z]/.test(c)) continue;
    if (/[0-9+\-.]/.test(c)) {
      if (i === 0) return '';
      continue;
    }
    if (c === ':') return i === 0 ? undefined : text.slice(0, i);
    return '';
  }
  return '';
}

function readHost(authority: string): { readonly host: string; readonly error?: string } {
  if (authority.startsWith('[')) {
    const end = authority.lastIndexOf(']');
    if (end < 0) return { host: '', error: "missing ']' in host" };
    const port = authority.slice(end + 1);
    if (!isPort(port)) return { host: '', error: `invalid port ${JSON.stringify(port)} after host` };
    const zone = authority.indexOf('%25');
    const inner =
      zone >= 0 && zone < end
        ? authority.slice(0, zone) + percentDecoded(authority.slice(zone, end))
        : authority.slice(0, end);
    return { host: inner + authority.slice(end) };
  }
  const colon = authority.lastIndexOf(':');
  if (colon >= 0 && !isPort(authority.slice(colon)))
    return { host: '', error: `invalid port ${JSON.stringify(authority.slice(colon))} after host` };
  const bad = /[ "<>\\^`{|}]/.exec(authority);
  if (bad !== null) return { host: '', error: `invalid character ${JSON.stringify(bad[0])} in host name` };
  const broken = badEscape(authority);
  if (broken !== undefined) return { host: '', error: `invalid URL escape ${JSON.stringify(broken)}` };
  return { host: percentDecoded(authority) };
}

function isPort(text: string): boolean {
  return text === '' || /^:[0-9]*$/.test(text);
}

function badEscape(text: string): string | undefined {
  for (let i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i + 1))
    if (!/^%[0-9A-Fa-f]{2}/.test(text.slice(i, i + 3))) return text.slice(i, i + 3);
  return undefined;
}

function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '%') {
      bytes.push(Number.parseInt(text.slice(i + 1, i + 3), 16));
      i += 2;
      continue;
    }
    const point = String.fromCodePoint(text.codePointAt(i)!);
    bytes.push(...encoder.encode(point));
    i += point.length - 1;
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** The escaped path; unchanged if it is valid. */
function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]*$/.test(path)) return path;
  let out = '';
  for (const point of percentDecoded(path)) {
    if (/[A-Za-z0-9\-._~$&+,/:;=@]/.test(point)) out += point;
    else for (const b of new TextEncoder().encode(point)) out += `%${b.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return out;
}

function queryOf(query: string): Value {
  const found = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const equal = pair.indexOf('=');
    const [key, value] = equal < 0 ? [pair, ''] : [pair.slice(0, equal), pair.slice(equal + 1)];
    if (badEscape(key) !== undefined || badEscape(value) !== undefined) continue;
    const name = percentDecoded(key.replaceAll('+', ' '));
    found.set(name, [...(found.get(name) ?? []), percentDecoded(value.replaceAll('+', ' '))]);
  }
  return mapFrom([...found].map(([key, values]) => [key, new ArrayList(values)]));
}

/** The host without its port and brackets. */
function hostname(host: string): string {
  const bracket = host.lastIndexOf(']');
  if (host.startsWith('[') && bracket > 0) return host.slice(1, bracket);
  const colon = host.lastIndexOf(':');
  return colon >= 0 && isPort(host.slice(colon)) ? host.slice(0, colon) : host;
}

function port(host: string): string {
  const colon = host.lastIndexOf(':');
  return colon > host.lastIndexOf(']') ? host.slice(colon + 1) : '';
}

const getter = (name: string, read: (u: GoUrl) => Value) =>
  declare(name, [`url_${name}: ${NAME}.(): ${name === 'getQuery' ? 'map(string, list(string))' : 'string'}`], (v) =>
    v instanceof UrlValue ? read(v.url) : noOverload(name, v),
  );

export const urlLibrary: Library = {
  constants: typeConstants(NAME)!,
  functions: [
    declare('url', [`string_to_url: (string): ${NAME}`], (s) => {
      if (typeof s !== 'string') return noOverload('url', s);
      const found = parseRequestUri(s);
      return typeof found === 'string'
        ? fail(`URL parse error during conversion from string: ${found}`)
        : new UrlValue(found);
    }),
    declare('isURL', ['is_url_string: (string): bool'], (s) =>
      typeof s === 'string' ? typeof parseRequestUri(s) !== 'string' : noOverload('isURL', s),
    ),
    getter('getScheme', (u) => u.scheme),
    getter('getHost', (u) => u.host),
    getter('getHostname', (u) => hostname(u.host)),
    getter('getPort', (u) => port(u.host)),
    getter('getEscapedPath', (u) => escapedPath(u.path)),
    getter('getQuery', (u) => queryOf(u.query)),
  ],
};
