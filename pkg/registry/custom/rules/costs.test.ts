import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FieldErrors, FieldPath, type JsonObject, type JsonValue } from '../../../api/index.js';
import { CURRENT, compile, estimateCost, failed, kubernetesEnvironment } from '../../../cel/index.js';
import { mostValues, RuleCosts } from './costs.js';
import { sizesBelow, valueSize } from './sizes.js';
import { ruleType } from './types.js';

interface Recorded {
  readonly schema: JsonObject;
  readonly object: JsonValue;
  /**
   * An expression with its estimated and its actual cost in kube-apiserver 1.37.2; null if the order of keys decides.
   */
  readonly costs: readonly (readonly [string, string, number | null])[];
}

const recorded = JSON.parse(readFileSync(new URL('./costs.recorded.json', import.meta.url), 'utf8')) as Recorded;
const LIMIT = 1_000_000;

describe('costs', () => {
  const type = ruleType(recorded.schema, 'Object')!;
  const environment = kubernetesEnvironment(CURRENT).extend({ self: type.type }, type.structs);
  const sizes = sizesBelow(valueSize(recorded.schema)!);

  it('equal those of kube-apiserver, estimated and actual', () => {
    for (const [expression, estimated, counted] of recorded.costs) {
      const compiled = compile(expression, environment);
      if (failed(compiled)) throw new Error(`${expression}: ${compiled.error}`);
      expect(String(estimateCost(compiled, sizes)), expression).toBe(estimated);
      const { cost } = compiled.program.run(
        (name) => (name === 'self' ? type.adapt(recorded.object) : undefined),
        LIMIT,
      );
      if (counted !== null) expect(cost, expression).toBe(counted);
    }
  });
});

describe('the limits of a definition', () => {
  const path = FieldPath.of('rule');
  const messages = (costs: RuleCosts, errors: FieldErrors): readonly string[] => {
    costs.finish(FieldPath.of('schema'), errors);
    return errors.list.map((e) => `${e.field}: ${e.message}`);
  };
  const advice =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

  it('multiply the cost of a rule by the number of values', () => {
    for (const [cost, factor] of [
      [1_000_000n, undefined],
      [1_200_000n, '1.200000x'],
      [2_500_000n, '2.5x'],
      [1_000_000_000n, 'more than 100x'],
    ] as const) {
      const errors = new FieldErrors();
      new RuleCosts(false).rule(path, cost, 10n, errors);
      const wanted = `rule: Forbidden: estimated rule cost exceeds budget by factor of ${factor} ${advice}`;
      expect(errors.list.map((e) => `${e.field}: ${e.message}`)).toEqual(factor === undefined ? [] : [wanted]);
    }
  });

  it('add up the rules of a schema, and name the four most expensive', () => {
    const costs = new RuleCosts(true);
    const errors = new FieldErrors();
    for (let i = 1; i <= 6; i++) costs.message(path.index(i), BigInt(i) * 10_000_000n, errors);
    expect(messages(costs, errors)).toEqual([
      ...[6, 5, 4, 3].map(
        (i) =>
          `rule[${i}]: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      ),
      `schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 2.1x ${advice}`,
    ]);
  });

  it('assume the size of a request if no list or map is bounded', () => {
    expect(mostValues({ countMax: 0, bytesMin: 2 })).toBe(1_048_576n);
  });
});
