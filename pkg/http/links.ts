/**
 * Links in the pages of a proxied server. A page names paths of its server; below a proxy they begin with the path of the proxy. As in
 * kube-apiserver only the attributes of HTML that are URLs are changed, not those in scripts and styles.
 */

/** The attributes that are URLs, by element. */
const LINKS: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** Elements whose content is text up to their end tag. */
const TEXTS: ReadonlySet<string> = new Set([
  'iframe',
  'noembed',
  'noframes',
  'noscript',
  'plaintext',
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
]);

const SPACE = /\s/;
const LETTER = /[a-z]/i;

/** Returns a page with its links changed by `change`. Linear in its length. */
export function withLinks(page: string, change: (url: string) => string): string {
  let out = '';
  let copied = 0;
  for (let at = page.indexOf('<'); at >= 0; at = page.indexOf('<', at)) {
    if (page.startsWith('<!--', at)) {
      const end = page.indexOf('-->', at + 4);
      if (end < 0) break;
      at = end + 3;
      continue;
    }
    if (!LETTER.test(page[at + 1] ?? '')) {
      at++;
      continue;
    }
    const tag = readTag(page, at);
    for (const { from, to } of tag.links) {
      out += page.slice(copied, from) + changed(page.slice(from, to), change);
      copied = to;
    }
    at = TEXTS.has(tag.name) ? endOfText(page, tag) : tag.end;
  }
  return out + page.slice(copied);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Tag {
  readonly name: string;
  /** The values of its links, without their quotes. */
  readonly links: readonly Span[];
  /** Where what follows the tag begins. */
  readonly end: number;
}

/** Reads the tag that begins at `at`. */
function readTag(page: string, at: number): Tag {
  let i = at + 1;
  const until = (stop: (c: string) => boolean): number => {
    while (i < page.length && !stop(page[i]!)) i++;
    return i;
  };
  const name = page
    .slice(
      i,
      until((c) => SPACE.test(c) || c === '/' || c === '>'),
    )
    .toLowerCase();
  const wanted = LINKS[name] ?? [];
  const links: Span[] = [];
  for (;;) {
    until((c) => !SPACE.test(c) && c !== '/');
    if (i >= page.length || page[i] === '>') break;
    const from = i;
    // A name has at least one character, so that the loop ends.
    i++;
    const attribute = page
      .slice(
        from,
        until((c) => SPACE.test(c) || c === '=' || c === '>' || c === '/'),
      )
      .toLowerCase();
    until((c) => !SPACE.test(c));
    if (page[i] !== '=') continue;
    i++;
    until((c) => !SPACE.test(c));
    const value = readValue(page, i);
    if (wanted.includes(attribute)) links.push(value.span);
    i = value.end;
  }
  return { name, links, end: Math.min(i + 1, page.length) };
}

function readValue(page: string, at: number): { readonly span: Span; readonly end: number } {
  const quote = page[at];
  if (quote === '"' || quote === "'") {
    const close = page.indexOf(quote, at + 1);
    const to = close < 0 ? page.length : close;
    return { span: { from: at + 1, to }, end: Math.min(to + 1, page.length) };
  }
  let to = at;
  while (to < page.length && !SPACE.test(page[to]!) && page[to] !== '>') to++;
  return { span: { from: at, to }, end: to };
}

/** Where the end tag of an element with text begins. */
function endOfText(page: string, { name, end }: Tag): number {
  const close = `</${name}`;
  for (let at = page.indexOf('</', end); at >= 0; at = page.indexOf('</', at + 2))
    if (page.slice(at, at + close.length).toLowerCase() === close) return at;
  return page.length;
}

/** The value of an attribute, in which `&` is written `&amp;`. */
function changed(value: string, change: (url: string) => string): string {
  const url = value.replaceAll('&amp;', '&');
  const next = change(url);
  return next === url ? value : next.replaceAll('&', '&amp;').replaceAll('"', '&#34;').replaceAll("'", '&#39;');
}
