import { ClientError } from '../access.js';
import { askAny } from '../http.js';
import { findMember, idText, listMembers, type Member } from '../peers.js';
import { table } from '../table.js';
import { type Command, printJson } from './command.js';

const list: Command = {
  name: 'member list',
  takes: '',
  help: 'Who belongs to the cluster.',
  words: 0,
  run: async (context) => {
    const members = await listMembers(context.access());
    if (context.json) printJson(context, members.map(shown));
    else
      context.print(
        table(
          ['ID', 'NAME', 'PEER URLS', 'KIND'],
          members.map((m) => [idText(m.id), m.name, m.peerUrls.join(','), m.learner ? 'learner' : 'voter']),
        ),
      );
    return 0;
  },
};

const add: Command = {
  name: 'member add',
  takes: 'NAME --peer-urls URL,... [--learner]',
  help: 'Adds a learner; it becomes a voter by itself once it has caught up, unless --learner is given.',
  words: 1,
  run: async (context, [name = '']) => {
    const peerUrls = (context.args.flags.get('peer-urls') ?? '').split(',').filter((url) => url !== '');
    if (peerUrls.length === 0) throw new ClientError('member add needs --peer-urls');
    const staysLearner = context.args.flags.get('learner') === 'true';
    const access = context.access();
    const body = { name, peerUrls, staysLearner };
    const member = (await askAny(access, { method: 'POST', path: '/peer/v1/members', body })) as Member;
    if (context.json) {
      printJson(context, shown(member));
      return 0;
    }
    const others = (await listMembers(access)).filter((m) => m.id !== member.id && m.name !== '');
    const cluster = [...others, { ...member, name }].map((m) => `${m.name}=${m.peerUrls[0]}`).join(',');
    context.print(
      `member ${idText(member.id)} added; start it with its own --data-dir and\n` +
        `  --name=${name} --initial-cluster-state=existing --initial-cluster=${cluster} --listen-peer-urls=${peerUrls.join(',')}\n`,
    );
    return 0;
  },
};

const promote: Command = {
  name: 'member promote',
  takes: 'ID|NAME',
  help: 'Makes a learner a voter now.',
  words: 1,
  run: async (context, [which = '']) => {
    const access = context.access();
    const { id } = await findMember(access, which);
    await askAny(access, { method: 'POST', path: `/peer/v1/members/${idText(id)}/promote` });
    context.print(`member ${idText(id)} is a voter\n`);
    return 0;
  },
};

const remove: Command = {
  name: 'member remove',
  takes: 'ID|NAME',
  help: 'Removes a member for good; its data folder can not come back.',
  words: 1,
  run: async (context, [which = '']) => {
    const access = context.access();
    const { id } = await findMember(access, which);
    await askAny(access, { method: 'DELETE', path: `/peer/v1/members/${idText(id)}` });
    context.print(`member ${idText(id)} removed\n`);
    return 0;
  },
};

function shown(member: Member): object {
  return { ...member, id: idText(member.id) };
}

export const memberCommands: readonly Command[] = [list, add, promote, remove];
