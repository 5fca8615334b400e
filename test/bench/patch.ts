/**
 * Measures patches and field ownership tracking on typical objects, next to the work of every write
 * (decode and encode). Prints CPU microseconds per operation. `npx tsc -p tsconfig.json && node dist/test/bench/patch.js`; no assertion, no network.
 */
import { cloneJson, type JsonObject } from '../../pkg/api/index.js';
import { decodeJson, encodeStored } from '../../pkg/codec/index.js';
import { applyObject, applyPatch, type TrackedResource, updateManagedFields } from '../../pkg/patch/index.js';
import { kindSchema, type StructSchema } from '../../pkg/schema/index.js';
import { container } from './objects.js';

function resource(group: string, version: string, kind: string): TrackedResource & { readonly schema: StructSchema } {
  const found = kindSchema({ group, version, kind });
  if (found === undefined) throw new Error(`no kind ${kind}`);
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return { schema: found.schema, apiVersion, kind, subresource: '', resetFields: [['status']] };
}

function configMap(bytes: number, keys = 2): JsonObject {
  const data: JsonObject = {};
  for (let i = 0; i < keys; i++) data[`key-${i}`] = 'x'.repeat(Math.ceil(bytes / keys));
  return {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'b', labels: { app: 'bench' } },
    data,
  };
}

function deployment(): JsonObject {
  return {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'web', namespace: 'default', labels: { app: 'web', tier: 'front' }, annotations: { note: 'n' } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: ['web', 'proxy', 'log'].map((name) => container(name, [{ name: 'LEVEL', value: 'info' }])),
          volumes: [{ name: 'config', configMap: { name: 'web', defaultMode: 420 } }],
          restartPolicy: 'Always',
        },
      },
    },
  };
}

/** CPU microseconds per operation, which vary less than elapsed time on a shared machine. */
function time(name: string, run: () => void): void {
  for (let i = 0; i < 20; i++) run();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 7; round++) {
    const from = process.cpuUsage();
    let spent = 0;
    let n = 0;
    while (n < 20 || spent < 60_000) {
      run();
      n++;
      if (n % 20 === 0) {
        const { user, system } = process.cpuUsage(from);
        spent = user + system;
      }
    }
    best = Math.min(best, spent / n);
  }
  console.log(`${name.padEnd(58)} ${best.toFixed(1).padStart(8)} us`);
}

const now = Date.UTC(2026, 0, 2, 3, 4, 5);

/** Writes of one object: first without ownership tracking, then with it. */
function writes(
  label: string,
  r: ReturnType<typeof resource>,
  sent: JsonObject,
  change: (o: JsonObject) => void,
): void {
  const text = Buffer.from(JSON.stringify(sent));
  const decoded = (b: Buffer): JsonObject => {
    const d = decodeJson(r.schema, b);
    if (!d.ok) throw new Error(d.message);
    return d.object;
  };
  console.log(`\n${label}: ${text.length} bytes sent`);
  time('decode and encode once', () => encodeStored(r.schema, decoded(text)));
  const fresh = decoded(text);
  time('create: managed fields', () => {
    delete (fresh['metadata'] as JsonObject)['managedFields'];
    updateManagedFields({ resource: r, live: undefined, object: fresh, manager: 'm', now });
  });

  const live = decoded(text);
  updateManagedFields({ resource: r, live: undefined, object: live, manager: 'creator', now });
  const stored = encodeStored(r.schema, live);
  console.log(`  stored with entries: ${stored.length} bytes`);
  const before = decoded(stored);
  const after = decoded(stored);
  change(after);
  const entries = (after['metadata'] as JsonObject)['managedFields']!;
  time('update of one field: managed fields', () => {
    (after['metadata'] as JsonObject)['managedFields'] = entries;
    updateManagedFields({ resource: r, live: before, object: after, manager: 'm', now });
  });
  const first = applyObject({ resource: r, live: undefined, applied: sent, manager: 'a', force: false, now });
  if (first.kind === 'conflict') throw new Error('conflict');
  const applied = decoded(encodeStored(r.schema, first.object));
  time('apply that creates', () =>
    applyObject({ resource: r, live: undefined, applied: sent, manager: 'a', force: false, now }),
  );
  time('apply that changes nothing', () =>
    applyObject({ resource: r, live: applied, applied: sent, manager: 'a', force: false, now }),
  );
  const changed = cloneJson(sent);
  change(changed);
  time('apply that changes a field', () =>
    applyObject({ resource: r, live: applied, applied: changed, manager: 'a', force: false, now }),
  );
  const less = cloneJson(changed);
  delete (less['metadata'] as JsonObject)['labels'];
  time('apply that removes fields', () =>
    applyObject({ resource: r, live: applied, applied: less, manager: 'a', force: false, now }),
  );
}

const label = (o: JsonObject): void => {
  ((o['metadata'] as JsonObject)['labels'] as JsonObject)['app'] = 'changed';
};
const image = (o: JsonObject): void => {
  const spec = ((o['spec'] as JsonObject)['template'] as JsonObject)['spec'] as JsonObject;
  (spec['containers'] as JsonObject[])[0]!['image'] = 'changed';
};

const cm = resource('', 'v1', 'ConfigMap');
const dep = resource('apps', 'v1', 'Deployment');
writes('ConfigMap of 1 KiB', cm, configMap(1024), label);
writes('ConfigMap of 1 MiB in 5,000 keys', cm, configMap(1 << 20, 5000), label);
writes('Deployment of 4 KiB', dep, deployment(), image);

console.log('\npatches');
const live = configMap(1024);
time('merge patch of 1 KiB', () => {
  applyPatch({ kind: 'merge', current: live, patch: { data: { 'key-0': 'y' } }, schema: cm.schema, typed: true });
});
time('JSON patch of 1 KiB', () => {
  const patch = [{ op: 'replace', path: '/data/key-0', value: 'y' }];
  applyPatch({ kind: 'json', current: live, patch, schema: cm.schema, typed: true });
});
const big = deployment();
time('strategic merge patch of a Deployment', () => {
  const patch = {
    spec: { template: { spec: { containers: [{ name: 'proxy', env: [{ name: 'MODE', value: 'x' }] }] } } },
  };
  applyPatch({ kind: 'strategic', current: big, patch, schema: dep.schema, typed: true });
});
