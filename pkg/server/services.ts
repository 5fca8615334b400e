import { isIPv4 } from 'node:net';

/** The first usable address of each range: where the Service `kubernetes` is. `10.96.0.0/12` -> `10.96.0.1`. */
export function serviceAddresses(ranges: readonly string[]): readonly string[] {
  return ranges.map((range) => {
    const base = range.split('/')[0] ?? '';
    if (!isIPv4(base)) return base.endsWith('::') ? `${base}1` : base;
    const octets = base.split('.').map(Number);
    octets[3] = (octets[3] ?? 0) + 1;
    return octets.join('.');
  });
}
