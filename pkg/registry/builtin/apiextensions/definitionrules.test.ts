import { describe, expect, it } from 'vitest';
import { FieldErrors, type JsonObject } from '../../../api/index.js';
import { customResourceDefinition } from './customresourcedefinition.js';
import { validateDefinition } from './validation.js';

type Change = (version: JsonObject, spec: JsonObject, root: JsonObject) => void;

/** The errors of a definition after a change, as `field: message`. */
function errorsOf(change: Change, old?: Change): string[] {
  const made = (f: Change): JsonObject => {
    const properties = {
      a: { type: 'string' },
      n: { type: 'integer' },
      o: { type: 'object', properties: { x: { type: 'boolean' } } },
      l: { type: 'array', items: { type: 'string' } },
      m: { type: 'object', additionalProperties: { type: 'string' } },
    };
    const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', properties } } };
    const version: JsonObject = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
    const spec: JsonObject = {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [version],
      conversion: { strategy: 'None' },
    };
    const status = { storedVersions: ['v1'] };
    const root: JsonObject = { metadata: { name: 'widgets.example.com' }, spec, status };
    f(version, spec, root);
    return root;
  };
  const found = new FieldErrors();
  validateDefinition(made(change), found, old === undefined ? undefined : made(old));
  return found.list.map((e) => `${e.field}: ${e.message}`);
}

const schemaOf = (v: JsonObject): JsonObject => (v['schema'] as JsonObject)['openAPIV3Schema'] as JsonObject;
const inSpec =
  (name: string, schema: JsonObject): Change =>
  (v) => {
    const spec = (schemaOf(v)['properties'] as JsonObject)['spec'] as JsonObject;
    (spec['properties'] as JsonObject)[name] = schema;
  };
const T = 'spec.validation.openAPIV3Schema.properties[spec].properties[t]';

describe('selectable fields', () => {
  const problem = (jsonPath: string): string[] =>
    errorsOf((v) => {
      v['selectableFields'] = [{ jsonPath }];
    }).map((e) => e.replace(/^.*Invalid value: "[^"]*": /, ''));

  it.each([
    ['.spec.a', []],
    ['.spec.m.x', []],
    ['.spec.l[0]', ['is an invalid path: array notation is not allowed']],
    ['spec.a', ['is an invalid path: expected [ or . but got: spec']],
    ['.spec.a.', ['is an invalid path: unexpected end of JSON path']],
    ['.metadata.name', ['is an invalid path: does not refer to a valid field']],
    ['.spec.o', [expect.stringMatching(/^must point to a field of type string, boolean or integer/)]],
  ])('%s', (path, expected) => expect(problem(path)).toEqual(expected));

  it('are counted without duplicates', () => {
    const paths = Array.from({ length: 9 }, () => ({ jsonPath: '.spec.a' }));
    const found = errorsOf((v) => {
      v['selectableFields'] = paths;
    });
    expect(found).toHaveLength(8);
    expect(found[0]).toBe('spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"');
  });
});

describe('the root of a schema with a status subresource', () => {
  const withStatus = (more: JsonObject): string[] =>
    errorsOf((v) => {
      v['subresources'] = { status: {} };
      Object.assign(schemaOf(v), more);
    });

  it('allows only what holds for a status write, and shows the schema', () => {
    const [error, ...others] = withStatus({ minProperties: 1 });
    expect(others).toEqual([]);
    expect(error).toMatch(
      /^spec\.validation\.openAPIV3Schema: Invalid value: \{"ID":"","Schema":"","Ref":null,"Description":"","Type":"object","Nullable":false,/,
    );
    expect(error).toContain('"Items":{"Schema":{"ID":"",');
    expect(error).toContain('"AdditionalProperties":{"Allows":true,"Schema":{"ID":"",');
    expect(error).toMatch(/: only \[Description Type .* XValidations\] fields are allowed at the root of the schema/);
    expect(withStatus({ title: 'x', 'x-kubernetes-preserve-unknown-fields': true })).toEqual([]);
  });
});

describe('a structural schema', () => {
  it.each<[JsonObject, string[]]>([
    [{ type: 'array', items: {} }, [`${T}.items.type: Required value: must not be empty for specified array items`]],
    [{ type: 'string', 'x-kubernetes-int-or-string': true }, []],
    [
      { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'string' }, { type: 'integer' }] },
      [0, 1].map((i) => `${T}.anyOf[${i}].type: Forbidden: must be empty to be structural`),
    ],
    [{ 'x-kubernetes-int-or-string': true, allOf: [{ anyOf: [{ type: 'integer' }, { type: 'string' }] }] }, []],
    [
      { type: 'object', allOf: [{ description: 'x', default: {}, nullable: true }] },
      [
        `${T}.allOf[0].default: Forbidden: must be undefined to be structural`,
        `${T}.allOf[0].description: Forbidden: must be empty to be structural`,
        `${T}.allOf[0].nullable: Forbidden: must be false to be structural`,
      ],
    ],
    [
      { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } },
      [
        `${T}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
      ],
    ],
    [
      { type: 'array', 'x-kubernetes-list-map-keys': ['k'], items: { type: 'object' } },
      [`${T}.x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty`],
    ],
    [
      { type: 'object', 'x-kubernetes-preserve-unknown-fields': false },
      [`${T}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`],
    ],
    [{ type: 'string', id: 'x' }, [`${T}.id: Forbidden: id is not supported`]],
  ])('%j', (schema, expected) => expect(errorsOf(inSpec('t', schema))).toEqual(expected));

  it('defines what validations at its root mention', () => {
    const found = errorsOf((v) => {
      schemaOf(v)['anyOf'] = [{ properties: { other: { minLength: 1 } } }];
    });
    expect(found).toEqual([
      'spec.validation.openAPIV3Schema.properties[other]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[other]',
    ]);
  });
});

describe('a definition', () => {
  const SEE = ', see https://github.com/kubernetes/enhancements/pull/1111';
  const kubernetes: Change = (_, spec, root) => {
    spec['group'] = 'x.k8s.io';
    root['metadata'] = { name: 'widgets.x.k8s.io' };
  };

  it('has the storage version in its status from the defaults on, which webhooks and audit see', () => {
    const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v2' }));
    const defaulted = (status: JsonObject): unknown => {
      const o: JsonObject = { spec: { versions }, ...status };
      customResourceDefinition.strategy.defaults?.(o, {} as never);
      return o['status'];
    };
    expect(defaulted({})).toEqual({ storedVersions: ['v2'] });
    expect(defaulted({ status: { storedVersions: ['v1'] } })).toEqual({ storedVersions: ['v1'] });
  });

  it('in a group of Kubernetes needs an approval, unless it was stored without', () => {
    const missing = `metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io"${SEE}`;
    expect(errorsOf(kubernetes)).toEqual([missing]);
    expect(errorsOf(kubernetes, kubernetes)).toEqual([]);
    const approved =
      (text: string): Change =>
      (v, spec, root) => {
        kubernetes(v, spec, root);
        (root['metadata'] as JsonObject)['annotations'] = { 'api-approved.kubernetes.io': text };
      };
    expect(errorsOf(approved('https://example.com/1'))).toEqual([]);
    expect(errorsOf(approved('unapproved, a trial'))).toEqual([]);
    for (const wrong of ['yes', 'https:///1', 'https://a b/1']) expect(errorsOf(approved(wrong))).toHaveLength(1);
  });

  it('has a deprecation warning that can be printed', () => {
    const warned = (deprecationWarning: string): string[] =>
      errorsOf((v) => Object.assign(v, { deprecated: true, deprecationWarning }));
    expect(warned('\u00e9\u0007')).toEqual([
      'spec.versions[0].deprecationWarning: Invalid value: "\u00e9\\u0007": must only contain printable UTF-8 characters; non-printable character found at index 2',
    ]);
    expect(warned('\u00e9'.repeat(200))[0]).toMatch(/must be <= 256 characters long$/);
  });

  it('has scale paths below spec and status', () => {
    const scaled = (labelSelectorPath: string): string[] =>
      errorsOf((v) => {
        v['subresources'] = {
          scale: { specReplicasPath: '.spec.l[0]', statusReplicasPath: '.status.n', labelSelectorPath },
        };
      });
    expect(scaled('.status.s')).toEqual([]);
    expect(scaled('.metadata.x')).toEqual([
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".metadata.x": should be a json path under either .spec or .status',
    ]);
    expect(scaled('spec.s')[0]).toMatch(/must be a simple json path starting with \.$/);
  });

  it('calls conversion webhooks at valid addresses', () => {
    const converted = (clientConfig: JsonObject, conversionReviewVersions = ['v1']): string[] =>
      errorsOf((_, spec) => {
        spec['conversion'] = { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions } };
      }).map((e) => e.slice('spec.conversion.'.length));
    expect(converted({ url: 'https://a/b' })).toEqual([]);
    expect(converted({ url: 'https://a/b?x=1' })).toEqual([
      'webhookClientConfig.url: Invalid value: "x=1": query parameters are not permitted in the URL',
    ]);
    expect(converted({ url: ':::' })[0]).toMatch(/missing protocol scheme; desired format: https:\/\/host\[\/path\]$/);
    expect(converted({ service: { namespace: 'a', name: 'b', port: 0 } })).toEqual([
      'webhookClientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
    ]);
    expect(converted({ url: 'https://a' }, ['v1', 'v1'])).toEqual([
      'conversionReviewVersions[1]: Invalid value: "v1": duplicate version',
    ]);
  });
});

describe('defaults', () => {
  const found = (schema: JsonObject): string[] => errorsOf(inSpec('t', schema)).map((e) => e.replace(`${T}.`, ''));
  const items = { type: 'string' };

  it.each([
    [
      { type: 'array', items, default: ['a', 1] },
      ['default.[1]: Invalid value: "integer": [1] in body must be of type string: "integer"'],
    ],
    [{ type: 'array', items, 'x-kubernetes-list-type': 'set', default: ['a', 'a'] }, []],
    [{ 'x-kubernetes-int-or-string': true, default: 1.5 }, []],
    [
      { type: 'object', required: ['a', 'b'], properties: { a: { type: 'integer', default: 1 } }, default: {} },
      ['default.a: Required value', 'default.b: Required value'],
    ],
    [
      { type: 'string', default: 'x', 'x-kubernetes-validations': [{ rule: "self != 'x'" }] },
      ['default: Invalid value: "x": failed rule: self != \'x\''],
    ],
    [
      { type: 'integer', format: 'int32', default: 3_000_000_000 },
      ['default: Invalid value: "": Checked value must be of type integer with format int32 in '],
    ],
  ] as const)('%j', (schema, expected) => expect(found(schema as unknown as JsonObject)).toEqual(expected));

  it('are not allowed for the fields that the server sets', () => {
    const errors = errorsOf((v) => {
      Object.assign(schemaOf(v)['properties'] as JsonObject, {
        kind: { type: 'string', default: 'x' },
        metadata: { type: 'object', properties: { name: { type: 'string', default: 'x' } } },
      });
    });
    const root = 'spec.validation.openAPIV3Schema.properties';
    expect(errors).toEqual([
      `${root}[kind].default: Forbidden: must not be set in top-level kind`,
      `${root}[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`,
    ]);
  });
});

it.each([
  [undefined, 'null'],
  [null, 'null'],
  [[], '[]'],
])('versions of %j are named as they are given', (versions, shown) => {
  const found = errorsOf((_, spec) => {
    if (versions === undefined) delete spec['versions'];
    else spec['versions'] = versions;
  });
  expect(found).toContain(
    `spec.versions: Invalid value: ${shown}: must have exactly one version marked as storage version`,
  );
});

describe('an update of a definition that was stored with a fault', () => {
  const items = { type: 'object', properties: { k: { type: 'string' } } };
  const also: Change = (_, __, root) => Object.assign(root['metadata'] as JsonObject, { labels: { a: 'b' } });
  const both =
    (a: Change, b: Change): Change =>
    (...parts) => {
      a(...parts);
      b(...parts);
    };
  const t = (schema: JsonObject): Change => inSpec('t', schema);

  // Releases of Kubernetes added these rules to those of definitions that existed.
  it.each<[string, Change]>([
    ['a type that is unknown', t({ type: 'text' })],
    ['a set of objects', t({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' })],
    [
      'a set of nulls',
      t({ type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' }),
    ],
    [
      'a map whose items may have no key',
      t({ type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }),
    ],
    ['a default with unknown fields', t({ ...items, default: { other: 'x' } })],
    [
      'more selectable fields than eight',
      (v) => {
        v['selectableFields'] = [...'abcdefghi'].map((c) => ({ jsonPath: `.spec.m.${c}` }));
      },
    ],
    [
      'a conversion webhook that knows no version of the review',
      (_, spec) => {
        const webhook = { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v9'] };
        spec['conversion'] = { strategy: 'Webhook', webhook };
      },
    ],
  ])('may keep %s', (_, fault) => {
    expect(errorsOf(fault)).toHaveLength(1);
    expect(errorsOf(both(fault, also), () => {})).toHaveLength(1);
    expect(errorsOf(both(fault, also), fault)).toEqual([]);
  });

  it.each<[string, Change]>([
    ['a pattern that does not compile', t({ type: 'string', pattern: '(' })],
    ['a default of another type', t({ type: 'string', default: 1 })],
    [
      'a default against its rule',
      t({ type: 'string', default: 'x', 'x-kubernetes-validations': [{ rule: "self != 'x'" }] }),
    ],
    ['a schema without a type', t({})],
    ['a rule that does not compile', t({ type: 'string', 'x-kubernetes-validations': [{ rule: 'self ==' }] })],
    ['unique items', t({ type: 'array', items, uniqueItems: true })],
    [
      'a selectable field of another type',
      (v) => {
        v['selectableFields'] = [{ jsonPath: '.spec.o' }];
      },
    ],
    [
      'a column without a type',
      (v) => {
        v['additionalPrinterColumns'] = [{ name: 'x', jsonPath: '.spec.a' }];
      },
    ],
    [
      'an accepted name that is none',
      (_, __, root) => {
        root['status'] = { storedVersions: ['v1'], acceptedNames: { plural: '-' } };
      },
    ],
  ])('must mend %s', (_, fault) => {
    expect(errorsOf(both(fault, also), fault)).not.toEqual([]);
  });

  it('may have a further fault of the same sort in another place', () => {
    expect(errorsOf(both(t({ type: 'text' }), inSpec('u', { type: 'texts' })), t({ type: 'text' }))).toEqual([]);
    expect(errorsOf(t({ type: 'null' }), t({ type: 'null' }))).toEqual([
      `${T}.type: Forbidden: type cannot be set to null, use nullable as an alternative`,
    ]);
  });

  describe('and preserves unknown fields', () => {
    const preserving: Change = (_, spec) => {
      spec['preserveUnknownFields'] = true;
    };
    const empty = both(preserving, t({}));
    const none = `${T}.type: Required value: must not be empty for specified object fields`;

    it('may keep schemas that are not structural, without defaults and extensions', () => {
      expect(errorsOf(empty, empty)).toEqual([]);
      expect(errorsOf(empty, preserving)).toEqual([none]);
      expect(errorsOf(t({}), empty)).toEqual([none]);
      expect(errorsOf(both(empty, inSpec('u', { 'x-kubernetes-int-or-string': true })), empty)).toEqual([none]);
      expect(errorsOf(both(empty, inSpec('u', { type: 'string', default: 'x' })), empty)).toEqual([
        'spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema',
        none,
      ]);
    });

    it('may lack schemas', () => {
      const bare: Change = (v) => {
        delete v['schema'];
      };
      expect(errorsOf(both(preserving, bare), both(preserving, bare))).toEqual([]);
      expect(errorsOf(bare, both(preserving, bare))).toEqual([
        'spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned',
      ]);
      expect(errorsOf(both(preserving, bare), preserving)).toEqual([
        'spec.versions[0].schema.openAPIV3Schema: Required value',
      ]);
    });
  });
});

it('every default is checked against its rules, also after one with errors', () => {
  const wrong = { type: 'string', default: 'x', 'x-kubernetes-validations': [{ rule: "self != 'x'" }] };
  const properties = { a: wrong, b: wrong };
  expect(errorsOf(inSpec('t', { type: 'object', properties }))).toEqual(
    ['a', 'b'].map((p) => `${T}.properties[${p}].default: Invalid value: "x": failed rule: self != 'x'`),
  );
});

it('selectable fields of all versions need the schema of all versions', () => {
  const two =
    (change: (v: JsonObject[]) => void): Change =>
    (v, spec) => {
      const versions = [v, { ...structuredClone(v), name: 'v2', storage: false }];
      spec['versions'] = versions;
      change(versions);
    };
  const selectableFields = [{ jsonPath: '.spec.a' }];
  const same = two((all) => {
    for (const v of all) Object.assign(v, { selectableFields });
  });
  expect(errorsOf(same)).toEqual([]);
  const other = two((all) => {
    for (const v of all) Object.assign(v, { selectableFields });
    schemaOf(all[1]!)['description'] = 'x';
  });
  expect(errorsOf(other)).toEqual([
    'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included',
  ]);
});
