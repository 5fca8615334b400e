#!/usr/bin/env node
import { ConfigError, configOf, helpText, parseCommandLine } from '../../pkg/config/index.js';
import { KUBERNETES_VERSION, PROGRAM_VERSION, runApiServer } from '../../pkg/server/index.js';

const PROGRAM = 'trireme-apiserver';

async function main(args: readonly string[]): Promise<void> {
  const line = parseCommandLine(args);
  switch (line.kind) {
    case 'help':
      process.stdout.write(helpText(PROGRAM));
      return;
    case 'version':
      process.stdout.write(`Kubernetes ${KUBERNETES_VERSION} (${PROGRAM} ${PROGRAM_VERSION})\n`);
      return;
    case 'run':
      await runApiServer(configOf(line.values, line.warnings, line.given), {
        print: (text) => process.stdout.write(`${text}\n`),
        complain: (text) => process.stderr.write(`${PROGRAM}: ${text}\n`),
        onSignal: (f) => {
          process.on('SIGTERM', () => f('SIGTERM'));
          process.on('SIGINT', () => f('SIGINT'));
        },
        exit: (code) => process.exit(code),
      });
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  if (!(error instanceof ConfigError)) throw error;
  process.stderr.write(`${PROGRAM}: ${error.message}\n`);
  process.exitCode = 2;
});
