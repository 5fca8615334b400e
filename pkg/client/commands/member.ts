import { ClientError } from '../error.js';
import { askAny } from '../http.js';
import { findMember, idText, listMembers, type Member } from '../peers.js';
import { table } from '../table.js';
import { type Command, show } from './command.js';

const list: Command = {
  name: 'member list',
  takes: '[--consistency l|s]',
  flags: [
    [
      'consistency',
      'l|s  Linearizable (l, the default), or serializable (s): as one server knows it, also without a leader',
    ],
  ],
  help: 'Lists the members of the cluster.',
  words: 0,
  run: async (context) => {
    const consistency = context.args.flags.get('consistency') ?? 'l';
    if (consistency !== 'l' && consistency !== 's') throw new ClientError('--consistency must be l or s');
    const members = await listMembers(context.access(), consistency === 'l');
    const rows = members.map((m) => [idText(m.id), m.name, m.peerUrls.join(','), m.learner ? 'learner' : 'voter']);
    return show(context, members.map(shown), () => table(['ID', 'NAME', 'PEER URLS', 'KIND'], rows));
  },
};

const add: Command = {
  name: 'member add',
  takes: 'NAME --peer-urls URL,... [--learner]',
  flags: [
    ['peer-urls', 'URL,...  Where other peers reach it, such as https://10.0.0.4:2380'],
    ['learner', 'Keep it a learner until it is promoted with `member promote`'],
  ],
  help: 'Adds a learner. It becomes a voter when it has caught up, except with --learner.',
  words: 1,
  run: async (context, [name = '']) => {
    const peerUrls = (context.args.flags.get('peer-urls') ?? '').split(',').filter((url) => url !== '');
    if (peerUrls.length === 0) throw new ClientError('member add needs --peer-urls');
    const staysLearner = context.args.flags.get('learner') === 'true';
    const access = context.access();
    const body = { name, peerUrls, staysLearner };
    const member = (await askAny(access, { method: 'POST', path: '/peer/v1/members', body })) as Member;
    const others = context.json ? [] : (await listMembers(access)).filter((m) => m.id !== member.id && m.name !== '');
    const cluster = [...others, { ...member, name }].map((m) => `${m.name}=${m.peerUrls[0]}`).join(',');
    return show(
      context,
      shown(member),
      () =>
        `member ${idText(member.id)} added. The folder of the cluster's keys gets those of the member, and its data folder, from\n` +
        `  triremectl certs --dir FOLDER --initial-cluster=${cluster}\n` +
        `with --servers as at first. Start it with that --data-dir and\n` +
        `  --name=${name} --initial-cluster-state=existing --initial-cluster=${cluster} --listen-peer-urls=${peerUrls.join(',')}\n`,
    );
  },
};

const update: Command = {
  name: 'member update',
  takes: 'ID|NAME --peer-urls URL,...',
  help: 'Replaces the URLs at which other peers reach a member. Do this before its address changes.',
  flags: [['peer-urls', 'URL,...  Where other peers reach it, such as https://10.0.0.4:2380']],
  words: 1,
  run: async (context, [which = '']) => {
    const peerUrls = (context.args.flags.get('peer-urls') ?? '').split(',').filter((url) => url !== '');
    if (peerUrls.length === 0) throw new ClientError('member update needs --peer-urls');
    const access = context.access();
    const id = idText((await findMember(access, which)).id);
    const path = `/peer/v1/members/${id}`;
    const member = (await askAny(access, { method: 'PUT', path, body: { peerUrls } })) as Member;
    return show(context, shown(member), () => `member ${id} is reached at ${member.peerUrls.join(',')}\n`);
  },
};

/** A command on one member: its request below the path of the member, and the message on success. */
function onMember(
  about: Pick<Command, 'name' | 'help'>,
  request: { readonly method: 'POST' | 'DELETE'; readonly below: string },
  said: string,
): Command {
  return {
    ...about,
    takes: 'ID|NAME',
    words: 1,
    run: async (context, [which = '']) => {
      const access = context.access();
      const id = idText((await findMember(access, which)).id);
      await askAny(access, { method: request.method, path: `/peer/v1/members/${id}${request.below}` });
      return show(context, { id, done: true }, () => `member ${id} ${said}\n`);
    },
  };
}

const promote = onMember(
  { name: 'member promote', help: 'Makes a learner a voter.' },
  { method: 'POST', below: '/promote' },
  'is a voter',
);

const remove = onMember(
  { name: 'member remove', help: 'Removes a member for good; its data directory cannot be used again.' },
  { method: 'DELETE', below: '' },
  'removed',
);

function shown(member: Member): object {
  return { ...member, id: idText(member.id) };
}

export const memberCommands: readonly Command[] = [list, add, update, promote, remove];
