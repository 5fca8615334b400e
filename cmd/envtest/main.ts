#!/usr/bin/env node
import { ConfigError, configOf, helpText, parseCommandLine } from '../../pkg/config/index.js';
import {
  envtestArguments,
  KUBERNETES_VERSION,
  PROGRAM_VERSION,
  runApiServer,
  startEtcdStandIn,
} from '../../pkg/server/index.js';

/** `main.js etcd FLAG...` or `main.js kube-apiserver FLAG...`: the programs of the envtest assets folder. */
async function main([program, ...args]: readonly string[]): Promise<void> {
  if (program === 'etcd') return etcd(args);
  if (program !== 'kube-apiserver') throw new ConfigError('the first argument must be etcd or kube-apiserver');
  if (args.some((arg) => /^--?(?:help|h|version)\b/.test(arg))) {
    const help = !args.some((arg) => /^--?version\b/.test(arg));
    return print(help ? helpText(program) : `Kubernetes ${KUBERNETES_VERSION} (trireme ${PROGRAM_VERSION})\n`);
  }
  const line = parseCommandLine(await envtestArguments(args));
  if (line.kind !== 'run') return;
  await runApiServer(configOf(line.values, line.warnings, line.given), {
    print: (text) => print(`${text}\n`),
    complain: (text) => process.stderr.write(`${program}: ${text}\n`),
    onSignal,
    exit: (code) => process.exit(code),
  });
}

async function etcd(args: readonly string[]): Promise<void> {
  if (args.some((arg) => /^--?(?:help|h)\b/.test(arg)))
    return print('etcd: the replacement of trireme for etcd in envtest. It takes the flags of etcd.\n');
  if (args.some((arg) => /^--?version\b/.test(arg)))
    return print(`etcd Version: 3.7.3 (replacement of trireme ${PROGRAM_VERSION})\n`);
  const standIn = await startEtcdStandIn(args);
  onSignal(() => standIn.close());
}

function onSignal(f: (signal: string) => void): void {
  process.on('SIGTERM', () => f('SIGTERM'));
  process.on('SIGINT', () => f('SIGINT'));
}

function print(text: string): void {
  process.stdout.write(text);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof ConfigError ? error.message : String((error as Error).stack ?? error)}\n`);
  process.exitCode = 2;
});
