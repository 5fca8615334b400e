import { compareText, isObject, type JsonObject, type JsonValue } from '../../../api/index.js';
import type { TableDeclaration } from '../../resource.js';
import { at, listAt, objectAt, objectsAt, textAt } from '../access.js';
import { AGE, age, column, table } from '../table.js';

/** Columns of a policy: the number of its rules and the kind of its parameters. */
export function policyTable(rules: 'validations' | 'mutations'): TableDeclaration {
  const name = rules === 'validations' ? 'Validations' : 'Mutations';
  return table(
    [
      column(name, 'Number of its expressions.', { type: 'integer' }),
      column('ParamKind', 'Kind of its parameters.'),
      AGE,
    ],
    (o, now) => [listAt(o, 'spec', rules).length, paramKind(o), age(o, now)],
  );
}

function paramKind(o: JsonObject): string {
  const kind = at(o, 'spec', 'paramKind');
  if (kind === undefined) return '<unset>';
  return [textAt(kind, 'apiVersion'), textAt(kind, 'kind')].filter((p) => p !== '').join('/');
}

/** Columns of a binding: the policy and the parameters. */
export const policyBindingTable: TableDeclaration = table(
  [column('PolicyName', 'The policy that it binds.'), column('ParamRef', 'The parameters that it binds to.'), AGE],
  (o, now) => {
    return [textAt(o, 'spec', 'policyName'), paramRef(at(o, 'spec', 'paramRef')), age(o, now)];
  },
);

function paramRef(ref: JsonValue | undefined): string {
  const name = textAt(ref, 'name');
  if (name !== '') return `${textAt(ref, 'namespace') || '*'}/${name}`;
  const selector = at(ref, 'selector');
  return isObject(selector) ? goSelector(selector) : '<unset>';
}

/** A label selector as Go prints it. */
function goSelector(selector: JsonObject): string {
  const labels = Object.entries(objectAt(selector, 'matchLabels')).sort(([a], [b]) => compareText(a, b));
  const expressions = objectsAt(selector, 'matchExpressions').map(
    (e) =>
      `LabelSelectorRequirement{Key:${textAt(e, 'key')},Operator:${textAt(e, 'operator')},Values:[${listAt(e, 'values').join(' ')}],},`,
  );
  const shown = labels.map(([key, value]) => `${key}: ${String(value)},`).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${shown}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}
