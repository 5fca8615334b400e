// Helm against trireme: install, upgrade, a failed upgrade that rolls back, rollback, test, uninstall of chart/. Jobs, Deployments and
// pods finish because this script writes their status, as kube-controller-manager and a kubelet would.
import { join } from 'node:path';
import { check, fileContexts } from '../checks.mjs';
import { capture, here, withServer } from '../lib.mjs';
import { finishWorkloads } from './workloads.mjs';

const CHART = join(here, 'helm', 'chart');
/** What `helm upgrade` needs to roll a failed upgrade back, by major version. */
const ROLL_BACK = { 3: '--atomic', 4: '--rollback-on-failure' };

/** Runs the steps with one program of Helm. Resolves to the exit code. */
export async function helm(program, major) {
  return withServer(async (kubeconfig, folder) => {
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder, HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
    const { core, apps, custom, extensions, watcher } = fileContexts(kubeconfig);
    const finishing = await finishWorkloads(watcher, 'store');
    const ok = async (line) => {
      const ran = await capture(program, line.split(' '), { env, cwd: folder });
      check(ran.code === 0, `helm ${line}: exit code ${ran.code}: ${ran.stderr}${ran.stdout}`);
      return ran.stdout;
    };
    const fails = async (line) => {
      const ran = await capture(program, line.split(' '), { env, cwd: folder });
      check(ran.code !== 0, `helm ${line} should fail`);
      return ran.stderr;
    };
    const settings = () => core.readNamespacedConfigMap({ namespace: 'store', name: 'shop-settings' });
    const replicas = async () => (await apps.readNamespacedDeployment({ namespace: 'store', name: 'shop' })).spec.replicas;
    const names = async () => (await core.listNamespacedConfigMap({ namespace: 'store' })).items.map((c) => c.metadata.name);
    const offer = () => custom.getNamespacedCustomObject({ group: 'shop.example', version: 'v1', namespace: 'store', plural: 'offers', name: 'shop' });
    try {
      await ok(`lint ${CHART}`);
      await ok(`install shop ${CHART} -n store --create-namespace --wait --timeout 120s`);
      const { data } = await settings();
      check(data.server === '37' && data.apps === 'true' && data.namespace === 'kube-system', `values of the server: ${JSON.stringify(data)}`);
      check((await offer()).spec.price === 2, 'the custom resource of the chart');
      check((await names()).includes('shop-after'), 'the hook after the installation');
      check(/STATUS: deployed/.test(await ok('status shop -n store')), 'the status is deployed');
      check(/shop is installed/.test(await ok('get notes shop -n store')), 'the notes');
      check(/kind: Offer/.test(await ok('get manifest shop -n store')), 'the manifest');

      await ok(`upgrade shop ${CHART} -n store --set replicas=3,extra=false --wait --timeout 120s`);
      check((await replicas()) === 3 && (await offer()).spec.price === 3, 'the upgrade changes objects');
      check(!(await names()).includes('shop-extra'), 'the upgrade deletes what the chart no longer has');
      check((await settings()).data.revision === '2', 'the revision of the upgrade');

      await ok(`upgrade shop ${CHART} -n store --set replicas=4 --dry-run=server`);
      check((await replicas()) === 3, 'a dry run changes nothing');
      const reason = await fails(`upgrade shop ${CHART} -n store --reuse-values --set label=-bad- --timeout 120s`);
      check(/metadata.labels/.test(reason), `an invalid label: ${reason}`);
      check(/STATUS: failed/.test(await ok('status shop -n store')), 'the status after a failed upgrade');
      await fails(`upgrade shop ${CHART} -n store --reuse-values --set label=-bad- ${ROLL_BACK[major]} --timeout 120s`);
      check(/STATUS: deployed/.test(await ok('status shop -n store')), 'the status after the automatic rollback');
      check((await settings()).metadata.labels.value === 'good' && (await replicas()) === 3, 'the state after the automatic rollback');

      await ok('rollback shop 1 -n store --wait --timeout 120s');
      check((await replicas()) === 2 && (await names()).includes('shop-extra'), 'the rollback restores objects');
      check(/Rollback to 1/.test(await ok('history shop -n store')), 'the history');
      check(/Phase: +Succeeded/.test(await ok('test shop -n store --timeout 120s')), 'the test of the chart');

      await ok('uninstall shop -n store --wait --timeout 120s');
      check(!/shop/.test(await ok(`list -n store -q${major === 3 ? ' -a' : ''}`)), 'no release is left');
      const left = (await core.listNamespacedSecret({ namespace: 'store' })).items.map((s) => s.metadata.name);
      check(left.length === 0, `secrets that are left: ${left.join(', ')}`);
      const definitions = await extensions.listCustomResourceDefinition();
      check(definitions.items.some((d) => d.metadata.name === 'offers.shop.example'), 'the definition stays');
    } finally {
      finishing.stop();
    }
    return 0;
  });
}
