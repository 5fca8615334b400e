/**
 * Measures the codecs on typical objects. Prints one line for each measurement: CPU microseconds per object and MB/s
 * of the encoded form. `npx tsc -p tsconfig.json && node dist/test/bench/codec.js`; no assertion, no network.
 */
import type { JsonObject } from '../../pkg/api/index.js';
import {
  decodeBody,
  decodeJson,
  decodeProtobuf,
  encodeCbor,
  encodeJson,
  encodeProtobuf,
  encodeStored,
  encodeYaml,
  jsonWatchFraming,
  protobufWatchFraming,
  readCbor,
  readJson,
  readYaml,
  spliceResourceVersion,
  watchFrame,
} from '../../pkg/codec/index.js';
import { type KindSchema, kindSchema } from '../../pkg/schema/index.js';
import { container } from './objects.js';

function kind(group: string, version: string, name: string): KindSchema {
  const found = kindSchema({ group, version, kind: name });
  if (found === undefined) throw new Error(`no kind ${name}`);
  return found;
}

const MANAGED = { 'f:data': { '.': {}, 'f:key-0': {}, 'f:key-1': {} }, 'f:metadata': { 'f:labels': { 'f:app': {} } } };

function configMap(bytes: number): JsonObject {
  return {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: {
      name: 'bench-0000001',
      namespace: 'default',
      uid: '7b4fd4b5-58c5-4f2a-b2a3-0a1b2c3d4e5f',
      creationTimestamp: '2025-01-02T03:04:05Z',
      labels: { app: 'bench', 'app.kubernetes.io/name': 'bench' },
      managedFields: [
        {
          manager: 'bench',
          operation: 'Update',
          apiVersion: 'v1',
          time: '2025-01-02T03:04:05Z',
          fieldsType: 'FieldsV1',
          fieldsV1: MANAGED,
        },
      ],
    },
    data: { 'key-0': 'x'.repeat(bytes), 'key-1': 'small' },
  };
}

function pod(): JsonObject {
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: {
      ...(configMap(0)['metadata'] as JsonObject),
      generateName: 'bench-',
      annotations: { note: 'a "quoted" <b>' },
    },
    spec: {
      volumes: [{ name: 'config', configMap: { name: 'config', defaultMode: 420 } }],
      containers: [container('server'), container('sidecar')],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      nodeName: 'node-1',
      securityContext: {},
      schedulerName: 'default-scheduler',
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: '2025-01-02T03:04:05Z' }],
      podIP: '10.1.2.3',
      podIPs: [{ ip: '10.1.2.3' }],
      qosClass: 'Burstable',
    },
  };
}

/** The duration of one measurement in seconds. */
const SECONDS = Number(process.argv[2] ?? 0.5);
const BATCH_MS = 15;

const cpuMicroseconds = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

/** CPU time of one call with garbage collection: the lower quartile of short batches, because other processes share the caches. */
function measure(name: string, bytes: number, once: () => unknown): void {
  for (let i = 0; i < 2000; i++) once();
  let size = 1;
  for (let took = 0; took < BATCH_MS; size *= 2) {
    const start = performance.now();
    for (let i = 0; i < size; i++) once();
    took = performance.now() - start;
  }
  const batches: number[] = [];
  const until = performance.now() + SECONDS * 1000;
  while (performance.now() < until) {
    const start = cpuMicroseconds();
    for (let i = 0; i < size; i++) once();
    batches.push((cpuMicroseconds() - start) / size);
  }
  batches.sort((x, y) => x - y);
  const took = batches[Math.floor(batches.length / 4)]!;
  console.log(`${name.padEnd(44)} ${took.toFixed(2).padStart(9)} us ${(bytes / took).toFixed(0).padStart(7)} MB/s`);
}

function bench(label: string, k: KindSchema, object: JsonObject): void {
  const text = encodeJson(k.schema, object);
  const pretty = Buffer.from(JSON.stringify(JSON.parse(text.toString()), null, 2));
  const odd = Buffer.from(text.toString().replace('"metadata":{', '"unknown":1.5,"metadata":{'));
  const stored = encodeStored(k.schema, object);
  const n = text.length;
  console.log(`-- ${label}, ${n} bytes`);
  measure('floor: JSON.parse', n, () => JSON.parse(text.toString()));
  measure('floor: JSON.stringify', n, () => Buffer.from(JSON.stringify(object)));
  measure('JSON decode', n, () => decodeJson(k.schema, text));
  measure('JSON decode, indented', pretty.length, () => decodeJson(k.schema, pretty));
  measure('JSON decode, exact road', odd.length, () => decodeJson(k.schema, odd));
  measure('JSON read without schema', n, () => readJson(text));
  measure('JSON encode', n, () => encodeJson(k.schema, object));
  measure('splice resourceVersion', n, () => spliceResourceVersion(stored, 1234567, true));
  measure('JSON body of a request', n, () => decodeBody({ bytes: text, encoding: 'json' }, k));
  const protobuf = encodeProtobuf(k.schema, object);
  measure('protobuf encode', protobuf.length, () => encodeProtobuf(k.schema, object));
  measure('protobuf decode', protobuf.length, () => decodeProtobuf(k.schema, protobuf));
  const cbor = encodeCbor(k.schema, object);
  measure('CBOR encode', cbor.length, () => encodeCbor(k.schema, object));
  measure('CBOR read', cbor.length, () => readCbor(cbor));
  const yaml = encodeYaml(object);
  measure('YAML encode', yaml.length, () => encodeYaml(object));
  measure('YAML read', yaml.length, () => readYaml(yaml));
  measure('YAML read, sent as JSON', n, () => readYaml(text));
  measure('watch frame, JSON', n, () => watchFrame(jsonWatchFraming, 'MODIFIED', text));
  measure('watch frame, protobuf', n, () => watchFrame(protobufWatchFraming, 'MODIFIED', protobuf));
}

bench('ConfigMap', kind('', 'v1', 'ConfigMap'), configMap(500));
bench('ConfigMap', kind('', 'v1', 'ConfigMap'), configMap(4000));
bench('Pod', kind('', 'v1', 'Pod'), pod());
