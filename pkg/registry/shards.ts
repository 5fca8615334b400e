import { SelectorError } from '../api/index.js';
import type { StoredObject } from '../cache/index.js';

/**
 * `shardSelector`: `shardRange(object.metadata.uid, '0x0', '0x8000000000000000') || ...`. An object is selected if the
 * 64-bit FNV-1a hash of the path's value lies in one of the ranges, lower bound inclusive, upper exclusive.
 */
export type ShardSelector = (o: Pick<StoredObject, 'namespace' | 'uid'>) => boolean;

interface Range {
  readonly path: 'uid' | 'namespace';
  readonly from: bigint;
  readonly to: bigint;
}

const TERM = /^shardRange\(\s*(object\.[A-Za-z.]+)\s*,\s*'(0x[0-9a-fA-F]{1,17})'\s*,\s*'(0x[0-9a-fA-F]{1,17})'\s*\)$/;
const END = 2n ** 64n;
const TERMS_MAX = 64;

export function parseShardSelector(text: string): ShardSelector {
  const terms = text.split('||').map((t) => t.trim());
  if (terms.length > TERMS_MAX) throw new SelectorError(`invalid shard selector: more than ${TERMS_MAX} ranges`);
  const ranges = terms.map(parseTerm);
  return (o) => ranges.some((r) => contains(r, hash(r.path === 'namespace' ? o.namespace : o.uid())));
}

function parseTerm(term: string): Range {
  const m = TERM.exec(term);
  if (m === null)
    throw new SelectorError(
      `invalid shard selector: ${JSON.stringify(term)} is not of the form shardRange(<path>, '<hexStart>', '<hexEnd>')`,
    );
  const path = m[1]!;
  if (path !== 'object.metadata.uid' && path !== 'object.metadata.namespace')
    throw new SelectorError(
      `invalid shard selector: path ${JSON.stringify(path)} is not one of "object.metadata.uid", "object.metadata.namespace"`,
    );
  const [from, to] = [BigInt(m[2]!), BigInt(m[3]!)];
  if (to > END || from >= to)
    throw new SelectorError(`invalid shard selector: range '${m[2]}' to '${m[3]}' is empty or beyond the hash space`);
  return { path: path === 'object.metadata.uid' ? 'uid' : 'namespace', from, to };
}

const contains = (r: Range, h: bigint): boolean => h >= r.from && h < r.to;

/** FNV-1a, 64 bits, over UTF-8. In 16-bit limbs: BigInt arithmetic per byte would be ten times slower. */
export function hash(text: string): bigint {
  let [a, b, c, d] = [0x2325, 0x8422, 0x9ce4, 0xcbf2];
  for (const byte of Buffer.from(text)) {
    a ^= byte;
    // x * 0x100000001b3 = x * 0x1b3 + (x << 40)
    const a1 = a * 0x1b3;
    const b1 = b * 0x1b3 + (a1 >>> 16);
    const c1 = c * 0x1b3 + (b1 >>> 16) + ((a << 8) & 0xffff);
    const d1 = d * 0x1b3 + (c1 >>> 16) + ((b << 8) & 0xffff) + (a >>> 8);
    [a, b, c, d] = [a1 & 0xffff, b1 & 0xffff, c1 & 0xffff, d1 & 0xffff];
  }
  return (BigInt(d) << 48n) | (BigInt(c) << 32n) | (BigInt(b) << 16n) | BigInt(a);
}
