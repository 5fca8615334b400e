import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { finish } from '../../base/index.js';
import { kindSchema, type Schema } from '../../schema/index.js';
import { type KnownKinds, typeCheck } from './typecheck.js';

const PLURALS: Readonly<Record<string, string>> = {
  pods: 'Pod',
  services: 'Service',
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  horizontalpodautoscalers: 'HorizontalPodAutoscaler',
};

const known = (group: string, version: string, kind: string) => {
  const found = kindSchema({ group, version, kind });
  return found === undefined ? undefined : { kind: { group, version, kind }, schema: found.schema as Schema };
};

const KINDS: KnownKinds = {
  ofResource: (group, version, resource) =>
    PLURALS[resource] === undefined ? undefined : known(group, version, PLURALS[resource]),
  ofKind: ({ group, version, kind }) => known(group, version, kind),
};

const rule = (apiGroups: string[], apiVersions: string[], resources: string[]): JsonObject => ({
  matchConstraints: { resourceRules: [{ apiGroups, apiVersions, operations: ['*'], resources }] },
});
const PODS = rule([''], ['v1'], ['pods']);

function warnings(spec: JsonObject): readonly string[] {
  return finish(typeCheck(spec, KINDS)).map((w) => `${w.fieldRef} ${w.warning}`);
}

const one = (expression: string, spec: JsonObject): readonly string[] =>
  warnings({ ...spec, validations: [{ expression }] });

/** The expected texts are those of kube-controller-manager 1.37.2. */
describe('type checking of a policy', () => {
  it('finds no errors in an expression with the right types', () => {
    expect(one('object.spec.replicas > 1', rule(['apps'], ['v1'], ['deployments', 'statefulsets']))).toEqual([]);
    expect(one("object.spec.ports[0].targetPort == 'a'", rule([''], ['v1'], ['services']))).toEqual([]);
    expect(one("object.metadata.namespace == 'x' && object.metadata.__namespace__ == 'y'", PODS)).toEqual([]);
  });

  it('reports fields and types that do not exist, for each kind in order', () => {
    expect(one('object.replicas > 1', rule(['apps'], ['v1'], ['statefulsets', 'deployments']))).toEqual([
      ['Deployment', 'StatefulSet']
        .map(
          (kind) =>
            `apps/v1, Kind=${kind}: ERROR: <input>:1:7: undefined field 'replicas'\n | object.replicas > 1\n | ......^\n`,
        )
        .join('\n')
        .replace(/^/, 'spec.validations[0].expression '),
    ]);
    expect(one("object.spec.terminationGracePeriodSeconds == '1'", PODS)[0]).toContain(
      "found no matching overload for '_==_' applied to '(int, string)'",
    );
  });

  it('supports quantities, and not values without a type', () => {
    expect(one('object.spec.containers[0].resources.limits.cpu == 1', PODS)[0]).toContain("undefined field 'limits'");
    expect(one("object.spec.volumes[0].emptyDir.sizeLimit == 'x'", PODS)[0]).toContain("undefined field 'sizeLimit'");
  });

  it('supports variables, parameters and the authorizer', () => {
    const spec = {
      ...PODS,
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      variables: [{ name: 'n', expression: 'object.spec.containers.size()' }],
    };
    expect(one("variables.n > 1 && params.data.x == 'a'", spec)).toEqual([]);
    expect(one("variables.n == 'a'", spec)[0]).toContain("applied to '(int, string)'");
    expect(one('params.foo', spec)[0]).toContain("undefined field 'foo'");
    expect(one('params.foo', { ...spec, paramKind: { apiVersion: 'x.io/v1', kind: 'None' } })).toEqual([]);
    expect(one("authorizer.requestResource.check('get').allowed()", PODS)[0]).toContain(
      "unexpected failed resolution of 'kubernetes.authorization.Authorizer'",
    );
  });

  it('checks message expressions', () => {
    const validations = [{ expression: 'true', messageExpression: "'a' + object.spec.nodeName + object.nope" }];
    expect(warnings({ ...PODS, validations })).toEqual([
      expect.stringContaining(
        'spec.validations[0].messageExpression /v1, Kind=Pod: ERROR: <input>:1:36: undefined field',
      ),
    ]);
  });

  it('skips rules with wildcards, and resources that are not served', () => {
    for (const spec of [rule(['*'], ['v1'], ['pods']), rule([''], ['v1'], ['pods/status', '*', 'nosuch'])])
      expect(one('object.nope', spec)).toEqual([]);
  });
});
