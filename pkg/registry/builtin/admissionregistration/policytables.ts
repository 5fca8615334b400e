import type { JsonObject } from '../../../api/index.js';
import type { TableDeclaration } from '../../resource.js';
import { at, listAt, textAt } from '../access.js';
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
    const ref = at(o, 'spec', 'paramRef');
    const namespace = textAt(ref, 'namespace');
    const name = textAt(ref, 'name');
    const text = ref === undefined ? '<unset>' : name === '' ? '*' : namespace === '' ? name : `${namespace}/${name}`;
    return [textAt(o, 'spec', 'policyName'), text, age(o, now)];
  },
);
