import { describe, expect, it } from 'vitest';
import { withLinks } from './links.js';

const below = (url: string): string => (url.startsWith('/') ? `/proxy${url}` : url);

describe('the links of a page', () => {
  it.each([
    ['<a href="/x/y">l</a>', '<a href="/proxy/x/y">l</a>'],
    ["<A class=c HREF = '/x?a=1&amp;b=2' >l</A>", "<A class=c HREF = '/proxy/x?a=1&amp;b=2' >l</A>"],
    ['<a href=/x>l</a>', '<a href=/proxy/x>l</a>'],
    ['<img src="/i.png"/><img alt="/no" src="rel.png">', '<img src="/proxy/i.png"/><img alt="/no" src="rel.png">'],
    [
      '<form action="/f"><input formaction="/g" value="/h"></form>',
      '<form action="/proxy/f"><input formaction="/proxy/g" value="/h"></form>',
    ],
    [
      '<script src="/s.js">if (a < b) x = "<a href=\'/t\'>"</script>',
      '<script src="/proxy/s.js">if (a < b) x = "<a href=\'/t\'>"</script>',
    ],
    ['<style>a<b{}</style><link href="/c.css">', '<style>a<b{}</style><link href="/proxy/c.css">'],
    ['<!-- <a href="/x"> --><a href="/y">', '<!-- <a href="/x"> --><a href="/proxy/y">'],
    ['<div href="/x">1 < 2 && 3 > 2</div>', '<div href="/x">1 < 2 && 3 > 2</div>'],
    ['<a href="/\'x">', '<a href="/proxy/&#39;x">'],
  ])('%s becomes %s', (page, expected) => {
    expect(withLinks(page, below)).toBe(expected);
  });

  it.each(['<', '<a', '<a ', '<a href', '<a href=', '<a href="', '<!--', '<!-- <a', '<script>', '<a =', '</'])(
    'are not looked for beyond a page that ends with %s',
    (end) => {
      expect(withLinks(`<p>text</p>${end}`, below)).toBe(`<p>text</p>${end}`);
    },
  );

  it('leave a page without changes as it is, byte for byte', () => {
    const parts = ['<a href="x"', '>', '"', "'", '=', '<!--', '-->', '</script', '<script>', ' ', '/', 'b', '<b c=d'];
    let seed = 1;
    for (let round = 0; round < 500; round++) {
      let page = '';
      for (let i = 0; i < 30; i++) {
        seed = (seed * 48271) % 2147483647;
        page += parts[seed % parts.length];
      }
      expect(withLinks(page, (url) => url)).toBe(page);
    }
  });
});
