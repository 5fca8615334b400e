import { describe, expect, it } from 'vitest';
import { describeErrors, readConfigFile } from './file.js';

const issuer = {
  type: 'object',
  additionalProperties: false,
  required: ['url'],
  properties: {
    url: { type: 'string', pattern: '^https://' },
    audiences: { type: 'array', items: { type: 'string' }, minItems: 1 },
  },
};
const types = {
  'example.com/v1/AuthenticationConfiguration': {
    properties: {
      jwt: {
        type: 'array',
        items: { type: 'object', required: ['issuer'], additionalProperties: false, properties: { issuer } },
      },
      mode: { type: 'string', enum: ['strict', 'loose'], default: 'strict' },
    },
  },
  'example.com/v1beta1/AuthenticationConfiguration': {},
};

async function errorsOf(text: string): Promise<string> {
  const read = await readConfigFile(text, types);
  return read.ok ? 'ok' : describeErrors(read.errors);
}

const HEAD = 'apiVersion: example.com/v1\nkind: AuthenticationConfiguration\n';

describe('a configuration file', () => {
  it('is read with its defaults, from YAML or JSON', async () => {
    const yaml = await readConfigFile(`${HEAD}jwt:\n- issuer: {url: 'https://a'}\n`, types);
    const json = await readConfigFile(
      '{"apiVersion":"example.com/v1","kind":"AuthenticationConfiguration","jwt":[{"issuer":{"url":"https://a"}}]}',
      types,
    );
    expect(yaml).toMatchObject({ ok: true, apiVersion: 'example.com/v1', kind: 'AuthenticationConfiguration' });
    expect(yaml.ok && yaml.value).toMatchObject({ mode: 'strict', jwt: [{ issuer: { url: 'https://a' } }] });
    expect(json).toEqual(yaml);
  });

  it('is the first document of its text', async () => {
    expect(await errorsOf(`---\n${HEAD}---\nmode: [\n`)).toBe('ok');
  });

  it('takes null for absent', async () => {
    expect(await errorsOf(`${HEAD}jwt: null\nmode: null\n`)).toBe('ok');
  });

  it('reports every error with the path of its field', async () => {
    expect(await errorsOf(`${HEAD}mode: lax\nother: 1\njwt:\n- issuer: {url: 'http://a', audiences: []}\n- {}\n`)).toBe(
      [
        'jwt[0].issuer.url: must match pattern "^https://"',
        'jwt[0].issuer.audiences: must NOT have fewer than 1 items',
        'jwt[1].issuer: is required',
        'mode: must be one of "strict", "loose"',
        'strict decoding error: unknown field "other"',
      ].join('; '),
    );
  });

  it.each([
    ['kind: AuthenticationConfiguration', `Object 'apiVersion' is missing in '{"kind":"AuthenticationConfiguration"}'`],
    ['apiVersion: example.com/v1', `Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}'`],
    [
      'apiVersion: example.com/v2\nkind: AuthenticationConfiguration',
      'no kind "AuthenticationConfiguration" is registered for version "example.com/v2"; it must be one of AuthenticationConfiguration of example.com/v1',
    ],
    [
      `${HEAD}jwt:\n- {issuer: {url: 'https://a', other: 1}, some: 2}\n`,
      'strict decoding error: unknown field "jwt[0]',
    ],
    ['[]', 'json: cannot unmarshal array into Go value of type struct { APIVersion string "json:'],
    ['text', "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value"],
    ['', "Object 'Kind' is missing in ''"],
    ['null', "Object 'Kind' is missing in 'null'"],
    [
      `${HEAD}mode: strict\nmode: loose\nother: 1\n`,
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "mode" already set in map, unknown field "other"',
    ],
    [
      '{"apiVersion":"a", "kind":"", "kind":""}',
      `Object 'Kind' is missing in '{"apiVersion":"a", "kind":"", "kind":""}'`,
    ],
    ['a: {', 'yaml: line 1: did not find expected node content'],
    [
      '{a: 1}',
      "couldn't get version/kind; json parse error: invalid character 'a' looking for beginning of object key",
    ],
  ])('is refused: %j', async (text, expected) => {
    expect(await errorsOf(text)).toContain(expected);
  });
});

describe('a configuration file with named types', () => {
  const text = { type: 'string' };
  const rule = { type: 'object', title: 'Rule', properties: { name: text, names: { type: 'array', items: text } } };
  const schema = {
    title: 'Configuration',
    properties: {
      rules: { type: 'array', items: rule },
      main: rule,
      sure: { type: ['boolean', 'null'] },
      size: { type: 'integer', title: 'int32' },
      level: { type: 'string', title: 'Level' },
    },
  };
  const read = (content: string) =>
    readConfigFile(`apiVersion: example.com/v1beta1\nkind: Configuration\n${content}\n`, {
      'example.com/v1beta1/Configuration': schema,
    });

  it.each([
    ['rules: 5', 'number into Go struct field Configuration.rules of type []v1beta1.Rule'],
    ['rules: [x]', 'string into Go struct field Configuration.rules of type v1beta1.Rule'],
    ['main: [x]', 'array into Go struct field Configuration.main of type v1beta1.Rule'],
    ['sure: {}', 'object into Go struct field Configuration.sure of type bool'],
    ['size: x', 'string into Go struct field Configuration.size of type int32'],
    ['size: 1.5', 'number 1.5 into Go struct field Configuration.size of type int32'],
    ['level: no', 'bool into Go struct field Configuration.level of type v1beta1.Level'],
    ['main: {name: y}', 'bool into Go struct field Rule.main.name of type string'],
    ['rules: [{name: a}, {name: true}]', 'bool into Go struct field Rule.rules.name of type string'],
    ['main: {names: [a, 1], other: 1}', 'number into Go struct field Rule.main.names of type string'],
    ['rules: 1\nmain: 2', 'number into Go struct field Configuration.main of type v1beta1.Rule'],
  ])('is refused as by Go: %s', async (content, expected) => {
    const found = await read(content);
    expect(found.ok ? [] : found.errors).toEqual([{ path: '', message: `json: cannot unmarshal ${expected}` }]);
  });

  it('is YAML 1.1', async () => {
    const found = await read('sure: yes\nsize: 010\nrules: [&a {name: b}, {<<: *a, names: ["on", 2001-01-01]}]');
    expect(found.ok ? found.value : found.errors).toMatchObject({
      sure: true,
      size: 8,
      rules: [{ name: 'b' }, { name: 'b', names: ['on', '2001-01-01'] }],
    });
  });

  it('may have null for a field and for an element', async () => {
    const found = await read('rules: [null, {names: [null, a]}]\nmain: null\nsure: null');
    expect(found.ok ? found.value : found.errors).toEqual({
      apiVersion: 'example.com/v1beta1',
      kind: 'Configuration',
      rules: [{}, { names: ['', 'a'] }],
    });
  });
});
