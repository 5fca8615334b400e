import { expect, it } from 'vitest';
import { withKubectls } from './suite.js';

/** Returns the requests that a command logs with -v=6, as `GET 200 /path?query`. */
function requests(err: string): readonly string[] {
  const old = [...err.matchAll(/ (GET|POST|PUT|PATCH|DELETE) https:\/\/[^/]+(\S+) (\d+) /g)].map(
    (m) => `${m[1]} ${m[3]} ${m[2]}`,
  );
  const structured = [...err.matchAll(/verb="(\w+)" url="https:\/\/[^/]+([^"]+)" status="(\d+) /g)].map(
    (m) => `${m[1]} ${m[3]} ${m[2]}`,
  );
  return [...old, ...structured];
}

withKubectls('commands', (bench) => {
  const ok = (command: string | readonly string[]): Promise<string> => {
    const args = typeof command === 'string' ? command.split(' ') : command;
    return bench().k.ok([...args, '-n', bench().ns]);
  };
  const fails = (command: string): Promise<string> => bench().k.fails([...command.split(' '), '-n', bench().ns]);

  it('get lists in chunks, and shows all objects', async () => {
    const { k, ns } = bench();
    for (let i = 0; i < 7; i++) await ok(`create configmap chunk-${i}`);
    await k.ok(['label', 'cm', '-n', ns, ...Array.from({ length: 7 }, (_, i) => `chunk-${i}`), 'chunk=yes']);
    const ran = await k.run(`get cm -n ${ns} -l chunk=yes --chunk-size=3 -o name -v=6`.split(' '));
    expect(ran.out).toBe(Array.from({ length: 7 }, (_, i) => `configmap/chunk-${i}\n`).join(''));
    const lists = requests(ran.err).filter((line) => line.includes('limit=3'));
    expect([lists.length, lists.filter((line) => line.includes('continue=')).length]).toEqual([3, 2]);
    const whole = await k.run(`get cm -n ${ns} -l chunk=yes --chunk-size=0 -o name -v=6`.split(' '));
    expect(requests(whole.err).filter((line) => line.includes('/configmaps?')).length).toBe(1);
    expect(whole.out).toBe(ran.out);
  });

  it('get -w shows existing objects and all following events, for a list and for one object', async () => {
    const { k, ns } = bench();
    await ok('create configmap seen');
    await ok('label cm seen step=1');
    const format = ['-L', 'step', '--output-watch-events'];
    const all = k.start(['get', 'cm', '-n', ns, '--field-selector=metadata.name=seen', '-w', ...format]);
    const one = k.start(['get', 'cm', 'seen', '-n', ns, '-w', ...format]);
    const only = k.start(['get', 'cm', '-n', ns, '--watch-only', '--output-watch-events']);
    try {
      await Promise.all([all.until(/ADDED.* 1\n/), one.until(/ADDED.* 1\n/)]);
      await ok('label cm seen step=2 --overwrite');
      await Promise.all([all.until(/MODIFIED.* 2\n/), one.until(/MODIFIED.* 2\n/)]);
      await ok('delete cm seen');
      for (const watching of [all, one])
        expect((await watching.until(/DELETED.* 2\n/)).match(/^\w+ +seen|\d+$/gm)?.map((w) => w.split(' ')[0])).toEqual(
          ['ADDED', '1', 'MODIFIED', '2', 'DELETED', '2'],
        );
      expect(await only.until(/DELETED +seen /)).not.toContain('chunk-0');
    } finally {
      await Promise.all([all.stop(), one.stop(), only.stop()]);
    }
  });

  it('explain reads OpenAPI v2 and v3', async () => {
    for (const output of ['plaintext', 'plaintext-openapiv2']) {
      const explain = (what: string): Promise<string> =>
        bench().k.ok([...`explain --output=${output}`.split(' '), ...what.split(' ')]);
      expect(await explain('deployment.spec.strategy.rollingUpdate')).toMatch(
        /FIELDS:\s+maxSurge\s+<IntOrString>|maxSurge\s+<string>/,
      );
      const tree = await explain('--recursive cronjob.spec');
      expect(tree).toMatch(/\n\s{6,}template\s+<PodTemplateSpec>|\n\s{6,}template\s+<Object>/);
      expect(await explain('hpa.spec --api-version=autoscaling/v1')).toContain('targetCPUUtilizationPercentage');
      expect(await bench().k.fails(['explain', `--output=${output}`, 'pods.spec.nothing'])).toContain(
        '"nothing" does not exist',
      );
    }
  });

  it('api-resources, api-versions and raw paths show the served resources', async () => {
    const { k } = bench();
    expect(await k.ok('api-resources --api-group=apps --verbs=list,get -o name')).toBe(
      ['controllerrevisions', 'daemonsets', 'deployments', 'replicasets', 'statefulsets']
        .map((r) => `${r}.apps\n`)
        .join(''),
    );
    expect(await k.ok('api-resources --categories=all -o name')).toContain('deployments.apps');
    expect(JSON.parse(await k.ok('get --raw /apis/apps/v1/namespaces/work/deployments'))).toMatchObject({
      kind: 'DeploymentList',
      items: [],
    });
    expect(await k.fails('get --raw /apis/nothing')).toContain('the server could not find the requested resource');
  });

  it('auth whoami and can-i report the user and its permissions', async () => {
    const { k } = bench();
    // 1.27 uses only alpha and beta versions, which are disabled by default.
    if (k.version === '1.27') expect(await k.fails('auth whoami')).toContain('selfsubjectreviews API is not enabled');
    else expect(await k.ok('auth whoami -o jsonpath={.status.userInfo.username}')).toBe('kubernetes-admin');
    expect(await k.ok('auth can-i delete nodes')).toBe('yes\n');
    expect((await k.run('auth can-i delete nodes --as=jane'.split(' '))).out).toBe('no\n');
    expect(await k.ok('auth can-i --list')).toMatch(/\*\.\*\s+\[\]\s+\[\]\s+\[\*\]/);
  });

  it('rollout status follows the status that a controller writes', async () => {
    const { k, ns } = bench();
    await ok('create deployment d --image=i:1 --replicas=2');
    const following = k.start(`rollout status deploy/d -n ${ns} --timeout=25s`.split(' '));
    const write = (status: object): Promise<string> =>
      ok([...'patch deploy d --subresource=status --type=merge -p'.split(' '), JSON.stringify({ status })]);
    try {
      await following.until(/Waiting for deployment/);
      await write({
        observedGeneration: 1,
        replicas: 2,
        updatedReplicas: 2,
        unavailableReplicas: 1,
        readyReplicas: 1,
        availableReplicas: 1,
      });
      await following.until(/1 of 2 updated replicas are available/);
      await write({ unavailableReplicas: null, readyReplicas: 2, availableReplicas: 2 });
      await following.until(/deployment "d" successfully rolled out/);
    } finally {
      await following.stop();
    }
    await write({ conditions: [{ type: 'Available', status: 'True' }] });
    expect(await ok('wait deploy/d --for=condition=Available --timeout=20s')).toContain('condition met');
    expect(await ok('wait deploy/d --for=jsonpath={.status.readyReplicas}=2 --timeout=20s')).toContain('condition met');
    expect(await fails('wait deploy/d --for=condition=Never --timeout=1s')).toContain('timed out');
    await ok('rollout pause deploy/d');
    expect(await bench().value('deploy d', '{.spec.paused}')).toBe('true');
    await ok('rollout resume deploy/d');
    await ok('rollout restart deploy/d');
    expect(await bench().value('deploy d', '{.spec.template.metadata.annotations}')).toContain('restartedAt');
  });

  it('scale checks preconditions; subresources are read and patched on their own', async () => {
    expect(await ok('scale deploy d --replicas=5 --current-replicas=2')).toContain('scaled');
    expect(await fails('scale deploy d --replicas=6 --current-replicas=2')).toContain(
      'Expected replicas to be 2, was 5',
    );
    expect(await ok('get deploy d --subresource=scale')).toMatch(/^NAME\s+DESIRED\s+AVAILABLE\s+AGE\nd\s+5\s+2\s/);
    expect(await ok('get deploy d --subresource=scale -o jsonpath={.kind}/{.spec.replicas}')).toBe('Scale/5');
    expect(await ok('get deploy d --subresource=status -o jsonpath={.status.readyReplicas}')).toBe('2');
    await ok(['patch', 'deploy', 'd', '--subresource=scale', '--type=merge', '-p', '{"spec":{"replicas":4}}']);
    // Fields outside the subresource do not change.
    await ok(['patch', 'deploy', 'd', '--subresource=status', '--type=merge', '-p', '{"spec":{"replicas":9}}']);
    expect(await bench().value('deploy d', '{.spec.replicas}')).toBe('4');
    expect(await fails('get cm chunk-0 --subresource=status')).toContain('NotFound');
  });

  it('patch accepts all patch types; label and annotate check the old values', async () => {
    const patch = (type: string, body: string): Promise<string> =>
      ok(['patch', 'deploy', 'd', `--type=${type}`, '-p', body]);
    await patch('strategic', '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s:1"}]}}}}');
    expect(await bench().value('deploy d', '{.spec.template.spec.containers[*].name}')).toBe('side i');
    await patch('strategic', '{"spec":{"template":{"spec":{"containers":[{"name":"side","$patch":"delete"}]}}}}');
    expect(await bench().value('deploy d', '{.spec.template.spec.containers[*].name}')).toBe('i');
    await patch('merge', '{"metadata":{"labels":{"m":"1"}},"spec":{"minReadySeconds":3}}');
    await patch(
      'json',
      '[{"op":"test","path":"/spec/minReadySeconds","value":3},{"op":"remove","path":"/metadata/labels/m"}]',
    );
    expect(await bench().value('deploy d', '{.metadata.labels}')).toBe('{"app":"d"}');
    expect(
      await bench().k.fails([
        ...`patch deploy d -n ${bench().ns} --type=json -p`.split(' '),
        '[{"op":"remove","path":"/metadata/labels/m"}]',
      ]),
    ).toMatch(/the server rejected our request|remove operation/);
    expect(await ok('label deploy d a=b')).toBe('deployment.apps/d labeled\n');
    expect(await fails('label deploy d a=c')).toContain("'a' already has a value (b)");
    expect(
      await ok(
        'label deploy d a=c --overwrite --resource-version=' +
          (await bench().value('deploy d', '{.metadata.resourceVersion}')),
      ),
    ).toContain('labeled');
    expect(await fails('label deploy d a=d --overwrite --resource-version=1')).toMatch(/object has been modified/);
    expect(await ok('label deploy d a-')).toContain('unlabeled');
    await ok('annotate deploy d note=yes');
    expect(await ok('annotate deploy d --list')).toContain('note=yes');
    await ok('annotate deploy d note-');
  });

  it('delete follows --cascade, and waits for it', async () => {
    const { k, ns, value } = bench();
    for (const cascade of ['background', 'foreground', 'orphan']) {
      const owner = `owner-${cascade}`;
      await ok(`create configmap ${owner}`);
      const uid = await value(`cm ${owner}`, '{.metadata.uid}');
      const dependent = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: `dependent-${cascade}`,
          namespace: ns,
          ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: owner, uid, blockOwnerDeletion: true }],
        },
      };
      await k.ok('create -f -', JSON.stringify(dependent));
      await ok(`delete cm ${owner} --cascade=${cascade} --timeout=25s`);
      expect((await k.run(['get', 'cm', owner, '-n', ns])).code).toBe(1);
      const left = async (): Promise<string> =>
        (await ok(`get secret dependent-${cascade} --ignore-not-found -o name`)).trim();
      if (cascade === 'orphan')
        expect(await value(`secret dependent-${cascade}`, '{.metadata.ownerReferences}')).toBe('');
      else if (cascade === 'foreground') expect(await left()).toBe('');
      else await k.ok(`wait secret/dependent-${cascade} -n ${ns} --for=delete --timeout=25s`);
    }
    expect(await ok('delete cm chunk-0 --dry-run=server')).toContain('(server dry run)');
    expect(await ok('delete cm chunk-0 --wait=false --now')).toContain('deleted');
    expect(await fails('delete cm chunk-0')).toContain('NotFound');
    expect(await ok('delete cm chunk-0 --ignore-not-found')).toBe('');
  });

  it('reports why a pod cannot be reached', async () => {
    const { k, ns } = bench();
    await ok('run p --image=i:1');
    expect(await ok('logs p')).toBe('');
    expect(await fails('logs p -c q')).toContain('container q is not valid for pod p');
    for (const command of ['exec p -- ls', 'attach p']) {
      const ran = await k.run([...command.split(' ')].flatMap((word, i) => (i === 1 ? [word, '-n', ns] : [word])));
      expect([command, ran.code, ran.err]).toEqual([
        command,
        1,
        expect.stringContaining('pod p does not have a host assigned'),
      ]);
    }
    await k.ok(`debug p -n ${ns} --image=busybox -c debugger`);
    expect(await bench().value('pod p', '{.spec.ephemeralContainers[*].name}')).toBe('debugger');
    await ok('create serviceaccount robot');
    expect(await ok('create token robot')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n?$/);
    expect(await fails('top pods')).toContain('Metrics API not available');
  });

  it('cordons, drains and taints nodes', async () => {
    const { k } = bench();
    await k.ok('create -f -', '{"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"}}');
    await k.ok('taint node n1 dedicated=x:NoSchedule');
    await k.ok('cordon n1');
    expect(await k.ok('get node n1')).toMatch(/n1\s+Unknown,SchedulingDisabled\s/);
    expect(await k.ok('describe node n1')).toMatch(/Taints:\s+dedicated=x:NoSchedule/);
    await k.ok('uncordon n1');
    expect(await k.ok('drain n1 --timeout=20s')).toContain('drained');
    expect(await k.ok(['get', 'pods', '-A', '--field-selector', 'spec.nodeName=n1', '-o', 'name'])).toBe('');
  });
});
