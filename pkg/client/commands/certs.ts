import { shellWord } from '../../base/index.js';
import { pairsOf } from '../arguments.js';
import { ClientError } from '../error.js';
import { type Command, show } from './command.js';

export const certs: Command = {
  name: 'certs',
  takes: '--dir FOLDER --initial-cluster NAME=URL,... [--servers NAME=URL,...]',
  help: 'Creates authorities, a data folder with keys for each peer, and one kubeconfig.',
  flags: [
    [
      'dir',
      'FOLDER Where to create the folders; existing files are kept, and peer certificates that expire soon are renewed',
    ],
    ['initial-cluster', 'NAME=URL,...  The peers and where other peers reach them'],
    ['servers', 'NAME=URL,...  Where clients reach them. Default: port 6443 of the same hosts'],
  ],
  words: 0,
  run: async (context) => {
    const { flags } = context.args;
    const dir = flags.get('dir');
    const cluster = pairsOf('initial-cluster', flags.get('initial-cluster') ?? '');
    if (dir === undefined || cluster.length === 0) throw new ClientError('certs needs --dir and --initial-cluster');
    const servers = new Map(pairsOf('servers', flags.get('servers') ?? ''));
    const stranger = [...servers.keys()].find((name) => !cluster.some(([peer]) => peer === name));
    if (stranger !== undefined) throw new ClientError(`--servers: ${stranger} is not in --initial-cluster`);
    const peers = cluster.map(([name, peerUrl]) => {
      if (!/^[\w.-]+$/.test(name) || ['authority', '.', '..'].includes(name))
        throw new ClientError(`${JSON.stringify(name)} cannot be the name of a folder`);
      if (!URL.canParse(peerUrl)) throw new ClientError(`--initial-cluster: ${peerUrl} is not a URL`);
      const serverUrl = servers.get(name) ?? `https://${new URL(peerUrl).hostname}:6443`;
      if (!/^https:\/\/[^/?#@\s]+\/?$/.test(serverUrl) || !URL.canParse(serverUrl))
        throw new ClientError(`--servers: ${serverUrl} must be like https://127.0.0.1:6443`);
      return { name, serverUrl, peerUrl };
    });
    const made = await context.offline.makeFolders(dir, peers);
    const folders = made.dataDirs.map((d) => `--data-dir=${d}\n`).join('');
    return show(context, made, () => `${folders}export KUBECONFIG=${shellWord(made.kubeconfig)}\n`);
  },
};
