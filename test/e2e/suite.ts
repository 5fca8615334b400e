import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { startApiServer, type TestApiServer, type TestApiServerOptions } from '../../pkg/server/index.js';
import { KubectlRunner, oldestAndNewest } from './kubectl.js';

const versions = oldestAndNewest();

/** What the tests of one version of kubectl share: a server, a namespace and a folder of their own. */
export interface Bench {
  readonly server: TestApiServer;
  readonly k: KubectlRunner;
  readonly ns: string;
  /** Writes a file of this bench; its path. */
  file(name: string, text: string): string;
  /** One value of an object: `value('deploy d', '{.spec.replicas}')`. */
  value(what: string, path: string): Promise<string>;
}

/** Tries with the oldest and the newest kubectl of this machine. `bench()` may be called in tests only. */
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
