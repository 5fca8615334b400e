/** Inputs that once caused a failure, each with a description. Every run tries them. */
export interface Found {
  /** Name of the target. */
  readonly target: string;
  readonly was: string;
  readonly input: Buffer;
}

/** Deeply nested anchors. */
function nestedAliases(anchors: number, depth: number): string {
  const nested = (inner: string): string => '{a: '.repeat(depth) + inner + '}'.repeat(depth);
  return Array.from({ length: anchors }, (_, i) => `- &a${i} ${nested(i === 0 ? '1' : `*a${i - 1}`)}\n`).join('');
}

const long = 'x'.repeat(200_000);

export const FOUND: readonly Found[] = [
  { target: 'bodies: yaml', was: 'an overflow of the stack', input: Buffer.from('&a {? *a : b}') },
  { target: 'bodies: yaml', was: 'an overflow of the stack', input: Buffer.from(nestedAliases(12, 900)) },
  {
    target: 'bodies: yaml',
    was: '600 MB of tags without a meaning',
    input: Buffer.from(`%TAG !a! ${long}\n---\n${'- !a!x y\n'.repeat(3000)}`),
  },
  {
    target: 'bodies: yaml',
    was: 'four seconds of copying a key',
    input: Buffer.from(`- &a "${long}"\n- {${'*a : 1,'.repeat(8000)}}\n`),
  },
  {
    target: 'values: JSON, YAML, CBOR without a schema',
    was: 'half a minute of building the same path',
    input: Buffer.from(`{"${long}":{${'"a":1,'.repeat(30_000)}"a":1}}`),
  },
  {
    target: 'managed fields',
    was: 'a number out of range, written again as Infinity',
    input: Buffer.from(
      '[{"manager":"m","operation":"Apply","apiVersion":"apps/v1","fieldsType":"FieldsV1","fieldsV1":{"k:{\\"n\\":1e309}":{}}}]',
    ),
  },
  {
    target: 'access: tokens that someone signed',
    was: 'an audience that is a number, taken for none',
    input: Buffer.from(
      '{"by":"own","header":{"alg":"RS256"},"claims":{"iss":"https://kubernetes.default.svc","aud":1,"kubernetes.io":{"namespace":"n","serviceaccount":{"name":"sa","uid":"u1"}}}}',
    ),
  },
];
