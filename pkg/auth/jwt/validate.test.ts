import { expect, it } from 'vitest';
import { FieldErrors } from '../../api/index.js';
import type { AuthenticationConfig, ClaimMappings, IssuerConfig, JwtConfig } from './config.js';
import { compileAuthentication } from './validate.js';

const ISSUER: IssuerConfig = {
  url: 'https://a.example',
  discoveryURL: '',
  certificateAuthority: '',
  audiences: ['x'],
  audienceMatchPolicy: '',
  egressSelectorType: '',
};
const MAPPINGS: ClaimMappings = {
  username: { claim: 'sub', prefix: '', expression: '' },
  groups: { claim: '', prefix: undefined, expression: '' },
  uid: { claim: '', expression: '' },
  extra: [],
};
const RULE = { claim: '', requiredValue: '', expression: '', message: '' };

type Change = Partial<Omit<JwtConfig, 'issuer' | 'claimMappings'>> & {
  readonly issuer?: Partial<IssuerConfig>;
  readonly claimMappings?: Partial<ClaimMappings>;
};

const jwt = (change: Change): JwtConfig => ({
  claimValidationRules: [],
  userValidationRules: [],
  ...change,
  issuer: { ...ISSUER, ...change.issuer },
  claimMappings: { ...MAPPINGS, ...change.claimMappings },
});

function problems(config: Partial<AuthenticationConfig>): readonly string[] {
  const errors = new FieldErrors();
  compileAuthentication({ jwt: [], anonymous: undefined, ...config }, ['https://own.example'], errors);
  return errors.list.map(({ field, message }) => `${field}: ${message}`);
}

const byExpression = (expression: string) => ({ claim: '', prefix: undefined, expression });
const EMAIL =
  'jwt[0].claimMappings.username.expression: Invalid value: "claims.email": claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';

it.each<[Change, readonly string[]]>([
  [{}, []],
  [{ issuer: { url: 'https://' } }, []],
  [{ issuer: { url: 'https://?q' } }, ['jwt[0].issuer.url: Invalid value: "https://?q": URL must not contain a query']],
  [{ issuer: { url: '' } }, ['jwt[0].issuer.url: Required value']],
  [{ issuer: { url: 'http://a' } }, ['jwt[0].issuer.url: Invalid value: "http://a": URL scheme must be https']],
  [
    { issuer: { url: 'https://u:p@a?q#f' } },
    [
      'jwt[0].issuer.url: Invalid value: "https://u:p@a?q#f": URL must not contain a username or password',
      'jwt[0].issuer.url: Invalid value: "https://u:p@a?q#f": URL must not contain a query',
      'jwt[0].issuer.url: Invalid value: "https://u:p@a?q#f": URL must not contain a fragment',
    ],
  ],
  [
    { issuer: { url: 'https://own.example' } },
    [
      'jwt[0].issuer.url: Invalid value: "https://own.example": URL must not overlap with disallowed issuers: [https://own.example]',
    ],
  ],
  [
    { issuer: { discoveryURL: 'https://a.example/' } },
    ['jwt[0].issuer.discoveryURL: Invalid value: "https://a.example/": discoveryURL must be different from URL'],
  ],
  [
    { issuer: { audiences: [] } },
    ['jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required'],
  ],
  [
    { issuer: { audiences: ['a', 'a'] } },
    [
      'jwt[0].issuer.audiences[1]: Duplicate value: "a"',
      'jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences',
    ],
  ],
  [
    { issuer: { audienceMatchPolicy: 'All' } },
    [
      'jwt[0].issuer.audienceMatchPolicy: Invalid value: "All": audienceMatchPolicy must be empty or MatchAny for single audience',
    ],
  ],
  [
    { claimMappings: { username: { claim: 'sub', prefix: undefined, expression: '' } } },
    [
      'jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
    ],
  ],
  [
    { claimMappings: { username: { claim: '', prefix: undefined, expression: '' } } },
    ['jwt[0].claimMappings.username: Required value: claim or expression is required'],
  ],
  [
    { claimMappings: { username: { claim: '', prefix: 'p', expression: 'claims.sub' } } },
    ['jwt[0].claimMappings.username.prefix: Invalid value: "p": may not be specified when expression is set'],
  ],
  [{ claimMappings: { username: byExpression('claims.email') } }, [EMAIL]],
  [{ claimMappings: { username: byExpression('claims.email_verified ? claims.email : claims.sub') } }, []],
  [
    {
      claimMappings: { username: byExpression('claims.email') },
      claimValidationRules: [{ ...RULE, expression: 'claims.?email_verified.orValue(true) == true' }],
    },
    [],
  ],
  [
    { claimMappings: { uid: { claim: 'a', expression: 'claims.a' } } },
    ['jwt[0].claimMappings.uid: Invalid value: "": claim and expression can\'t both be set'],
  ],
  [
    {
      claimMappings: {
        extra: [
          { key: 'Foo.example/x', valueExpression: 'claims.a' },
          { key: 'a.kubernetes.io/x', valueExpression: 'claims.a' },
          { key: 'plain', valueExpression: '' },
        ],
      },
    },
    [
      "jwt[0].claimMappings.extra[0].key: Invalid value: \"Foo.example\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      'jwt[0].claimMappings.extra[0].key: Invalid value: "Foo.example/x": must be lowercase',
      'jwt[0].claimMappings.extra[1].key: Invalid value: "a.kubernetes.io/x": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
      'jwt[0].claimMappings.extra[2].key: Invalid value: "plain": must be a domain-prefixed path (such as "acme.io/foo")',
      'jwt[0].claimMappings.extra[2].valueExpression: Required value',
    ],
  ],
  [
    {
      claimValidationRules: [
        { ...RULE },
        { ...RULE, claim: 'a', message: 'm' },
        { ...RULE, claim: 'a' },
        { ...RULE, expression: 'claims.a == 1', requiredValue: 'x' },
        { ...RULE, expression: "'text'" },
      ],
    },
    [
      'jwt[0].claimValidationRules[0]: Required value: claim or expression is required',
      'jwt[0].claimValidationRules[1].message: Invalid value: "m": may not be specified when claim is set',
      'jwt[0].claimValidationRules[2].claim: Duplicate value: "a"',
      'jwt[0].claimValidationRules[3].requiredValue: Invalid value: "x": may not be specified when expression is set',
      'jwt[0].claimValidationRules[4].expression: Invalid value: "\'text\'": must evaluate to bool',
    ],
  ],
  [
    {
      userValidationRules: [
        { expression: '', message: '' },
        { expression: 'user.nothing', message: '' },
      ],
    },
    [
      'jwt[0].userValidationRules[0].expression: Required value',
      'jwt[0].userValidationRules[1].expression: Invalid value: "user.nothing": compilation failed: ERROR: <input>:1:5: undefined field \'nothing\'\n | user.nothing\n | ....^',
    ],
  ],
])('%j has these problems', (change, expected) => {
  expect(problems({ jwt: [jwt(change)] })).toEqual(expected);
});

it('issuers are unique', () => {
  expect(problems({ jwt: [jwt({}), jwt({})] })).toEqual(['jwt[1].issuer.url: Duplicate value: "https://a.example"']);
  const many = Array.from({ length: 65 }, (_, i) => jwt({ issuer: { url: `https://a${i}.example` } }));
  expect(problems({ jwt: many })).toEqual(['jwt: Too many: 65: must have at most 64 items']);
});

it('conditions of anonymous requests require that these are enabled', () => {
  expect(problems({ anonymous: { enabled: false, conditions: [{ path: '/a' }] } })).toEqual([
    'anonymous.conditions: Invalid value: [{"Path":"/a"}]: enabled should be set to true when conditions are defined',
  ]);
});
