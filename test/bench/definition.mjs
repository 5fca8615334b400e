// CustomResourceDefinitions in the style of cert-manager and prometheus-operator: deep schemas with a description of every field,
// defaults, enums, patterns, maps, lists of each type, and some CEL rules. The same number always gives the same definition.

const WORDS = 'the of a selector reference name namespace container volume image policy resource field specifies whether value default optional must be set when key secret config map label annotation object that this which pods endpoint timeout duration interval retention storage replica count cluster service account token certificate issuer template'.split(' ');
const NAMES = 'enabled name key path port replicas image policy selector reference mode secret config storage size class interval timeout limit labels tls server target rules metrics alert query remote write read basic token headers proxy scheme relabel action regex source window shard affinity mount volume retention version group issuer duration renew usages private algorithm encoding subject organization dns solver challenge email account'.split(' ');
const GROUPS = 40;

/** A generator of numbers below `n` (Lehmer). */
function numbers(seed) {
  let state = (seed * 48271 + 11) % 2147483647 || 1;
  return (n) => {
    state = (state * 48271) % 2147483647;
    return state % n;
  };
}

const wordsOf = (below, count) => Array.from({ length: count }, () => WORDS[below(WORDS.length)]).join(' ');

const SCALARS = [
  () => ({ type: 'string' }),
  () => ({ type: 'string' }),
  () => ({ type: 'string' }),
  () => ({ type: 'boolean' }),
  () => ({ type: 'integer', format: 'int32', minimum: 0 }),
  () => ({ type: 'integer', format: 'int64' }),
  () => ({ type: 'string', enum: ['Always', 'IfNotPresent', 'Never'] }),
  () => ({ type: 'string', pattern: '^(0|(([0-9]+)y)?(([0-9]+)w)?(([0-9]+)d)?(([0-9]+)h)?(([0-9]+)m)?(([0-9]+)s)?)$' }),
  () => ({ type: 'string', default: 'Default' }),
  () => ({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }),
  () => ({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' }),
  () => ({ type: 'array', items: { type: 'string', maxLength: 64 }, maxItems: 16, 'x-kubernetes-list-type': 'set' }),
  () => ({ type: 'object', additionalProperties: { type: 'string' } }),
];

function fields(below, depth, budget) {
  const properties = {};
  const count = 4 + below(8);
  for (let i = 0; i < count && budget.bytes > 0; i++) {
    const name = `${NAMES[below(NAMES.length)]}${i === 0 ? '' : NAMES[below(NAMES.length)].replace(/^./, (c) => c.toUpperCase())}`;
    if (properties[name] !== undefined) continue;
    const description = wordsOf(below, 8 + below(30));
    budget.bytes -= description.length + 60;
    const kind = below(10);
    if (depth > 0 && kind < 3) properties[name] = { description, ...object(below, depth - 1, budget) };
    else if (depth > 0 && kind < 4)
      properties[name] = { description, type: 'array', items: object(below, depth - 1, budget), ...(below(2) === 0 && { 'x-kubernetes-list-type': 'atomic' }) };
    else properties[name] = { description, ...SCALARS[below(SCALARS.length)]() };
  }
  return properties;
}

const object = (below, depth, budget) => ({ type: 'object', properties: fields(below, depth, budget) });

/** The group of a definition; 40 groups share them. */
export const groupOf = (i) => `group${i % GROUPS}.bench.example.com`;
export const pluralOf = (i) => `things${i}`;
export const nameOf = (i) => `${pluralOf(i)}.${groupOf(i)}`;
export const collectionOf = (i) => `/apis/${groupOf(i)}/v1/namespaces/default/${pluralOf(i)}`;

/** A definition of about this many bytes of JSON. */
export function definition(i, bytes) {
  const below = numbers(i + 1);
  const budget = { bytes: bytes * 0.88 };
  const spec = {};
  for (let part = 0; budget.bytes > 0; part++) spec[`part${part}`] = { description: wordsOf(below, 20), ...object(below, 5, budget) };
  spec.size = { type: 'integer', minimum: 0, maximum: 100, default: 1, description: 'The size.' };
  spec.limit = { type: 'integer', description: 'The limit.' };
  const schema = {
    type: 'object',
    description: wordsOf(below, 30),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: { type: 'object', properties: spec, 'x-kubernetes-validations': [{ rule: '!has(self.limit) || self.size <= self.limit', message: 'size must not exceed limit' }] },
      status: { type: 'object', properties: { phase: { type: 'string' }, replicas: { type: 'integer' } } },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: nameOf(i) },
    spec: {
      group: groupOf(i),
      scope: 'Namespaced',
      names: { plural: pluralOf(i), singular: `thing${i}`, kind: `Thing${i}`, listKind: `Thing${i}List`, shortNames: [`t${i}`], categories: ['things'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.replicas' } },
          additionalPrinterColumns: [{ name: 'Phase', type: 'string', jsonPath: '.status.phase' }],
          schema: { openAPIV3Schema: schema },
        },
      ],
    },
  };
}
