import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { startApiServer, type TestApiServer, type TestApiServerOptions } from '../../pkg/server/index.js';
import { KubectlRunner, oldestAndNewest } from './kubectl.js';

const versions = oldestAndNewest();

/** The server, namespace and folder that the tests of one kubectl version share. */
export interface Bench {
  readonly server: TestApiServer;
  readonly k: KubectlRunner;
  readonly ns: string;
  /** Writes a file into the folder and returns its path. */
  file(name: string, text: string): string;
  /** Returns one value of an object: `value('deploy d', '{.spec.replicas}')`. */
  value(what: string, path: string): Promise<string>;
}

/** Runs the tests with the oldest and the newest kubectl of this machine. Only tests may call `bench()`. */
export function withKubectls(
  title: string,
  define: (bench: () => Bench) => void,
  options: TestApiServerOptions = {},
): void {
  if (versions.length === 0) console.warn(`${title}: skipped, no kubectl in the path`);
  if (versions.length === 1) console.warn(`${title}: one kubectl only, there is no other version beside it`);
  describe.skipIf(versions.length === 0).each(versions)(`${title}, kubectl $version`, (version) => {
    let bench: Bench | undefined;
    beforeAll(async () => {
      bench = await openBench(await startApiServer(options), (path) => new KubectlRunner(version, path));
    });
    afterAll(async () => {
      if (bench === undefined) return;
      bench.k.close();
      await bench.server.close();
    });
    define(() => bench!);
  });
}

async function openBench(server: TestApiServer, runner: (kubeconfig: string) => KubectlRunner): Promise<Bench> {
  const k = runner(server.kubeconfigPath);
  const ns = 'work';
  await k.ok(`create namespace ${ns}`);
  return {
    server,
    k,
    ns,
    file: (name, text) => {
      const path = join(k.home, name);
      writeFileSync(path, text);
      return path;
    },
    value: (what, path) => k.ok(['get', ...what.split(' '), '-n', ns, '-o', `jsonpath=${path}`]),
  };
}
