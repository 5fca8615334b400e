import { ApiError, equalJson, isObject, type JsonObject } from '../../pkg/api/index.js';
import { type BodyEncoding, decodeBody, jsonText, readBody, readJson } from '../../pkg/codec/index.js';
import { deleteWishOfBody } from '../../pkg/http/deletebody.js';
import { checkedDeleteOptions } from '../../pkg/http/options.js';
import { applyObject, applyPatch, managedFieldsError, PatchError, updateManagedFields } from '../../pkg/patch/index.js';
import { bodies, deployment, encoded, encodedAs, kindOf } from './seeds.js';
import { type Target, texts } from './target.js';

/** Decoders of request bodies. Decoded values must be equal after encoding and decoding again. */

const WORDS = {
  json: [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    'null',
    'true',
    '""',
    '{"a":',
    '[[',
    '"__proto__":',
    '\\u0000',
    '\\ud800',
    '1e5',
    '"spec":{',
    '// ',
  ],
  yaml: [
    '- ',
    ': ',
    '? ',
    '\n',
    '\n  ',
    '\t',
    '&a ',
    '*a',
    '<<: *a',
    '*a : ',
    '%TAG !a! ',
    '!a!b ',
    '\u0085',
    '!!binary ',
    '!!set',
    '|\n',
    '>-\n',
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    '#',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    'yes',
    '~',
    '0o7',
    '.inf',
  ],
  protobuf: [
    '\x0a',
    '\x12',
    '\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01',
    '\xff\xff\xff\xff\x0f',
    'k8s\0',
    '\x0b',
    '\x0c',
    '\x08\x96\x01',
  ],
  cbor: [
    '\xd9\xd9\xf7',
    '\xbf',
    '\x9f',
    '\x5f',
    '\x7f',
    '\xff',
    '\xa1',
    '\x81',
    '\x9b\x7f\xff\xff\xff\xff\xff\xff\xff',
    '\xbb\0\0\0\0\xff\xff\xff\xff',
    '\xc2\x49',
    '\xf9\x7e\0',
    '\xfb',
    '\x1b',
    '\x3b',
    '\xf6',
  ],
} satisfies Record<BodyEncoding, readonly string[]>;

/** Features that only YAML has. */
const ANCHORED = `%TAG !a! tag:yaml.org,2002:
---
apiVersion: v1
kind: Secret
metadata: &m {name: s, labels: &l {k: &a "x", *a : "y"}}
stringData: {<<: *l, b: !a!str 5, c: ! 6, d: !b "7"}
type: *a
`;

function bodyTarget(encoding: BodyEncoding): Target {
  return {
    name: `bodies: ${encoding}`,
    seeds: encoding === 'yaml' ? [...encoded(encoding), ...texts(ANCHORED)] : encoded(encoding),
    words: WORDS[encoding],
    refusals: [],
    run: (bytes) => {
      for (const { kind } of bodies) {
        const decoded = decodeBody({ bytes, encoding }, kind, { otherVersions: true });
        if (!decoded.ok) {
          if (decoded.message === '') throw new Error('refused without a reason');
          continue;
        }
        const bytesAgain = encodedAs(encoding, { kind, object: decoded.object });
        const second = decodeBody({ bytes: bytesAgain, encoding }, kind);
        if (!second.ok) throw new Error(`the written value cannot be read again: ${second.message}`);
        if (!equalJson(second.object, decoded.object)) throw new Error('the value differs after writing and reading');
      }
    },
  };
}

const plainValues: Target = {
  name: 'values: JSON, YAML, CBOR without a schema',
  seeds: [...encoded('json'), ...encoded('yaml'), ...encoded('cbor')],
  words: [...WORDS.json, ...WORDS.yaml, ...WORDS.cbor],
  refusals: [],
  run: (bytes) => {
    for (const encoding of ['json', 'yaml', 'cbor'] as const) {
      const read = readBody({ bytes, encoding });
      if (!read.ok) continue;
      const text = jsonText(read.value);
      const second = readJson(Buffer.from(text));
      if (!second.ok) throw new Error(`its JSON cannot be read: ${second.message}`);
      if (!equalJson(second.value, read.value)) throw new Error('its JSON has another value');
    }
  },
};

const current = (): JsonObject => structuredClone(deployment);
const deployments = kindOf('apps', 'v1', 'Deployment');

function patchTarget(kind: 'json' | 'merge' | 'strategic', seeds: readonly string[]): Target {
  return {
    name: `patches: ${kind}`,
    seeds: texts(...seeds),
    words: [
      ...WORDS.json,
      '"$patch":"replace"',
      '"$patch":"delete"',
      '"$setElementOrder/containers":',
      '"$deleteFromPrimitiveList/finalizers":',
      '"$retainKeys":',
      '"path":"/spec/',
      '/-',
      '~1',
      '~0',
      '"op":"move","from":"',
      '"op":"copy"',
      '"op":"test"',
    ],
    refusals: [PatchError],
    run: (input) => {
      const read = readJson(input);
      if (!read.ok) return;
      const patched = applyPatch({
        kind,
        current: current(),
        patch: read.value,
        schema: deployments.schema,
        typed: true,
        text: input.toString(),
      });
      patched.show();
      jsonText(patched.object);
    },
  };
}

const tracked = { schema: deployments.schema, apiVersion: 'apps/v1', kind: 'Deployment', subresource: '' };

const applied: Target = {
  name: 'patches: apply',
  seeds: encoded('yaml').filter((seed) => seed.includes('Deployment')),
  words: [...WORDS.yaml, 'containers:', '- name: c\n', 'managedFields: []\n', 'k:{"name":"c"}'],
  refusals: [PatchError],
  run: (bytes) => {
    const read = readBody({ bytes, encoding: 'yaml' });
    if (!read.ok || !isObject(read.value)) return;
    for (const live of [undefined, current()]) {
      const result = applyObject({ resource: tracked, live, applied: read.value, manager: 'm', force: true, now: 0 });
      if (result.kind !== 'merged') throw new Error('a forced apply conflicts');
      const wrong = managedFieldsError(result.object);
      if (wrong !== undefined) throw new Error(`it wrote invalid entries: ${wrong}`);
    }
  },
};

const managed: Target = {
  name: 'managed fields',
  seeds: texts(JSON.stringify((deployment['metadata'] as JsonObject)['managedFields'])),
  words: [
    ...WORDS.json,
    '"f:',
    '"k:{\\"name\\":\\"c\\"}"',
    '"v:1"',
    '"i:0"',
    '"fieldsV1":',
    '".":{}',
    '"operation":"Update"',
    '"time":"',
  ],
  refusals: [],
  run: (input) => {
    const read = readJson(input);
    if (!read.ok) return;
    const object = current();
    (object['metadata'] as JsonObject)['managedFields'] = read.value;
    (object['spec'] as JsonObject)['replicas'] = 5;
    updateManagedFields({ resource: tracked, live: current(), object, manager: 'u', now: 0 });
    const wrong = managedFieldsError(object);
    if (wrong !== undefined) throw new Error(`it wrote invalid entries: ${wrong}`);
  },
};

const deletes: Target = {
  name: 'bodies: DeleteOptions',
  seeds: texts(
    '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0,"propagationPolicy":"Foreground","preconditions":{"uid":"u","resourceVersion":"1"},"dryRun":["All"]}',
    '{"orphanDependents":true}',
  ),
  words: WORDS.json,
  refusals: [ApiError],
  run: (bytes) => {
    for (const encoding of ['json', 'yaml', 'cbor', 'protobuf'] as const)
      checkedDeleteOptions(deleteWishOfBody({ bytes, encoding }), true);
  },
};

export const bodyTargets: readonly Target[] = [
  ...(['json', 'yaml', 'protobuf', 'cbor'] as const).map(bodyTarget),
  plainValues,
  patchTarget('json', [
    '[{"op":"test","path":"/spec/replicas","value":3},{"op":"replace","path":"/spec/replicas","value":4}]',
    '[{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"d"}},{"op":"move","from":"/metadata/labels/app","path":"/metadata/labels/x"},{"op":"copy","from":"/spec","path":"/status"},{"op":"remove","path":"/metadata/labels/example.com~1tier"}]',
  ]),
  patchTarget('merge', ['{"spec":{"replicas":null,"template":{"metadata":{"labels":{"a":"b"}}}},"x":[1,{"y":2}]}']),
  patchTarget('strategic', [
    '{"spec":{"template":{"spec":{"$setElementOrder/containers":[{"name":"d"},{"name":"c"}],"containers":[{"name":"c","image":"x"},{"name":"d","$patch":"delete"}],"tolerations":[{"$patch":"replace"}]}}}}',
    '{"metadata":{"$deleteFromPrimitiveList/finalizers":["a"],"finalizers":["b"]},"spec":{"strategy":{"$retainKeys":["type"],"type":"Recreate"}}}',
  ]),
  applied,
  managed,
  deletes,
];
