import type { JsonObject } from '../../pkg/api/index.js';
import { decodeJson, encodeCbor, encodeJson, encodeProtobuf, encodeYaml, sealEnvelope } from '../../pkg/codec/index.js';
import { fixtures } from '../../pkg/codec/testing.js';
import { type KindSchema, kindSchema } from '../../pkg/schema/index.js';

/** Objects from which inputs are built. */

export function kindOf(group: string, version: string, kind: string): KindSchema {
  return kindSchema({ group, version, kind })!;
}

export const deployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: '00000000-0000-4000-8000-000000000000',
    resourceVersion: '7',
    creationTimestamp: '2024-01-01T00:00:00Z',
    labels: { app: 'web', 'example.com/tier': 'front' },
    managedFields: [
      {
        manager: 'kubectl',
        operation: 'Apply',
        apiVersion: 'apps/v1',
        time: '2024-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
          'f:spec': {
            'f:replicas': {},
            'f:template': {
              'f:spec': { 'f:containers': { 'k:{"name":"c"}': { '.': {}, 'f:image': {}, 'f:name': {} } } },
            },
          },
        },
      },
    ],
  },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          {
            name: 'c',
            image: 'nginx:1',
            ports: [{ containerPort: 80, protocol: 'TCP' }],
            resources: { limits: { cpu: '500m', memory: '1Gi' } },
            env: [{ name: 'A', value: '\u00e9\u{1f6f6}' }],
          },
        ],
        tolerations: [{ key: 'k', operator: 'Exists' }],
      },
    },
  },
  status: { conditions: [{ type: 'Available', status: 'True', lastUpdateTime: '2024-01-01T00:00:00Z' }] },
};

const secret: JsonObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  type: 'Opaque',
  data: { k: 'AAEC', empty: '' },
};

export interface Body {
  readonly kind: KindSchema;
  readonly object: JsonObject;
}

export const bodies: readonly Body[] = [deployment, secret].map((object) => {
  const [group, version] = String(object['apiVersion']).includes('/')
    ? String(object['apiVersion']).split('/')
    : ['', 'v1'];
  const kind = kindOf(group!, version!, String(object['kind']));
  const decoded = decodeJson(kind.schema, Buffer.from(JSON.stringify(object)));
  if (!decoded.ok) throw new Error(decoded.message);
  return { kind, object: { ...decoded.object, apiVersion: object['apiVersion']!, kind: object['kind']! } };
});

type Encoding = 'json' | 'yaml' | 'protobuf' | 'cbor';

export function encoded(encoding: Encoding): readonly Buffer[] {
  return [...bodies.map((body) => encodedAs(encoding, body)), ...fromFixtures(encoding)];
}

export function encodedAs(encoding: Encoding, { kind, object }: Body): Buffer {
  switch (encoding) {
    case 'json':
      return encodeJson(kind.schema, object);
    case 'yaml':
      return encodeYaml(object);
    case 'cbor':
      return encodeCbor(kind.schema, object);
    case 'protobuf': {
      const raw = encodeProtobuf(kind.schema, object);
      return sealEnvelope({ apiVersion: String(object['apiVersion']), kind: kind.info.kind, raw });
    }
  }
}

/** All fields of some kinds, as the Go libraries of Kubernetes encode them. */
function fromFixtures(encoding: Encoding): readonly Buffer[] {
  if (encoding === 'cbor') return [];
  const names = ['core.v1.Pod', 'apps.v1.Deployment', 'core.v1.Secret', 'networking.k8s.io.v1.Ingress'];
  return fixtures()
    .filter((f) => names.includes(f.name))
    .map((f) => f[encoding]);
}
