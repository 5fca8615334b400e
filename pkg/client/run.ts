import { accessOf } from './access.js';
import { parseArguments } from './arguments.js';
import { certs } from './commands/certs.js';
import type { Command, Offline } from './commands/command.js';
import { controllers } from './commands/controllers.js';
import { kubeconfig } from './commands/kubeconfig.js';
import { moveLeader } from './commands/leader.js';
import { memberCommands } from './commands/member.js';
import { snapshotCommands } from './commands/snapshot.js';
import { status } from './commands/status.js';
import { ClientError } from './error.js';

const COMMANDS: readonly Command[] = [
  status,
  ...memberCommands,
  moveLeader,
  ...snapshotCommands,
  certs,
  kubeconfig,
  controllers,
];

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['kubeconfig', 'FILE  The servers and the user. Default: $KUBECONFIG, then ./.trireme/admin.kubeconfig'],
  ['endpoints', 'URL,... Servers to use, in this order. Default: all in the kubeconfig'],
  ['o', 'table|json  Output format'],
  ['peer-urls', ''],
  ['learner', ''],
  ['data-dir', ''],
  ['name', ''],
  ['initial-cluster', ''],
  ['initial-cluster-token', ''],
  ['key', ''],
  ['revision', ''],
  ['dir', ''],
  ['servers', ''],
  ['user', ''],
  ['groups', ''],
  ['service-account', ''],
  ['duration', ''],
  ['out', ''],
  ['version', ''],
  ['help', ''],
  ['h', ''],
]);

/** The environment of the program. */
export interface CtlDoor {
  readonly offline: Offline;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  print(text: string): void;
  complain(line: string): void;
}

/** Runs one command line. Resolves to the exit code: 0 for success, 1 for failure or an unhealthy cluster, 2 for wrong usage. */
export async function runCtl(line: readonly string[], door: CtlDoor): Promise<number> {
  try {
    const args = parseArguments(line, new Set(FLAGS.keys()));
    if (args.flags.has('version')) {
      door.print(`triremectl ${door.version}\n`);
      return 0;
    }
    const asksHelp = args.flags.has('help') || args.flags.has('h') || args.words[0] === 'help';
    const wanted = args.words[0] === 'help' ? args.words.slice(1) : args.words;
    const command = COMMANDS.find((c) => c.name.split(' ').every((word, i) => wanted[i] === word));
    if (asksHelp || args.words.length === 0) {
      door.print(helpOn(command, wanted));
      return asksHelp ? 0 : 2;
    }
    if (command === undefined) throw new ClientError(`unknown command ${args.words.join(' ')} (see --help)`);
    const words = args.words.slice(command.name.split(' ').length);
    const least = command.takes.startsWith('[') ? 0 : command.words;
    if (words.length < least || words.length > command.words)
      throw new ClientError(`usage: triremectl ${command.name} ${command.takes}`);
    const output = args.flags.get('o') ?? 'table';
    if (output !== 'table' && output !== 'json') throw new ClientError('-o must be table or json');
    return await command.run(
      {
        args,
        json: output === 'json',
        access: () => {
          const file = args.flags.get('kubeconfig');
          const access = accessOf({ file, env: door.env, fallback: './.trireme/admin.kubeconfig' });
          const endpoints = (args.flags.get('endpoints') ?? '').split(',').filter((e) => e !== '');
          const wrong = endpoints.find((e) => !/^https:\/\/[^/]+\/?$/.test(e));
          if (wrong !== undefined) throw new ClientError(`--endpoints: ${wrong} must be like https://127.0.0.1:6443`);
          return endpoints.length === 0 ? access : { ...access, endpoints };
        },
        print: (text) => door.print(text),
        offline: door.offline,
      },
      words,
    );
  } catch (error) {
    door.complain((error as Error).message);
    return 1;
  }
}

/** The help of one command, of the commands that begin with the same words, or of all. */
function helpOn(command: Command | undefined, words: readonly string[]): string {
  const group = COMMANDS.filter((c) => words.length > 0 && c.name.startsWith(`${words[0]} `));
  if (command === undefined) return help(group.length > 0 ? group : COMMANDS);
  const lines = [command.help, '', 'Usage:', `  triremectl ${`${command.name} ${command.takes}`.trim()}`];
  if (command.flags !== undefined) {
    lines.push('', 'Flags:');
    for (const [name, text] of command.flags) lines.push(`  --${name} ${text}`);
  }
  return `${[...lines, ...commonFlags()].join('\n')}\n`;
}

function commonFlags(): readonly string[] {
  const lines = ['', 'Flags of every command:'];
  for (const [name, text] of FLAGS) if (text !== '') lines.push(`  ${name.length === 1 ? '-' : '--'}${name} ${text}`);
  return lines;
}

function help(commands: readonly Command[]): string {
  const lines = ['triremectl administers the peers of a trireme cluster.', '', 'Usage: triremectl COMMAND [flags]', ''];
  for (const c of commands) lines.push(`  ${`${c.name} ${c.takes}`.trim()}`, `        ${c.help}`);
  return `${[...lines, ...commonFlags(), '', 'triremectl COMMAND --help shows the flags of a command.'].join('\n')}\n`;
}
