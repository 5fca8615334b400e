import { ClientError } from '../access.js';
import { pairsOf } from '../arguments.js';
import { type Command, show } from './command.js';

export const certs: Command = {
  name: 'certs',
  takes: '--dir FOLDER --initial-cluster NAME=URL,... [--servers NAME=URL,...]',
  help: 'Makes authorities, a data folder with keys for each peer, and a kubeconfig for all.',
  words: 0,
  run: async (context) => {
    const { flags } = context.args;
    const dir = flags.get('dir');
    const cluster = pairsOf('initial-cluster', flags.get('initial-cluster') ?? '');
    if (dir === undefined || cluster.length === 0) throw new ClientError('certs needs --dir and --initial-cluster');
    const servers = new Map(pairsOf('servers', flags.get('servers') ?? ''));
    const peers = cluster.map(([name, peerUrl]) => {
      if (!/^[\w.-]+$/.test(name) || name === 'authority')
        throw new ClientError(`${JSON.stringify(name)} is no name for a peer's folder`);
      if (!URL.canParse(peerUrl)) throw new ClientError(`--initial-cluster: ${peerUrl} is no URL`);
      return { name, serverUrl: servers.get(name) ?? `https://${new URL(peerUrl).hostname}:6443` };
    });
    const made = await context.offline.makeFolders(dir, peers);
    const folders = made.dataDirs.map((d) => `--data-dir=${d}\n`).join('');
    return show(context, made, () => `${folders}export KUBECONFIG=${made.kubeconfig}\n`);
  },
};
