import {
  asGiven,
  equalJson,
  type FieldErrors,
  FieldPath,
  goJson,
  isDns1035Label,
  isDns1123Subdomain,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../../api/index.js';
import { internalText } from '../../../schema/index.js';
import { at, listAt, nameOf, objectsAt, textAt } from '../access.js';
import { bundleProblem } from '../authoritybundle.js';
import { sentences, textOneOf } from '../rules.js';
import { serviceReference, webhookUrl } from '../webhookclient.js';
import { validateApproval } from './approval.js';
import { isEstablished, Precedent, REVIEWS } from './precedent.js';
import { validateSchema } from './schemarules.js';
import { hasDefault, hasExtension, schemasOf, someSchema } from './schemas.js';
import { validateSelectable } from './selectable.js';

/** Rules of CustomResourceDefinitions, in the order in which kube-apiserver reports them. */

const SPEC = FieldPath.of('spec');
const NAMES = SPEC.child('names');
const VERSIONS = SPEC.child('versions');
const ACCEPTED_NAMES = FieldPath.of('status', 'acceptedNames');

/**
 * `old` is the stored definition. An update is checked like a new definition, except for the rules that the stored definition violates and
 * that may stay violated (`Precedent`).
 */
export function validateDefinition(o: JsonObject, errors: FieldErrors, old?: JsonObject): void {
  const precedent = new Precedent(old);
  const spec: JsonObject = isObject(o['spec']) ? o['spec'] : {};
  const group = textAt(spec, 'group');
  const plural = textAt(spec, 'names', 'plural');
  // The names are immutable on update, so this is checked on create only.
  if (old === undefined && nameOf(o) !== '' && nameOf(o) !== `${plural}.${group}`)
    errors.invalid(FieldPath.of('metadata', 'name'), nameOf(o), 'must be spec.names.plural+"."+spec.group');
  validateGroup(group, errors);
  textOneOf(textAt(spec, 'scope'), SPEC.child('scope'), ['Cluster', 'Namespaced'], errors);
  validateVersions(o, errors, { precedent, old });
  const preserves = spec['preserveUnknownFields'] === true;
  const conversion = isObject(spec['conversion']) ? spec['conversion'] : {};
  const strategyPath = SPEC.child('conversion', 'strategy');
  if (preserves && textAt(conversion, 'strategy') !== 'None')
    errors.invalid(strategyPath, textAt(conversion, 'strategy'), 'must be None if spec.preserveUnknownFields is true');
  validateConversion(conversion, errors, precedent);
  if (old !== undefined) validateImmutable(o, old, errors);
  validateAcceptedNames(o, errors);
  validateStoredVersions(o, errors);
  validateApproval(o, errors, old);
  if (preserves && !precedent.preservesUnknownFields)
    errors.invalid(
      SPEC.child('preserveUnknownFields'),
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
}

function validateGroup(group: string, errors: FieldErrors): void {
  const path = SPEC.child('group');
  if (group === '') errors.required(path);
  else if (isDns1123Subdomain(group).length > 0) sentences(group, isDns1123Subdomain, path, errors);
  else if (!group.includes('.')) errors.invalid(path, group, 'should be a domain with at least one dot');
}

function validateNames(names: JsonObject, path: FieldPath, errors: FieldErrors): void {
  for (const field of ['plural', 'singular', 'kind', 'listKind'])
    if (textAt(names, field) === '') errors.required(path.child(field));
  validateNameForms(names, path, errors);
}

/** The names of a status may be empty; those of a spec may not. */
function validateNameForms(names: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const mixed = (value: string): readonly string[] =>
    isDns1035Label(value.toLowerCase()).map((s) => `may have mixed case, but should otherwise match: ${s}`);
  const name = (field: string, rule: (v: string) => readonly string[]): void => {
    const value = textAt(names, field);
    if (value !== '') sentences(value, rule, path.child(field), errors);
  };
  const list = (field: string): void =>
    listAt(names, field).forEach(
      (v, i) => void sentences(String(v), isDns1035Label, path.child(field).index(i), errors),
    );
  name('plural', isDns1035Label);
  name('singular', isDns1035Label);
  name('kind', mixed);
  name('listKind', mixed);
  list('shortNames');
  const kind = textAt(names, 'kind');
  if (kind !== '' && kind === textAt(names, 'listKind'))
    errors.invalid(path.child('listKind'), kind, 'kind and listKind may not be the same');
  list('categories');
}

export function validateAcceptedNames(o: JsonObject, errors: FieldErrors): void {
  const names = at(o, 'status', 'acceptedNames');
  validateNameForms(isObject(names) ? names : {}, ACCEPTED_NAMES, errors);
}

/** kube-apiserver's internal form keeps what all versions share at the top level, and its error paths show that. */
const HOISTED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

type Hoisted = (typeof HOISTED)[number];

interface Former {
  readonly precedent: Precedent;
  readonly old: JsonObject | undefined;
}

function validateVersions(o: JsonObject, errors: FieldErrors, { precedent, old }: Former): void {
  const spec: JsonObject = isObject(o['spec']) ? o['spec'] : {};
  const all = objectsAt(spec, 'versions');
  const given = (asGiven(spec, 'versions') ?? null) === null ? 'null' : '[]';
  const names = all.map((v) => textAt(v, 'name'));
  const shared = (field: Hoisted): boolean =>
    all.length > 0 && all.every((v) => equalJson(v[field] ?? null, all[0]![field] ?? null));
  const shown = (): string =>
    internalText(
      '[]apiextensions/v1.CustomResourceDefinitionVersion',
      all.map((v) => ({ ...v, ...Object.fromEntries(HOISTED.filter(shared).map((f) => [f, null])) })),
    );
  const hasStatus = (v: JsonObject): boolean => at(v, 'subresources', 'status') !== undefined;
  const structural = requiresStructure(o, errors, precedent);
  /** Checks a part of a version, or of all versions together: kube-apiserver reads the first of them for that. */
  const check = (field: Hoisted, i: number): void => {
    const isShared = shared(field);
    const before = objectsAt(old ?? {}, 'spec', 'versions').find((v) => v['name'] === names[i]);
    const same = (f: string): boolean => before !== undefined && equalJson(before[f] ?? null, all[i]![f] ?? null);
    const holder = {
      path: isShared ? SPEC : VERSIONS.index(i),
      version: all[i]!,
      precedent,
      structural,
      same,
      hasStatus: isShared ? all.some(hasStatus) : hasStatus(all[i]!),
      lacksSchema: isShared !== shared('schema') || !isObject(all[i]!['schema']),
    };
    validatePart(field, all[i]![field], holder, errors);
  };
  names.forEach((name, i) => {
    const path = VERSIONS.index(i);
    sentences(name, isDns1035Label, path.child('name'), errors);
    validateDeprecation(all[i]!, path, errors);
    for (const field of HOISTED) if (!shared(field)) check(field, i);
  });
  if (new Set(names).size !== names.length)
    errors.add('FieldValueInvalid', VERSIONS, `Invalid value: ${shown()}: must contain unique version names`);
  if (all.filter((v) => v['storage'] === true).length !== 1)
    errors.add(
      'FieldValueInvalid',
      VERSIONS,
      `Invalid value: ${all.length > 0 ? shown() : given}: must have exactly one version marked as storage version`,
    );
  // kube-apiserver's internal form has the name of the first version also here.
  const [first] = names;
  if (first !== undefined && first !== '') sentences(first, isDns1035Label, SPEC.child('version'), errors);
  validateNames(isObject(spec['names']) ? spec['names'] : {}, NAMES, errors);
  for (const field of HOISTED) if (shared(field)) check(field, 0);
}

/**
 * Checks that there are schemas, and reports whether they must be structural. Only a definition that preserves unknown fields, which was
 * stored by a release that allowed it, may lack them or have others.
 */
function requiresStructure(o: JsonObject, errors: FieldErrors, precedent: Precedent): boolean {
  const versions = objectsAt(o, 'spec', 'versions');
  const preserves = at(o, 'spec', 'preserveUnknownFields') === true;
  versions.forEach((v, i) => {
    if (isObject(at(v, 'schema', 'openAPIV3Schema'))) return;
    const path = VERSIONS.index(i).child('schema', 'openAPIV3Schema');
    if (!precedent.lacksSchema) errors.required(path);
    else if (!preserves && v['served'] === true) errors.required(path, 'because otherwise all fields are pruned');
  });
  if (!preserves) return true;
  const schemas = schemasOf(o);
  const defaults = someSchema(schemas, hasDefault);
  if (defaults)
    errors.invalid(SPEC.child('preserveUnknownFields'), true, 'must be false in order to use defaults in the schema');
  return defaults || !precedent.isNotStructural || someSchema(schemas, hasExtension);
}

/** The place of a part: that of its version, or the top level. */
interface Holder {
  readonly path: FieldPath;
  readonly version: JsonObject;
  readonly precedent: Precedent;
  /** The schemas must be structural. */
  readonly structural: boolean;
  /** Whether the version is stored with the same value of a field. */
  readonly same: (field: string) => boolean;
  readonly hasStatus: boolean;
  /** There is no schema beside the part. If only one of them is at the top level, they are not beside each other. */
  readonly lacksSchema: boolean;
}

function validatePart(field: Hoisted, value: JsonValue | undefined, part: Holder, errors: FieldErrors): void {
  const { path: holder, precedent, structural, same, hasStatus } = part;
  const top = holder === SPEC;
  switch (field) {
    case 'schema': {
      const schema = isObject(value) ? value['openAPIV3Schema'] : undefined;
      const path = holder.child(top ? 'validation' : 'schema', 'openAPIV3Schema');
      const context = { precedent, structural, isUnchanged: same('schema'), hasStatus };
      if (isObject(schema)) validateSchema(schema, path, errors, context);
      break;
    }
    case 'subresources':
      if (isObject(value)) validateSubresources(value, holder.child('subresources'), errors);
      break;
    case 'additionalPrinterColumns':
      if (Array.isArray(value))
        value.forEach((c, i) => {
          if (isObject(c)) validateColumn(c, holder.child('additionalPrinterColumns').index(i), errors);
        });
      break;
    case 'selectableFields':
      if (!Array.isArray(value) || value.length === 0) break;
      if (part.lacksSchema)
        errors.invalid(
          holder.child('selectableFields'),
          '',
          top
            ? 'may only be set when validations.schema is included'
            : 'may only be set when `version.schema.openAPIV3Schema` is not included',
        );
      else {
        const path = holder.child('selectableFields');
        const schema = at(part.version, 'schema', 'openAPIV3Schema');
        // A release without the bound may have stored more.
        validateSelectable(value.filter(isObject), { path, schema, mayExceed: same('selectableFields') }, errors);
      }
      break;
  }
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function validateColumn(c: JsonObject, path: FieldPath, errors: FieldErrors): void {
  if (textAt(c, 'name') === '') errors.required(path.child('name'));
  const type = textAt(c, 'type');
  if (type === '') errors.required(path.child('type'), `must be one of ${COLUMN_TYPES.join(',')}`);
  else if (!COLUMN_TYPES.includes(type))
    errors.invalid(path.child('type'), type, `must be one of ${COLUMN_TYPES.join(',')}`);
  const format = textAt(c, 'format');
  if (format !== '' && !COLUMN_FORMATS.includes(format))
    errors.invalid(path.child('format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`);
  const jsonPath = textAt(c, 'jsonPath');
  if (jsonPath === '') errors.required(path.child('JSONPath'));
  else if (!jsonPath.startsWith('.'))
    errors.invalid(path.child('JSONPath'), jsonPath, 'must be a simple json path starting with .');
}

function validateSubresources(sub: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const { scale } = sub;
  if (!isObject(scale)) return;
  const check = (field: string, below: readonly string[], detail: string): void => {
    const value = textAt(scale, field);
    const at = path.child('scale', field);
    if (value === '') {
      if (field !== 'labelSelectorPath') errors.required(at);
    } else if (!value.startsWith('.')) errors.invalid(at, value, 'must be a simple json path starting with .');
    else if (!below.some((b) => value.startsWith(`${b}.`)))
      errors.invalid(at, value, `should be a json path under ${detail}`);
  };
  check('specReplicasPath', ['.spec'], '.spec');
  check('statusReplicasPath', ['.status'], '.status');
  check('labelSelectorPath', ['.spec', '.status'], 'either .spec or .status');
}

const WARNING_BYTES_MAX = 256;
/** What Go's `unicode.IsPrint` rejects. */
const NOT_PRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

function validateDeprecation(v: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const warning = v['deprecationWarning'];
  if (typeof warning !== 'string') return;
  // The value is a pointer in kube-apiserver, which its messages show as JSON.
  const invalid = (detail: string): void => {
    errors.add('FieldValueInvalid', path.child('deprecationWarning'), `Invalid value: ${goJson(warning)}: ${detail}`);
  };
  if (v['deprecated'] !== true) {
    invalid('can only be set for deprecated versions');
    return;
  }
  if (Buffer.byteLength(warning) > WARNING_BYTES_MAX) invalid(`must be <= ${WARNING_BYTES_MAX} characters long`);
  if (warning === '') invalid('must not be an empty string');
  const bad = NOT_PRINTABLE.exec(warning);
  if (bad === null) return;
  const index = Buffer.byteLength(warning.slice(0, bad.index));
  invalid(`must only contain printable UTF-8 characters; non-printable character found at index ${index}`);
}

function validateConversion(conversion: JsonObject, errors: FieldErrors, precedent: Precedent): void {
  const path = SPEC.child('conversion');
  const strategy = textAt(conversion, 'strategy');
  textOneOf(strategy, path.child('strategy'), ['None', 'Webhook'], errors);
  const webhook = isObject(conversion['webhook']) ? conversion['webhook'] : undefined;
  const client = webhook?.['clientConfig'];
  const versions = listAt(webhook ?? {}, 'conversionReviewVersions').map(String);
  const [clientPath, versionsPath] = [path.child('webhookClientConfig'), path.child('conversionReviewVersions')];
  if (strategy !== 'Webhook') {
    if (strategy !== 'None') return;
    const detail = 'should not be set when strategy is not set to Webhook';
    if (isObject(client)) errors.forbidden(clientPath, detail);
    if (versions.length > 0) errors.forbidden(versionsPath, detail);
    return;
  }
  if (!isObject(client)) errors.required(clientPath, 'required when strategy is set to Webhook');
  else {
    validateClient(client, clientPath, errors);
    const bundle = textAt(client, 'caBundle');
    const problem = bundle === '' || precedent.mayHaveInvalidBundle ? undefined : bundleProblem(bundle);
    if (problem !== undefined) errors.invalid(clientPath.child('caBundle'), bundle, problem);
  }
  if (versions.length === 0) {
    errors.required(versionsPath);
    return;
  }
  versions.forEach((v, i) => {
    if (versions.indexOf(v) < i) errors.invalid(versionsPath.index(i), v, 'duplicate version');
    else for (const s of isDns1035Label(v)) errors.invalid(versionsPath.index(i), v, s);
  });
  if (!versions.some((v) => REVIEWS.includes(v)) && !precedent.hasUnknownReviews)
    errors.invalid(versionsPath, versions, `must include at least one of ${REVIEWS.join(', ')}`);
}

/**
 * Reports whether the conversion webhook of a definition has a `caBundle` that can be read, or needs none. A definition may be created with
 * an unreadable one, and is not established until it has been corrected; one that is readable must stay so.
 */
export function hasValidBundle(definition: JsonObject): boolean {
  const conversion = at(definition, 'spec', 'conversion') ?? {};
  const bundle = textAt(conversion, 'webhook', 'clientConfig', 'caBundle');
  return textAt(conversion, 'strategy') !== 'Webhook' || bundle === '' || bundleProblem(bundle) === undefined;
}

function validateClient(client: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const { url, service } = client;
  const hasUrl = typeof url === 'string';
  if (hasUrl === isObject(service)) errors.required(path, 'exactly one of url or service is required');
  else if (hasUrl) webhookUrl(url, path.child('url'), errors);
  else if (isObject(service)) serviceReference(service, path.child('service'), errors);
}

function validateImmutable(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const immutable = (...path: readonly string[]): void => {
    const value = textAt(o, ...path);
    if (value !== textAt(old, ...path)) errors.invalid(FieldPath.of(...path), value, 'field is immutable');
  };
  if (isEstablished(old)) {
    immutable('spec', 'scope');
    immutable('spec', 'names', 'kind');
  }
  immutable('spec', 'group');
  immutable('spec', 'names', 'plural');
}

/** `status.storedVersions` lists every version in which objects may be stored: the current and former storage versions. */
function validateStoredVersions(o: JsonObject, errors: FieldErrors): void {
  const path = FieldPath.of('status', 'storedVersions');
  const stored = listAt(o, 'status', 'storedVersions').map(String);
  const versions = objectsAt(o, 'spec', 'versions');
  if (stored.length === 0)
    errors.add('FieldValueInvalid', path, 'Invalid value: null: must have at least one stored version');
  const storage = versions.filter((v) => v['storage'] === true).map((v) => textAt(v, 'name'));
  const current = storage.at(-1);
  if (current !== undefined && stored.length > 0 && !stored.includes(current))
    errors.invalid(path, stored, `must have the storage version ${current}`);
  const known = new Set(versions.map((v) => textAt(v, 'name')));
  stored.forEach((name, i) => {
    if (!known.has(name))
      errors.invalid(
        path.index(i),
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      );
  });
}
