import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { World } from '../base/index.js';
import { ConfigError, configOf, parseCommandLine } from '../config/index.js';
import type { Keyspace, ReadIndexResult } from '../storage/index.js';
import { createLog } from '../telemetry/index.js';
import { openStore, outgoingFolder, untilCurrent } from './store.js';
import { systemWorld } from './world.js';

const log = createLog({ level: 'silent' });

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trireme-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function open(...args: readonly string[]) {
  const line = parseCommandLine([`--data-dir=${folder}`, ...args]);
  if (line.kind !== 'run') throw new Error('unreachable');
  return openStore(configOf(line.values), log, { world: systemWorld, fatal: () => {} });
}

describe('a peer of several', () => {
  it.each([
    [['--initial-cluster-state=existing'], /needs --initial-cluster with the members to join/],
    [
      ['--name=a', '--initial-cluster=a=https://h:1,b=https://i:1'],
      /peer-ca\.crt is missing: the peers need a common authority/,
    ],
    [
      ['--name=a', '--initial-cluster=a=https://h:1', '--initial-cluster-state=existing'],
      /peer-ca\.crt is missing: the peers need a common authority/,
    ],
    [
      [
        '--name=a',
        '--initial-cluster=a=https://h:1',
        '--peer-cert-file=x',
        '--peer-key-file=x',
        '--peer-trusted-ca-file=x',
      ],
      /^--peer-cert-file: open .*no such file or directory/,
    ],
  ])('is not started with %j', async (args, message) => {
    const error = await open(...args).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toMatch(message);
  });
});

describe('waiting until a peer is current', () => {
  const keyspace = (...answers: ReadIndexResult[]): Keyspace => {
    const readIndex = async (): Promise<ReadIndexResult> => answers.shift() ?? { kind: 'ok', revision: 1 as never };
    return { readIndex } as unknown as Keyspace;
  };
  const waits: number[] = [];
  const world: World = {
    ...systemWorld,
    timers: {
      ...systemWorld.timers,
      after(milliseconds, f) {
        waits.push(milliseconds);
        queueMicrotask(f);
        return () => {};
      },
    },
  };
  const no = (reason: 'noLeader' | 'stopping'): ReadIndexResult => ({
    kind: 'refused',
    reason,
    message: `it is ${reason}`,
  });

  it('lasts until there is a leader', async () => {
    waits.length = 0;
    await untilCurrent(keyspace(no('noLeader'), no('noLeader')), world, log);
    expect(waits.length).toBe(2);
  });

  it('ends when the store closes', async () => {
    await expect(untilCurrent(keyspace(no('noLeader'), no('stopping')), world, log)).rejects.toThrow('it is stopping');
  });
});

it('removes snapshots that a killed process left', () => {
  const outgoing = outgoingFolder(folder);
  writeFileSync(join(outgoing, 'snapshot-1'), 'x');
  expect(outgoingFolder(folder)).toBe(outgoing);
  expect(existsSync(join(outgoing, 'snapshot-1'))).toBe(false);
});
