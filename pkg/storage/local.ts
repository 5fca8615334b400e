import type { World } from '../base/index.js';
import type { Keyspace } from './keyspace.js';
import { openModelKeyspace } from './model.js';

/** A keyspace in this process's memory and nowhere else: for tests and for the server as a library. */
export async function openMemoryKeyspace(world: World): Promise<Keyspace> {
  return openModelKeyspace(world);
}
