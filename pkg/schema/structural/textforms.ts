/** Text formats of several parts: host names, addresses of e-mail, URIs, durations. Each check takes one pass. */

const HOST_NAME_MAX = 255;
const LABEL_MAX = 63;

const isLetters = (text: string): boolean => /^\p{L}*$/u.test(text);
/** Letters, symbols and ASCII digits. */
const isWord = (text: string): boolean => /^[\p{L}\p{S}0-9]*$/u.test(text);

/** One label with at most one dash, behind its first character; or labels before a last one that has two letters or more. */
export function isHostname(text: string): boolean {
  if (text === '' || text.length > HOST_NAME_MAX) return false;
  const labels = text.split('.');
  if (labels.some((label) => label === '' || label.length > LABEL_MAX)) return false;
  const last = labels.pop()!;
  const points = [...last];
  if (labels.length === 0) return isWord(points[0]!) && isWord(points.slice(points[1] === '-' ? 2 : 1).join(''));
  return points.length >= 2 && isLetters(last) && labels.every(isInnerLabel);
}

const isInnerLabel = (label: string): boolean =>
  !label.startsWith('-') && !label.endsWith('-') && isWord(label.replaceAll('-', ''));

/** An address as in a header of a mail: `a@b.c`, `"a b"@c.d (comment)`, `A B <a@b.c>`. */
export function isEmail(text: string): boolean {
  let rest = text.trim();
  if (rest.endsWith(')') && rest.includes('(')) rest = rest.slice(0, rest.lastIndexOf('(')).trim();
  const open = rest.endsWith('>') ? rest.lastIndexOf('<') : -1;
  if (open < 0) return isAddress(rest);
  return isAddress(rest.slice(open + 1, -1)) && isPhrase(rest.slice(0, open).trim());
}

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  const domain = text.slice(at + 1);
  const isLiteral = domain.startsWith('[') && domain.endsWith(']');
  return at > 0 && isLocalPart(text.slice(0, at)) && (isLiteral || isDotAtom(domain));
}

const isLocalPart = (text: string): boolean => isQuoted(text) || isDotAtom(text);
const isDotAtom = (text: string): boolean => text.split('.').every(isAtom);
const isAtom = (text: string): boolean => /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~\u0080-\u{10ffff}-]+$/u.test(text);

function isQuoted(text: string): boolean {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return false;
  for (let i = 1; i < text.length - 1; i++) {
    if (text[i] === '"') return false;
    if (text[i] === '\\' && ++i === text.length - 1) return false;
  }
  return true;
}

/** Words of a display name: one quoted string, or atoms that may contain dots. */
const isPhrase = (text: string): boolean =>
  text === '' || isQuoted(text) || text.split(' ').every((word) => word === '' || isAtom(word.replaceAll('.', 'x')));

/** A URI as in an HTTP request: an absolute URI or a path. */
export function isUri(text: string): boolean {
  // A URI has no blanks and control characters.
  if (/[^!-~\u00a1-\uffff]/u.test(text) || !hasWholeEscapes(text)) return false;
  if (text.startsWith('/')) return true;
  const colon = text.indexOf(':');
  if (colon < 1 || !/^[A-Za-z][A-Za-z0-9+.-]*$/.test(text.slice(0, colon))) return false;
  const rest = text.slice(colon + 1);
  if (!rest.startsWith('//')) return rest !== '';
  const authority = rest.slice(2, endOfAuthority(rest));
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  const port = host.slice(host.startsWith('[') ? host.indexOf(']') + 1 : Math.max(host.indexOf(':'), 0));
  const isHost = host.startsWith('[') ? host.includes(']') : !/[<>"`{}|\\^[\]]/.test(host);
  return isHost && (port === host || port === '' || /^:[0-9]*$/.test(port));
}

function endOfAuthority(rest: string): number {
  const end = rest.slice(2).search(/[/?#]/);
  return end < 0 ? rest.length : end + 2;
}

const hasWholeEscapes = (text: string): boolean => {
  const [path = ''] = text.split('?', 1);
  return path
    .split('%')
    .slice(1)
    .every((part) => /^[0-9A-Fa-f]{2}/.test(part));
};

/** Units that stand for themselves, and those that also begin longer words. */
const UNITS: ReadonlySet<string> = new Set(['ns', 'us', '\u00b5s', 'ms', 's', 'm', 'h', 'hr', 'd', 'w']);
const UNIT_STEMS = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];

/** A duration in Go's form (`1.5h30m`), or a text that contains an amount in words (`3 days`, `P1D`). */
export function isDuration(text: string): boolean {
  if (text === '0' || /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:[nu\u00b5\u03bc]s|ms?|s|h))+$/.test(text)) return true;
  let hasNumber = false;
  for (const word of text.match(/\d+|[A-Za-z\u00b5]+|\s+|[^\sA-Za-z\d\u00b5]+/g) ?? []) {
    if (/^\s/.test(word)) continue;
    if (hasNumber && isUnit(word.toLowerCase())) return true;
    hasNumber = /^\d/.test(word);
  }
  return false;
}

const isUnit = (word: string): boolean => UNITS.has(word) || UNIT_STEMS.some((stem) => word.startsWith(stem));
