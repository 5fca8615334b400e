import { askAny } from '../http.js';
import { findMember, idText } from '../peers.js';
import { type Command, show } from './command.js';

export const moveLeader: Command = {
  name: 'move-leader',
  takes: '[ID|NAME]',
  help: 'Transfers leadership to a member; by default to the most up to date.',
  words: 1,
  run: async (context, [which]) => {
    const access = context.access();
    const body = which === undefined ? {} : { id: idText((await findMember(access, which)).id) };
    await askAny(access, { method: 'POST', path: '/peer/v1/leader', body });
    return show(context, { done: true }, () => 'leadership moved\n');
  },
};
