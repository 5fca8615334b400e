/**
 * A parsed validation marker: its scope and its requirement. README.md describes the text form:
 * `beta/eachVal/maxBytes=64` is `{level: 'beta', scopes: [{kind: 'eachVal'}], name: 'maxBytes', value: '64'}`.
 */
export interface Rule {
  readonly level: 'stable' | 'beta' | 'alpha';
  /** Outermost first. */
  readonly scopes: readonly Scope[];
  readonly name: string;
  readonly value: string;
  /** The rule runs first, and the others run only if it finds no error. */
  readonly first: boolean;
}

export type Scope =
  | { readonly kind: 'eachVal' | 'eachKey' }
  | { readonly kind: 'subfield' | 'ifEnabled' | 'ifDisabled' | 'ifMode'; readonly argument: string };

/** Markers that code of the kind implements. */
const BY_HAND: ReadonlySet<string> = new Set(['customUnique', 'customValidation', 'item']);

const FIRST: ReadonlySet<string> = new Set([
  'required',
  'optional',
  'forbidden',
  'immutable',
  'maxItems',
  'maxProperties',
  'update',
]);

/** Returns undefined for markers that are not evaluated here. */
export function parseRule(text: string): Rule | undefined {
  const parts = text.split('/');
  let level: Rule['level'] = 'stable';
  if (parts[0] === 'alpha' || parts[0] === 'beta') level = parts.shift() as 'alpha' | 'beta';
  const [name, value] = head(parts.pop() as string, '=');
  const scopes = parts.map(parseScope);
  if (BY_HAND.has(name) || scopes.some((s) => s === undefined)) return undefined;
  const here = scopes.every((s) => s?.kind === 'ifEnabled' || s?.kind === 'ifDisabled');
  return { level, scopes: scopes as Scope[], name, value, first: here && FIRST.has(name) };
}

function parseScope(text: string): Scope | undefined {
  const [kind, rest] = head(text, '(');
  const argument = rest.replace(/\)$/, '');
  switch (kind) {
    case 'eachVal':
    case 'eachKey':
      return { kind };
    case 'subfield':
    case 'ifEnabled':
    case 'ifDisabled':
    case 'ifMode':
      return { kind, argument };
    default:
      return undefined;
  }
}

function head(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
