import { rename, rm } from 'node:fs/promises';
import { ClientError } from '../access.js';
import { pairsOf } from '../arguments.js';
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

const restore: Command = {
  name: 'snapshot restore',
  takes: 'FILE --data-dir FOLDER [--name NAME --initial-cluster NAME=URL,... --initial-cluster-token TOKEN]',
  help: 'Makes a data directory of a new cluster from a snapshot; once for each peer, with the same flags.',
  flags: [
    ['data-dir', 'FOLDER  The data directory to make'],
    ['name', 'NAME  The name of this peer. Default: default'],
    ['initial-cluster', 'NAME=URL,...  All peers of the new cluster. Default: this peer alone'],
    ['initial-cluster-token', 'TOKEN  Tells clusters apart that are restored from the same snapshot'],
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

export const snapshotCommands: readonly Command[] = [save, status, restore];
