import { formatCidr, maskIp, parseCidr } from '../api/index.js';

/** The ranges of cluster IPs and node ports. */

/** The smallest range: the cluster's own services must fit in. */
const ADDRESSES_MIN = 8;

/** Returns what is wrong with `--service-cluster-ip-range`, or undefined. */
export function serviceRangeProblem(text: string): string | undefined {
  const ranges = text.split(',').map(parseCidr);
  if (ranges.length > 2 || ranges.includes(undefined)) return 'must be one or two CIDR blocks, such as 10.96.0.0/12';
  const [first, second] = ranges;
  if (second !== undefined && second.address.family === first!.address.family)
    return 'two ranges must be of different IP families';
  const small = ranges.some((r) => 2 ** ((r!.address.family === 4 ? 32 : 128) - r!.prefixLength) < ADDRESSES_MIN);
  return small ? `must have at least ${ADDRESSES_MIN} addresses` : undefined;
}

/** The ranges as networks: `10.0.0.7/16` means `10.0.0.0/16`. */
export const serviceRanges = (text: string): readonly string[] =>
  text.split(',').map((part) => {
    const { address, prefixLength } = parseCidr(part)!;
    return formatCidr({ address: maskIp(address, prefixLength), prefixLength });
  });

/** `30000-32767`, `30000+2767` or one port; undefined for any other text. */
export function portRange(text: string): { readonly from: number; readonly to: number } | undefined {
  const m = /^(\d+)(?:([-+])(\d+))?$/.exec(text);
  if (m === null) return undefined;
  const from = Number(m[1]);
  const to = m[3] === undefined ? from : m[2] === '-' ? Number(m[3]) : from + Number(m[3]);
  return from > 0 && from <= to && to <= 65535 ? { from, to } : undefined;
}
