import type { Random } from '../sim/random.js';

/** The maximum size of an input. Larger inputs find nothing new, and excessive growth shows earlier. */
const INPUT_BYTES_MAX = 256 * 1024;
const NUMBERS = ['0', '-1', '1', '255', '65536', '2147483648', '9007199254740993', '-9223372036854775809', '1e309'];

export interface Material {
  /** For targets that need inputs below 256 KiB. */
  readonly inputBytesMax?: number;
  readonly seeds: readonly Buffer[];
  /** Tokens that are significant for the target, as latin1. */
  readonly words: readonly string[];
}

/** Returns one of the seeds with a few changes. */
export function mutated(material: Material, random: Random): Buffer {
  let input = random.pick(material.seeds);
  const changes = random.skewed(1, 12);
  const most = material.inputBytesMax ?? INPUT_BYTES_MAX;
  for (let i = 0; i < changes; i++) input = changed(input, material, random).subarray(0, most);
  // A copy, because a target may keep or modify its input.
  return Buffer.from(input);
}

function changed(input: Buffer, { seeds, words }: Material, random: Random): Buffer {
  const at = random.int(0, input.length);
  const to = Math.min(input.length, at + random.skewed(1, 64));
  const replace = (by: Buffer): Buffer => Buffer.concat([input.subarray(0, at), by, input.subarray(to)]);
  const insert = (what: Buffer): Buffer => Buffer.concat([input.subarray(0, at), what, input.subarray(at)]);
  switch (random.int(0, 10)) {
    case 0: {
      const copy = Buffer.from(input);
      if (at < copy.length) copy[at] = copy[at]! ^ (1 << random.int(0, 7));
      return copy;
    }
    case 1:
      return replace(Buffer.from([random.int(0, 255)]));
    case 2:
      return replace(Buffer.alloc(0));
    case 3:
      return input.subarray(0, at);
    case 4:
      return insert(input.subarray(at, to));
    case 5:
      return insert(Buffer.from(random.pick(words), 'latin1'));
    case 6:
      return replace(Buffer.from(random.pick(words), 'latin1'));
    case 7:
      return replace(Buffer.from(random.pick(NUMBERS)));
    case 8: {
      const other = random.pick(seeds);
      const from = random.int(0, other.length);
      return insert(other.subarray(from, from + random.skewed(1, 256)));
    }
    case 9:
      return insert(Buffer.from(Array.from({ length: random.skewed(1, 8) }, () => random.int(0, 255))));
    default: {
      // Repetition: depth and length.
      const what = random.chance(0.5) ? input.subarray(at, to) : Buffer.from(random.pick(words), 'latin1');
      const times = Math.floor(random.skewed(2, 64 * 1024) / Math.max(1, what.length)) + 1;
      return insert(Buffer.concat(Array.from({ length: times }, () => what)));
    }
  }
}
