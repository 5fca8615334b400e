import { expect, it } from 'vitest';
import { withKubectls } from './suite.js';

const APPLY_SETS = { KUBECTL_APPLYSET: 'true' };

const configMap = (name: string, data: string, labels = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, labels: {${labels}}}\ndata: {k: "${data}"}\n`;

const deployment = (name: string, replicas: number): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: c, image: "i:1"}]}
`;

const documents = (...texts: readonly string[]): string => texts.join('---\n');

withKubectls('apply', (bench) => {
  const apply = (flags: string, manifest: string): Promise<string> =>
    bench().k.ok([...`apply -n ${bench().ns} -f -`.split(' '), ...flags.split(' ')], manifest, APPLY_SETS);
  const exists = async (what: string): Promise<boolean> =>
    (await bench().k.run(['get', ...what.split(' '), '-n', bench().ns])).code === 0;

  it.each([
    ['secrets', '', 'one'],
    ['configmaps', '', 'two'],
    ['secrets', ' --server-side', 'three'],
    ['configmaps', ' --server-side', 'four'],
  ])('prunes objects removed from an apply set of %s%s', async (parent, flags, name) => {
    const set = `--prune --applyset=${parent}/${name}${flags}`;
    await apply(set, documents(configMap(`${name}-a`, '1'), configMap(`${name}-b`, '1'), deployment(`${name}-c`, 1)));
    const id = await bench().value(`${parent} ${name}`, '{.metadata.labels.applyset\\.kubernetes\\.io/id}');
    expect(id).toMatch(/^applyset-.+-v1$/);
    expect(await bench().k.ok(`get cm,deploy -n ${bench().ns} -l applyset.kubernetes.io/part-of=${id} -o name`)).toBe(
      `configmap/${name}-a\nconfigmap/${name}-b\ndeployment.apps/${name}-c\n`,
    );
    const pruned = (await apply(set, configMap(`${name}-b`, '2')))
      .split('\n')
      .filter((line) => line.endsWith(' pruned'));
    expect(pruned.sort()).toEqual([`configmap/${name}-a pruned`, `deployment.apps/${name}-c pruned`]);
    expect([await exists(`cm ${name}-a`), await exists(`cm ${name}-b`), await exists(`deploy ${name}-c`)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(await bench().value(`cm ${name}-b`, '{.data.k}')).toBe('2');
  });

  it('does not change an object that is not the parent of an ApplySet', async () => {
    const { k, ns } = bench();
    await k.ok(`create configmap plain -n ${ns}`);
    const ran = await k.run(
      `apply -n ${ns} -f - --prune --applyset=configmaps/plain`.split(' '),
      configMap('x', '1'),
      APPLY_SETS,
    );
    expect([ran.code, ran.err]).toEqual([1, expect.stringContaining('missing required annotation')]);
    expect(await exists('cm x')).toBe(false);
  });

  it('prunes by label and kind', async () => {
    await apply('-l g=1', documents(configMap('p1', '1', 'g: "1"'), configMap('p2', '1', 'g: "1"')));
    await apply('-l g=2', configMap('p3', '1', 'g: "2"'));
    const again = await apply('--prune -l g=1 --prune-allowlist=core/v1/ConfigMap', configMap('p1', '1', 'g: "1"'));
    expect(again).toBe('configmap/p1 unchanged\nconfigmap/p2 pruned\n');
    expect(await exists('cm p3')).toBe(true);
    // Without a list of kinds kubectl requests every kind that it knows.
    expect(await apply('--prune -l g=2', configMap('p4', '1', 'g: "2"'))).toBe(
      'configmap/p4 created\nconfigmap/p3 pruned\n',
    );
  });

  it('reports every field and manager of a conflict, and takes ownership with --force-conflicts', async () => {
    const { k, ns, value } = bench();
    const asManager = (manager: string): string => `--server-side --field-manager=${manager}`;
    await apply(asManager('first'), deployment('web', 1));
    const { code, err } = await k.run(
      [...`apply -n ${ns} -f - ${asManager('second')}`.split(' ')],
      deployment('web', 2).replace('i:1', 'i:2'),
    );
    expect(code).toBe(1);
    expect(err).toContain('Apply failed with 2 conflicts: conflicts with "first"');
    expect(err).toContain('.spec.replicas');
    expect(err).toContain('.spec.template.spec.containers[name="c"].image');
    await apply(`${asManager('second')} --force-conflicts`, deployment('web', 2).replace('i:1', 'i:2'));
    expect(await value('deploy web', '{.spec.replicas}')).toBe('2');
    // Managers that apply equal values share ownership. The field stays until the last one removes it.
    await apply(asManager('first'), deployment('web', 2).replace('i:1', 'i:2'));
    await apply(asManager('second'), deployment('web', 2).replace('  replicas: 2\n', '').replace('i:1', 'i:2'));
    expect(await value('deploy web', '{.spec.replicas}')).toBe('2');
    await apply(asManager('first'), deployment('web', 2).replace('  replicas: 2\n', '').replace('i:1', 'i:2'));
    expect(await value('deploy web', '{.spec.replicas}')).toBe('1');
  });

  it('moves from client-side to server-side apply without a conflict', async () => {
    await apply('--server-side=false', configMap('moved', '1'));
    expect(await apply('--server-side', configMap('moved', '2'))).toContain('serverside-applied');
    expect(await bench().value('cm moved', '{.data.k}')).toBe('2');
    await apply('--server-side', configMap('moved', '2').replace('data: {k: "2"}', 'data: {}'));
    expect(await bench().value('cm moved', '{.data}')).toBe('');
  });

  it('diffs on either side: 0 for no difference, 1 for one, more for an error', async () => {
    const { k, ns } = bench();
    await apply('--server-side --field-manager=kubectl', configMap('d', '1'));
    for (const flags of ['', ' --server-side', ' --server-side --force-conflicts']) {
      const diff = (manifest: string) => k.run(`diff -n ${ns} -f -${flags}`.split(' '), manifest);
      const same = await diff(configMap('d', '1'));
      // With client-side apply, kubectl would add its last-applied annotation.
      if (flags !== '') expect([same.code, same.out]).toEqual([0, '']);
      const other = await diff(configMap('d', '2'));
      expect([other.code, other.out]).toEqual([1, expect.stringMatching(/^-\s+k: "1"\n\+\s+k: "2"$/m)]);
      const fresh = await diff(configMap('nowhere', '2'));
      expect([fresh.code, fresh.out]).toEqual([1, expect.stringContaining('+  name: nowhere')]);
      expect((await diff(configMap('Bad_Name', '2'))).code).toBeGreaterThan(1);
    }
    expect(await bench().value('cm d', '{.data.k}')).toBe('1');
  });

  it('reports unknown fields in a manifest, and applies the rest with --validate=warn', async () => {
    const { k, ns } = bench();
    const odd = `${configMap('odd', '1')}dta: {x: y}\n`;
    expect(await k.fails(`apply -n ${ns} -f -`, odd)).toContain('unknown field "dta"');
    const warned = await k.run(`apply -n ${ns} -f - --validate=warn`.split(' '), odd);
    expect([warned.code, warned.err]).toEqual([0, expect.stringContaining('Warning: unknown field "dta"')]);
    expect(await k.ok(`apply -n ${ns} -f - --validate=ignore`, odd)).toBe('configmap/odd configured\n');
  });
});
