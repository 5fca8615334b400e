import { type Configuration, decodeConfigEntry, type Entry } from '../../../raft/index.js';

/** Returns the configuration in force after `entries`, which follow a base with the configuration `base`. */
export function latestConfiguration(base: Configuration, entries: readonly Entry[]): Configuration {
  const last = entries.findLast(({ kind }) => kind === 'config');
  return last === undefined ? base : decodeConfigEntry(last).config;
}
