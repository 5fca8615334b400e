import { goQuote } from '../../api/index.js';

/**
 * The message of kube-apiserver about a text that is no URL (`parse "a%": invalid URL escape "%"`), or undefined if it is one. Schemes and
 * hosts that a caller does not accept are not errors here.
 */
export function urlProblem(text: string): string | undefined {
  const [whole] = text.split('#', 1) as [string];
  const why = problem(whole) ?? badEscape(text.slice(whole.length), 'path');
  return why === undefined ? undefined : `parse ${goQuote(whole)}: ${why}`;
}

function problem(text: string): string | undefined {
  if ([...text].some(isControl)) return 'net/url: invalid control character in URL';
  if (text.startsWith(':')) return 'missing protocol scheme';
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(text)?.[0] ?? '';
  const [rest] = text.slice(scheme.length).split('?', 1) as [string];
  if (!rest.startsWith('/')) {
    if (scheme !== '') return undefined;
    const [segment] = rest.split('/', 1) as [string];
    return segment.includes(':') ? 'first path segment in URL cannot contain colon' : badEscape(rest, 'path');
  }
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) return badEscape(rest, 'path');
  const slash = rest.indexOf('/', 2);
  const authority = rest.slice(2, slash < 0 ? undefined : slash);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return hostProblem(host) ?? (slash < 0 ? undefined : badEscape(rest.slice(slash), 'path'));
}

const isControl = (c: string): boolean => c < ' ' || c === '\x7f';

function hostProblem(host: string): string | undefined {
  const bracket = host.lastIndexOf(']');
  if (host.startsWith('[') && bracket < 0) return "missing ']' in host";
  const from = host.startsWith('[') ? bracket + 1 : host.lastIndexOf(':');
  const port = from < 0 ? '' : host.slice(from);
  if (port !== '' && !/^:\d*$/.test(port)) return `invalid port ${goQuote(port)} after host`;
  return badEscape(host, 'host') ?? badCharacter(host);
}

/** Escapes are `%` and two hexadecimal digits. In a host they stand for bytes beyond ASCII, and `%25` begins a zone. */
function badEscape(text: string, where: 'host' | 'path'): string | undefined {
  for (let at = text.indexOf('%'); at >= 0; at = text.indexOf('%', at + 3)) {
    const found = text.slice(at, at + 3);
    const isValid = /^%[0-9a-fA-F]{2}$/.test(found);
    const isAllowed = where === 'path' || found === '%25' || /^%[89a-fA-F]/.test(found);
    if (!isValid || !isAllowed) return `invalid URL escape ${goQuote(found)}`;
  }
  return undefined;
}

const HOST_CHARACTERS = /^[A-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%\x80-\uffff]$/;

function badCharacter(host: string): string | undefined {
  const bad = host.split('').find((c) => !HOST_CHARACTERS.test(c));
  return bad === undefined ? undefined : `invalid character ${goQuote(bad)} in host name`;
}
