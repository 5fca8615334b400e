import { accessOf, ClientError } from './access.js';
import { parseArguments } from './arguments.js';
import { certs } from './commands/certs.js';
import type { Command, Offline } from './commands/command.js';
import { moveLeader } from './commands/leader.js';
import { memberCommands } from './commands/member.js';
import { snapshotCommands } from './commands/snapshot.js';
import { status } from './commands/status.js';

const COMMANDS: readonly Command[] = [status, ...memberCommands, moveLeader, ...snapshotCommands, certs];

const FLAGS: ReadonlyMap<string, string> = new Map([
  ['kubeconfig', 'FILE  Whom to speak to, and as whom. Default: $KUBECONFIG, then ./.trireme/admin.kubeconfig'],
  ['endpoints', 'URL,...  Servers to speak to. Default: every one in the kubeconfig'],
  ['o', 'table|json  How to show what is found'],
  ['peer-urls', ''],
  ['learner', ''],
  ['data-dir', ''],
  ['name', ''],
  ['initial-cluster', ''],
  ['initial-cluster-token', ''],
  ['dir', ''],
  ['servers', ''],
  ['version', ''],
  ['help', ''],
  ['h', ''],
]);

/** What the program stands on. */
export interface CtlDoor {
  readonly offline: Offline;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  print(text: string): void;
  complain(line: string): void;
}

/** Runs one command line. Resolves to the exit code: 0 done, 1 not done or not healthy. */
export async function runCtl(line: readonly string[], door: CtlDoor): Promise<number> {
  try {
    const args = parseArguments(line, new Set(FLAGS.keys()));
    if (args.flags.has('version')) {
      door.print(`triremectl ${door.version}\n`);
      return 0;
    }
    if (args.flags.has('help') || args.flags.has('h') || args.words.length === 0 || args.words[0] === 'help') {
      door.print(help());
      return args.words.length === 0 && !args.flags.has('help') && !args.flags.has('h') ? 2 : 0;
    }
    const command = COMMANDS.find((c) => c.name.split(' ').every((word, i) => args.words[i] === word));
    if (command === undefined) throw new ClientError(`there is no command ${args.words.join(' ')} (see --help)`);
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
          const file = args.flags.get('kubeconfig') ?? door.env['KUBECONFIG'] ?? './.trireme/admin.kubeconfig';
          const access = accessOf(file);
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

function help(): string {
  const lines = [
    'triremectl: looks after the peers of a trireme cluster.',
    '',
    'Usage: triremectl COMMAND [flags]',
    '',
  ];
  for (const c of COMMANDS) lines.push(`  ${`${c.name} ${c.takes}`.trim()}`, `        ${c.help}`);
  lines.push('', 'Flags of every command:');
  for (const [name, text] of FLAGS) if (text !== '') lines.push(`  ${name.length === 1 ? '-' : '--'}${name} ${text}`);
  return `${lines.join('\n')}\n`;
}
