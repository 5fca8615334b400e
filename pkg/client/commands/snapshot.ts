import { rename, rm } from 'node:fs/promises';
import { pairsOf } from '../arguments.js';
import { ClientError } from '../error.js';
import { anyOf, download } from '../http.js';
import { sizeText, table } from '../table.js';
import { type Command, type Context, show } from './command.js';

const save: Command = {
  name: 'snapshot save',
  takes: 'FILE',
  help: 'Saves the current state to a file, and verifies it.',
  words: 1,
  run: async (context, [file = '']) => {
    const access = context.access();
    const draft = `${file}.part`;
    try {
      await rm(draft, { force: true });
      await anyOf(access, (endpoint) => download(access, endpoint, '/peer/v1/snapshot', draft));
      await context.offline.snapshotStatus(draft);
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    return showStatus(context, file);
  },
};

const status: Command = {
  name: 'snapshot status',
  takes: 'FILE',
  help: 'Verifies a saved snapshot.',
  words: 1,
  run: (context, [file = '']) => showStatus(context, file),
};

async function showStatus(context: Context, file: string): Promise<number> {
  const s = await context.offline.snapshotStatus(file);
  const row = [file, String(s.revision), String(s.rows), sizeText(s.bytes), s.hash];
  return show(context, { file, ...s }, () => table(['FILE', 'REVISION', 'ROWS', 'SIZE', 'HASH'], [row]));
}

const inspect: Command = {
  name: 'snapshot inspect',
  takes: 'FILE|DATA-DIR [--key KEY [--revision N]]',
  help: 'Shows the content of a saved snapshot or a data directory, without a server: keys and sizes by prefix, or one object.',
  flags: [
    ['key', 'KEY  Show this object, such as /registry/configmaps/default/settings'],
    ['revision', 'N Its value at this revision. Default: the newest'],
  ],
  words: 1,
  run: async (context, [path = '']) => {
    const { flags } = context.args;
    const [key, revision] = [flags.get('key'), flags.get('revision')];
    if (revision !== undefined && (key === undefined || !/^[0-9]{1,15}$/.test(revision)))
      throw new ClientError('--revision must be a number, and requires --key');
    if (key !== undefined) return showObject(context, path, key, revision === undefined ? undefined : Number(revision));
    const { meta, keys, changes, prefixes, problems } = await context.offline.inspect(path);
    const rows = prefixes.map(({ prefix, keys: count, bytes }) => [prefix, String(count), sizeText(bytes)]);
    show(
      context,
      { revision: meta.applied, compacted: meta.compacted, keys, changes, prefixes, problems },
      () =>
        `revision ${meta.applied}, history from ${meta.compacted}, ${keys} keys, ${changes} changes\n` +
        table(['PREFIX', 'KEYS', 'SIZE'], rows) +
        problems.map((problem) => `damaged: ${problem}\n`).join(''),
    );
    return problems.length === 0 ? 0 : 1;
  },
};

/** Bytes of a value in which the name of its encryption provider and key ends. */
const ENCRYPTED_HEAD_BYTES = 512;

async function showObject(context: Context, path: string, key: string, revision: number | undefined): Promise<number> {
  const found = await context.offline.find(path, key, revision);
  if (found === undefined)
    throw new ClientError(`there is no key ${key}${revision === undefined ? '' : ` at ${revision}`}`);
  const { createRevision, modRevision } = found;
  const bytes = Buffer.from(found.value);
  const provider = /^k8s:enc:(?:[^:]*:){3}/.exec(bytes.toString('latin1', 0, ENCRYPTED_HEAD_BYTES))?.[0];
  if (provider !== undefined)
    return show(
      context,
      { key, createRevision, modRevision, encryptedBy: provider, valueBase64: bytes.toString('base64') },
      () =>
        `${key}, created at ${createRevision}, changed at ${modRevision}\n${bytes.length} bytes, encrypted by ${provider}\n`,
    );
  const value = bytes.toString();
  return show(
    context,
    { key, createRevision, modRevision, value },
    () => `${key}, created at ${createRevision}, changed at ${modRevision}\n${value}\n`,
  );
}

const restore: Command = {
  name: 'snapshot restore',
  takes: 'FILE --data-dir FOLDER [--name NAME --initial-cluster NAME=URL,... --initial-cluster-token TOKEN]',
  help: 'Creates a data directory of a new cluster from a snapshot; once for each peer, with the same flags.',
  flags: [
    ['data-dir', 'FOLDER The data directory to create'],
    ['name', 'NAME  The name of this peer. Default: default'],
    ['initial-cluster', 'NAME=URL,...  All peers of the new cluster. Default: this peer alone'],
    ['initial-cluster-token', 'TOKEN Distinguishes clusters that are restored from the same snapshot'],
  ],
  words: 1,
  run: async (context, [file = '']) => {
    const { flags } = context.args;
    const dataDir = flags.get('data-dir');
    if (dataDir === undefined) throw new ClientError('snapshot restore needs --data-dir');
    const initialCluster = pairsOf('initial-cluster', flags.get('initial-cluster') ?? '').map(([name, url]) => ({
      name,
      peerUrls: [url],
    }));
    const { clusterId, revision } = await context.offline.restore({
      file,
      dataDir,
      name: flags.get('name') ?? 'default',
      initialCluster,
      token: flags.get('initial-cluster-token'),
    });
    return show(
      context,
      { clusterId, revision, dataDir },
      () => `restored into ${dataDir}: cluster ${clusterId}, revisions above ${revision}\n`,
    );
  },
};

export const snapshotCommands: readonly Command[] = [save, status, inspect, restore];
