import { type Command, show } from './command.js';

export const controllers: Command = {
  name: 'controllers',
  takes: '',
  help: 'Prints the value of --controllers for a kube-controller-manager beside trireme: all that trireme does not run.',
  words: 0,
  run: async (context) => {
    const names = [...(await context.offline.controllers())].sort();
    return show(context, names, () => `${['*', ...names.map((name) => `-${name}`)].join(',')}\n`);
  },
};
