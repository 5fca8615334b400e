import { formatIp, parseCidr } from '../api/index.js';

/** The first usable address of each range, which the Service `kubernetes` gets: `10.96.0.0/12` -> `10.96.0.1`. */
export const serviceAddresses = (ranges: readonly string[]): readonly string[] =>
  ranges.map((range) => {
    const { address } = parseCidr(range)!;
    return formatIp({ ...address, value: address.value + 1n });
  });
