/**
 * The room table: which rooms each room may import (ARCHITECTURE.md). `tidy.test.ts` checks the tree against it. A room
 * may also import itself, npm packages and node's own modules, unless it is listed as pure.
 */
export interface Room {
  readonly path: string;
  readonly mayImport: readonly string[];
  /** No clock, socket, disk, random numbers, environment, and no package at all. */
  readonly pure?: boolean;
}

const everywhere = ['pkg/base', 'pkg/telemetry'];
const vocabulary = [...everywhere, 'pkg/api'];

const below = [...vocabulary, 'raft', 'pkg/storage', 'pkg/peer/common'];

/** The rooms inside `pkg/peer`, from the bottom up. The rest of the tree imports `pkg/peer` only. */
const peerRooms: readonly Room[] = [
  { path: 'pkg/peer/common', mayImport: everywhere },
  { path: 'pkg/peer/network', mayImport: [...below, 'proto'] },
  { path: 'pkg/peer/transport', mayImport: [...below, 'proto', 'pkg/peer/network'] },
  { path: 'pkg/peer/durability', mayImport: below },
  { path: 'pkg/peer/consensus', mayImport: [...below, 'pkg/peer/durability'] },
  { path: 'pkg/peer/apply', mayImport: below },
  { path: 'pkg/peer/requests', mayImport: [...below, 'pkg/peer/network', 'pkg/peer/durability', 'pkg/peer/apply'] },
  { path: 'pkg/peer/membership', mayImport: [...below, 'pkg/peer/network', 'pkg/peer/durability'] },
  {
    path: 'pkg/peer/snapshot',
    mayImport: [
      ...below,
      'proto',
      'pkg/peer/network',
      'pkg/peer/durability',
      'pkg/peer/consensus',
      'pkg/peer/apply',
      'pkg/peer/membership',
    ],
  },
  {
    path: 'pkg/peer/control',
    mayImport: [
      ...below,
      'pkg/peer/durability',
      'pkg/peer/consensus',
      'pkg/peer/apply',
      'pkg/peer/requests',
      'pkg/peer/membership',
      'pkg/peer/snapshot',
    ],
  },
  { path: 'pkg/peer/background', mayImport: below },
  {
    path: 'pkg/peer/compose',
    mayImport: [
      ...below,
      'pkg/peer/network',
      'pkg/peer/transport',
      'pkg/peer/durability',
      'pkg/peer/consensus',
      'pkg/peer/apply',
      'pkg/peer/requests',
      'pkg/peer/membership',
      'pkg/peer/snapshot',
      'pkg/peer/control',
      'pkg/peer/background',
    ],
  },
  {
    path: 'pkg/peer/thread',
    mayImport: [...below, 'pkg/peer/requests', 'pkg/peer/control', 'pkg/peer/compose'],
  },
  {
    path: 'pkg/peer',
    mayImport: [
      'pkg/peer/common',
      'pkg/peer/membership',
      'pkg/peer/snapshot',
      'pkg/peer/control',
      'pkg/peer/compose',
      'pkg/peer/thread',
    ],
  },
];

export const rooms: readonly Room[] = [
  { path: 'raft', mayImport: [], pure: true },
  { path: 'proto', mayImport: [] },
  { path: 'pkg/base', mayImport: [] },
  { path: 'pkg/telemetry', mayImport: ['pkg/base'] },
  { path: 'pkg/api', mayImport: everywhere },
  { path: 'pkg/storage', mayImport: vocabulary },
  ...peerRooms,
  { path: 'pkg/schema', mayImport: vocabulary },
  { path: 'pkg/codec', mayImport: [...vocabulary, 'proto', 'pkg/schema'] },
  { path: 'pkg/patch', mayImport: [...vocabulary, 'pkg/schema'] },
  { path: 'pkg/cel', mayImport: [...vocabulary, 'pkg/schema'] },
  { path: 'pkg/outbound', mayImport: [...vocabulary, 'proto', 'pkg/codec'] },
  { path: 'pkg/auth', mayImport: [...vocabulary, 'pkg/cel', 'pkg/outbound'] },
  {
    path: 'pkg/admission',
    mayImport: [...vocabulary, 'pkg/schema', 'pkg/codec', 'pkg/cel', 'pkg/patch', 'pkg/outbound'],
  },
  { path: 'pkg/fairness', mayImport: vocabulary },
  { path: 'pkg/cache', mayImport: [...vocabulary, 'pkg/storage', 'pkg/codec'] },
  {
    path: 'pkg/registry',
    mayImport: [
      ...vocabulary,
      'pkg/storage',
      'pkg/schema',
      'pkg/codec',
      'pkg/patch',
      'pkg/cel',
      'pkg/cache',
      'pkg/admission',
    ],
  },
  {
    path: 'pkg/http',
    mayImport: [
      ...vocabulary,
      'pkg/schema',
      'pkg/codec',
      'pkg/cache',
      'pkg/registry',
      'pkg/auth',
      'pkg/admission',
      'pkg/fairness',
      'pkg/outbound',
      'pkg/audit',
    ],
  },
  { path: 'pkg/client', mayImport: [...vocabulary, 'pkg/codec', 'proto', 'pkg/config', 'pkg/outbound'] },
  {
    path: 'pkg/controllers',
    mayImport: [
      ...vocabulary,
      'pkg/storage',
      'pkg/codec',
      'pkg/cache',
      'pkg/registry',
      'pkg/admission',
      'pkg/outbound',
    ],
  },
  { path: 'pkg/config', mayImport: [...vocabulary, 'pkg/codec'] },
  { path: 'pkg/audit', mayImport: [...vocabulary, 'pkg/config'] },
  { path: 'pkg/encryption', mayImport: [...vocabulary, 'proto', 'pkg/storage', 'pkg/config'] },
  {
    path: 'pkg/server',
    mayImport: [
      ...vocabulary,
      'pkg/storage',
      'pkg/peer',
      'pkg/schema',
      'pkg/codec',
      'pkg/cache',
      'pkg/registry',
      'pkg/auth',
      'pkg/fairness',
      'pkg/admission',
      'pkg/outbound',
      'pkg/http',
      'pkg/controllers',
      'pkg/config',
      'pkg/encryption',
      'pkg/audit',
    ],
  },
  { path: 'cmd', mayImport: [...vocabulary, 'pkg/server', 'pkg/client', 'pkg/config', 'pkg/peer'] },
];

/** Rooms that span the tree or are outside it: they may import anything. */
export const unbound: readonly string[] = ['test', 'scripts', 'examples'];

/** Rooms below the composition root: they get clock, random numbers, network and disk as parameters. */
export const worldless: readonly string[] = [
  'raft',
  'pkg/base',
  'pkg/api',
  'pkg/storage',
  'pkg/encryption',
  'pkg/audit',
  'pkg/peer',
  'pkg/schema',
  'pkg/codec',
  'pkg/patch',
  'pkg/cache',
  'pkg/registry',
  'pkg/controllers',
  'pkg/admission',
  'pkg/outbound',
  'pkg/auth',
  'pkg/fairness',
  'pkg/http',
];

/** Contract suites, models and simulated worlds for tests: not part of the program. */
export const testKit: readonly string[] = [
  'pkg/storage/contract.ts',
  'pkg/storage/contract/',
  'pkg/storage/model.ts',
  'pkg/storage/testworld.ts',
  'pkg/cache/testing.ts',
  'pkg/http/testing.ts',
  'pkg/registry/testing.ts',
];

/** Composition roots inside such rooms: functions cannot be passed to the entry point of a thread. */
export const worldMakers: readonly string[] = ['pkg/peer/thread/world.ts'];
