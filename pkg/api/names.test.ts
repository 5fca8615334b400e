import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isCanonicalIp,
  isCidr,
  isConfigMapKey,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isIp,
  isLabelValue,
  isPortName,
  isQualifiedName,
  pathSegmentName,
  subdomainName,
} from './index.js';

describe('names', () => {
  it('accepts well-formed names', () => {
    for (const n of ['a', 'a-b', '0', 'a'.repeat(63)]) expect(isDns1123Label(n)).toEqual([]);
    for (const n of ['a.b', 'a', `${'a'.repeat(100)}.b`]) expect(isDns1123Subdomain(n)).toEqual([]);
    for (const n of ['a', 'A_b.c', 'x.y/Z', 'kubernetes.io/metadata.name']) expect(isQualifiedName(n)).toEqual([]);
    for (const n of ['', 'a', 'A.b_c-d']) expect(isLabelValue(n)).toEqual([]);
    for (const n of ['.x', 'a', '_', 'A.b']) expect(isConfigMapKey(n)).toEqual([]);
    expect(isPortName('http-2')).toEqual([]);
    expect(isDns1035Label('a-1')).toEqual([]);
    expect(pathSegmentName('system:x y', false)).toEqual([]);
    expect(subdomainName('abc-', true)).toEqual([]);
  });

  it('reports errors with the texts of kube-apiserver', () => {
    expect(isDns1123Label('A')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
    expect(isDns1123Label('a'.repeat(64))).toEqual(['must be no more than 63 characters']);
    expect(isQualifiedName('')[0]).toBe('name part must be non-empty');
    expect(isQualifiedName('/x')).toEqual(['prefix part must be non-empty']);
    expect(isQualifiedName('a/b/c')[0]).toMatch(
      /^a valid label key must consist .* \(e\.g\. 'example\.com\/MyName'\)$/,
    );
    expect(isLabelValue('x'.repeat(64))).toEqual(['must be no more than 63 bytes']);
    expect(isConfigMapKey('..')).toEqual(["must not be '..'"]);
    expect(isPortName('1')).toEqual(['must contain at least one letter (a-z)']);
    expect(subdomainName('abc-', false)).toHaveLength(1);
    expect(pathSegmentName('a/b%', false)).toEqual(["may not contain '/'", "may not contain '%'"]);
  });

  it('takes linear time on hostile text', () => {
    const long = `${'a'.repeat(2_000_000)}!`;
    for (const rule of [isDns1123Label, isDns1123Subdomain, isQualifiedName, isLabelValue, isConfigMapKey])
      expect(rule(long)).toHaveLength(2);
  });
});

describe('addresses', () => {
  it('are parsed strictly', () => {
    for (const ok of ['10.0.0.1', '::', '2001:db8::1', '1:2:3:4:5:6:7:8', '64:ff9b::1.2.3.4'])
      expect(isIp(ok)).toEqual([]);
    for (const no of ['', '1.2.3', '256.1.1.1', ':::', '1::2::3', '1:2:3:4:5:6:7:8:9', '[::1]', ' 1.2.3.4', '::1%eth0'])
      expect(isIp(no)).toEqual(['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']);
    expect(isIp('192.0.02.10')).toEqual(['must not have leading 0s']);
    expect(isIp('::ffff:192.0.2.10')).toEqual(['must not be an IPv4-mapped IPv6 address']);
    expect(isCanonicalIp('2001:db8:0:0:0:0:0:10')).toEqual(['must be in canonical form ("2001:db8::10")']);
    expect(isCanonicalIp('2001:0:0:1::')).toEqual([]);
  });

  it('may be networks', () => {
    for (const ok of ['10.0.0.0/8', '0.0.0.0/0', '2001:db8::/64']) expect(isCidr(ok)).toEqual([]);
    expect(isCidr('10.0.0.1/8')).toEqual(['must not have bits set beyond the prefix length']);
    expect(isCidr('10.0.0.0/33')[0]).toMatch(/^must be a valid CIDR value/);
    expect(isCidr('010.0.0.0/8')).toEqual(['must not have leading 0s in IP or prefix length']);
  });
});

it('a qualified name without errors is one that the expressions of kube-apiserver match', () => {
  const name = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
  const prefix = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
  const part = fc.oneof(
    fc.stringMatching(/^[aZ9._/\u00e9-]{0,8}$/),
    fc.constantFrom('a'.repeat(63), 'a'.repeat(64), 'b'.repeat(254)),
  );
  const text = fc.oneof(
    part,
    fc.tuple(part, part).map((parts) => parts.join('/')),
  );
  fc.assert(
    fc.property(text, (v) => {
      const parts = v.split('/');
      const expected =
        name.test(parts.at(-1)!) &&
        parts.at(-1)!.length <= 63 &&
        (parts.length === 1 || (parts.length === 2 && prefix.test(parts[0]!) && parts[0]!.length <= 253));
      expect(isQualifiedName(v).length === 0).toBe(expected);
    }),
    { numRuns: 3000 },
  );
});
