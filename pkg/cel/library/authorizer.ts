import { isDns1123Label, isDns1123Subdomain } from '../../api/index.js';
import { declare, type Library } from '../environment.js';
import { Suspended } from '../suspended.js';
import { fail, noOverload, Opaque, type Value } from '../values.js';
import { typeConstants } from './standard.js';

/** The attributes of a check: either a path, or the fields of a resource. */
export interface Check {
  readonly verb: string;
  readonly path: string | undefined;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly fieldSelector: string | undefined;
  readonly labelSelector: string | undefined;
  /** Set if the check is for a service account instead of the user of the request. */
  readonly serviceAccount: { readonly namespace: string; readonly name: string } | undefined;
}

export interface CheckDecision {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error: string | undefined;
}

/** Answers checks for one request; each check is made once. */
export class CheckMemo {
  readonly #ask: (check: Check) => CheckDecision | Promise<CheckDecision>;
  readonly #known = new Map<string, CheckDecision>();

  constructor(ask: (check: Check) => CheckDecision | Promise<CheckDecision>) {
    this.#ask = ask;
  }

  decide(check: Check): CheckDecision {
    const key = JSON.stringify(check);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const keep = (decision: CheckDecision) => void this.#known.set(key, decision);
    const decision = this.#ask(check);
    if (decision instanceof Promise) throw new Suspended(decision.then(keep));
    keep(decision);
    return decision;
  }
}

const PREFIX = 'kubernetes.authorization.';
const AUTHORIZER = `${PREFIX}Authorizer`;
const PATH = `${PREFIX}PathCheck`;
const GROUP = `${PREFIX}GroupCheck`;
const RESOURCE = `${PREFIX}ResourceCheck`;
const DECISION = `${PREFIX}Decision`;

const NOTHING: Check = {
  verb: '',
  path: undefined,
  group: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  fieldSelector: undefined,
  labelSelector: undefined,
  serviceAccount: undefined,
};

class Question extends Opaque {
  readonly typeName: string;
  readonly memo: CheckMemo;
  readonly check: Check;

  constructor(typeName: string, memo: CheckMemo, check: Check) {
    super();
    this.typeName = typeName;
    this.memo = memo;
    this.check = check;
  }

  override get comparesAny(): boolean {
    return true;
  }

  equals(other: Value): boolean {
    return other === this;
  }

  with(typeName: string, change: Partial<Check>): Question {
    return new Question(typeName, this.memo, { ...this.check, ...change });
  }
}

class Decision extends Opaque {
  readonly decision: CheckDecision;

  constructor(decision: CheckDecision) {
    super();
    this.decision = decision;
  }

  get typeName(): string {
    return DECISION;
  }

  override get comparesAny(): boolean {
    return true;
  }

  equals(other: Value): boolean {
    return other === this;
  }
}

/** The value of the variable `authorizer`. */
export function authorizerValue(memo: CheckMemo): Value {
  return new Question(AUTHORIZER, memo, NOTHING);
}

/** The value of `authorizer.requestResource`. */
export function resourceCheckValue(memo: CheckMemo, check: Partial<Check>): Value {
  return new Question(RESOURCE, memo, { ...NOTHING, ...check });
}

const step = (name: string, id: string, from: string, to: string, change: (text: string) => Partial<Check>) =>
  declare(name, [`${id}: ${from}.(string): ${to}`], (q, text) => {
    if (!(q instanceof Question) || q.typeName !== from || typeof text !== 'string') return noOverload(name, q, text);
    return q.with(to, change(text));
  });

const read = (name: string, result: string, get: (d: CheckDecision) => Value) =>
  declare(name, [`decision_${name}: ${DECISION}.(): ${result}`], (d) =>
    d instanceof Decision ? get(d.decision) : noOverload(name, d),
  );

/** Checks whether the user of the request, or a service account, may do something. */
export const authorizerLibrary: Library = {
  constants: new Map([AUTHORIZER, PATH, GROUP, RESOURCE, DECISION].flatMap((name) => [...typeConstants(name)!])),
  functions: [
    step('group', 'authorizer_group', AUTHORIZER, GROUP, (group) => ({ group })),
    step('resource', 'groupcheck_resource', GROUP, RESOURCE, (resource) => ({ resource })),
    step('subresource', 'resourcecheck_subresource', RESOURCE, RESOURCE, (subresource) => ({ subresource })),
    step('namespace', 'resourcecheck_namespace', RESOURCE, RESOURCE, (namespace) => ({ namespace })),
    step('name', 'resourcecheck_name', RESOURCE, RESOURCE, (name) => ({ name })),
    step('fieldSelector', 'authorizer_fieldselector', RESOURCE, RESOURCE, (fieldSelector) => ({ fieldSelector })),
    step('labelSelector', 'authorizer_labelselector', RESOURCE, RESOURCE, (labelSelector) => ({ labelSelector })),
    declare('path', [`authorizer_path: ${AUTHORIZER}.(string): ${PATH}`], (q, path) => {
      if (!(q instanceof Question) || typeof path !== 'string') return noOverload('path', q, path);
      return path === '' ? fail('path must not be empty') : q.with(PATH, { path });
    }),
    declare(
      'serviceAccount',
      [`authorizer_serviceaccount: ${AUTHORIZER}.(string, string): ${AUTHORIZER}`],
      (q, namespace, name) => {
        if (!(q instanceof Question) || typeof namespace !== 'string' || typeof name !== 'string')
          return noOverload('serviceAccount', q, namespace, name);
        if (isDns1123Subdomain(name).length > 0) return fail('Invalid service account name');
        if (isDns1123Label(namespace).length > 0) return fail('Invalid service account namespace');
        return q.with(AUTHORIZER, { serviceAccount: { namespace, name } });
      },
    ),
    declare(
      'check',
      [`pathcheck_check: ${PATH}.(string): ${DECISION}`, `resourcecheck_check: ${RESOURCE}.(string): ${DECISION}`],
      (q, verb) => {
        if (!(q instanceof Question) || typeof verb !== 'string') return noOverload('check', q, verb);
        return new Decision(q.memo.decide({ ...q.check, verb }));
      },
    ),
    read('allowed', 'bool', (d) => d.allowed),
    read('reason', 'string', (d) => d.reason),
    read('errored', 'bool', (d) => d.error !== undefined),
    read('error', 'string', (d) => d.error ?? ''),
  ],
};
