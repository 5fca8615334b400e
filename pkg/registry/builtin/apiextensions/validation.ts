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
import { validateSchema } from './schemarules.js';
import { selectablePath } from './selectable.js';

/** Rules of CustomResourceDefinitions, in the order in which kube-apiserver reports them. */

const SPEC = FieldPath.of('spec');
const NAMES = SPEC.child('names');
const VERSIONS = SPEC.child('versions');

/** `old` is the stored definition. An update may leave errors that it already has (ratcheting). */
export function validateDefinition(o: JsonObject, errors: FieldErrors, old?: JsonObject): void {
  const spec: JsonObject = isObject(o['spec']) ? o['spec'] : {};
  const group = textAt(spec, 'group');
  const plural = textAt(spec, 'names', 'plural');
  // The names are immutable on update, so this is checked on create only.
  if (old === undefined && nameOf(o) !== '' && nameOf(o) !== `${plural}.${group}`)
    errors.invalid(FieldPath.of('metadata', 'name'), nameOf(o), 'must be spec.names.plural+"."+spec.group');
  validateGroup(group, errors);
  textOneOf(textAt(spec, 'scope'), SPEC.child('scope'), ['Cluster', 'Namespaced'], errors);
  validateVersions(spec, errors, isObject(old?.['spec']) ? old['spec'] : undefined);
  validateNames(isObject(spec['names']) ? spec['names'] : {}, NAMES, errors);
  validateConversion(isObject(spec['conversion']) ? spec['conversion'] : {}, errors, old);
  if (spec['preserveUnknownFields'] === true && at(old ?? {}, 'spec', 'preserveUnknownFields') !== true)
    errors.invalid(
      SPEC.child('preserveUnknownFields'),
      true,
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    );
  validateApproval(o, errors, old);
}

function validateGroup(group: string, errors: FieldErrors): void {
  const path = SPEC.child('group');
  if (group === '') errors.required(path);
  else if (isDns1123Subdomain(group).length > 0) sentences(group, isDns1123Subdomain, path, errors);
  else if (!group.includes('.')) errors.invalid(path, group, 'should be a domain with at least one dot');
}

function validateNames(names: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const mixed = (value: string): readonly string[] =>
    isDns1035Label(value.toLowerCase()).map((s) => `may have mixed case, but should otherwise match: ${s}`);
  const name = (field: string, rule: (v: string) => readonly string[]): void => {
    const value = textAt(names, field);
    if (value === '') errors.required(path.child(field));
    else sentences(value, rule, path.child(field), errors);
  };
  name('plural', isDns1035Label);
  name('singular', isDns1035Label);
  name('kind', mixed);
  name('listKind', mixed);
  for (const list of ['shortNames', 'categories'] as const)
    listAt(names, list).forEach((v, i) => void sentences(String(v), isDns1035Label, path.child(list).index(i), errors));
  const kind = textAt(names, 'kind');
  if (kind !== '' && kind === textAt(names, 'listKind'))
    errors.invalid(path.child('listKind'), kind, 'kind and listKind may not be the same');
}

/** kube-apiserver's internal form keeps what all versions share at the top level, and its error paths show that. */
const HOISTED = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

type Hoisted = (typeof HOISTED)[number];

function validateVersions(spec: JsonObject, errors: FieldErrors, old: JsonObject | undefined): void {
  const all = objectsAt(spec, 'versions');
  const given = asGiven(spec, 'versions') === undefined ? 'null' : '[]';
  const names = all.map((v) => textAt(v, 'name'));
  const shared = (field: Hoisted): boolean =>
    all.length > 0 && all.every((v) => equalJson(v[field] ?? null, all[0]![field] ?? null));
  const shown = (): string =>
    internalText(
      '[]apiextensions/v1.CustomResourceDefinitionVersion',
      all.map((v) => ({ ...v, ...Object.fromEntries(HOISTED.filter(shared).map((f) => [f, null])) })),
    );
  names.forEach((name, i) => {
    const path = VERSIONS.index(i);
    const before = objectsAt(old ?? {}, 'versions').find((v) => v['name'] === name);
    for (const s of isDns1035Label(name)) errors.invalid(path.child('name'), name, s);
    validateDeprecation(all[i]!, path, errors);
    for (const field of HOISTED) {
      if (shared(field) && i > 0) continue;
      const value = all[i]![field];
      if (before !== undefined && equalJson(before[field] ?? null, value ?? null)) continue;
      const hasStatus = (v: JsonObject): boolean => at(v, 'subresources', 'status') !== undefined;
      const holder = {
        path: shared(field) ? SPEC : path,
        version: all[i]!,
        before,
        hasStatus: shared(field) ? all.some(hasStatus) : hasStatus(all[i]!),
        hasNoSchema: shared('schema') && !shared(field),
      };
      validatePart(field, value, holder, errors);
    }
    if (at(all[i]!, 'schema', 'openAPIV3Schema') === undefined && spec['preserveUnknownFields'] !== true)
      errors.required(path.child('schema', 'openAPIV3Schema'));
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
}

/** The place of a part: that of its version, or the top level. */
interface Holder {
  readonly path: FieldPath;
  readonly version: JsonObject;
  /** The stored version. */
  readonly before: JsonObject | undefined;
  readonly hasStatus: boolean;
  /** The schema of all versions is at the top level, but this part is not. */
  readonly hasNoSchema: boolean;
}

function validatePart(
  field: Hoisted,
  value: JsonValue | undefined,
  { path: holder, version, before, hasStatus, hasNoSchema }: Holder,
  errors: FieldErrors,
): void {
  const top = holder === SPEC;
  switch (field) {
    case 'schema': {
      const schema = isObject(value) ? value['openAPIV3Schema'] : undefined;
      const path = holder.child(top ? 'validation' : 'schema', 'openAPIV3Schema');
      const found = at(before ?? {}, 'schema', 'openAPIV3Schema');
      const former = isObject(found) ? found : undefined;
      if (isObject(schema)) validateSchema(schema, path, errors, { former, hasStatus });
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
      if (hasNoSchema)
        errors.invalid(
          holder.child('selectableFields'),
          '',
          'may only be set when `version.schema.openAPIV3Schema` is not included',
        );
      else validateSelectable(value.filter(isObject), version, holder, errors);
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

const SELECTABLE_MAX = 8;

function validateSelectable(
  fields: readonly JsonObject[],
  version: JsonObject,
  holder: FieldPath,
  errors: FieldErrors,
): void {
  const path = holder.child('selectableFields');
  const seen = new Set<string>();
  fields.forEach((f, i) => {
    const jsonPath = textAt(f, 'jsonPath');
    const own = path.index(i).child('jsonPath');
    if (jsonPath === '') {
      errors.required(own);
      return;
    }
    const found = selectablePath(jsonPath, at(version, 'schema', 'openAPIV3Schema'));
    if (typeof found === 'string') {
      errors.invalid(own, jsonPath, `is an invalid path: ${found}`);
      return;
    }
    if (found.names[0] === 'metadata') errors.invalid(own, jsonPath, 'must not point to fields in metadata');
    if (!['string', 'boolean', 'integer'].includes(textAt(found.schema, 'type')))
      errors.invalid(
        own,
        jsonPath,
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      );
    const key = found.names.join('.');
    if (seen.has(key)) errors.duplicate(own, jsonPath);
    seen.add(key);
  });
  if (seen.size > SELECTABLE_MAX) errors.tooMany(path, seen.size, SELECTABLE_MAX);
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

const REVIEWS = ['v1', 'v1beta1'];

function validateConversion(conversion: JsonObject, errors: FieldErrors, old: JsonObject | undefined): void {
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
    const problem = old === undefined || !hasValidBundle(old) || bundle === '' ? undefined : bundleProblem(bundle);
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
  if (!versions.some((v) => REVIEWS.includes(v)))
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

export function validateDefinitionUpdate(o: JsonObject, old: JsonObject, errors: FieldErrors): void {
  const immutable = (...path: readonly string[]): void => {
    const value = textAt(o, ...path);
    if (value !== textAt(old, ...path)) errors.invalid(FieldPath.of(...path), value, 'field is immutable');
  };
  const established = objectsAt(old, 'status', 'conditions').some(
    (c) => c['type'] === 'Established' && c['status'] === 'True',
  );
  if (established) {
    immutable('spec', 'scope');
    immutable('spec', 'names', 'kind');
  }
  immutable('spec', 'group');
  immutable('spec', 'names', 'plural');
}

/** `status.storedVersions` lists every version in which objects may be stored: the current and former storage versions. */
export function validateStoredVersions(o: JsonObject, errors: FieldErrors): void {
  const path = FieldPath.of('status', 'storedVersions');
  const stored = listAt(o, 'status', 'storedVersions').map(String);
  const versions = objectsAt(o, 'spec', 'versions');
  if (stored.length === 0)
    errors.add('FieldValueInvalid', path, 'Invalid value: null: must have at least one stored version');
  const known = new Set(versions.map((v) => textAt(v, 'name')));
  stored.forEach((name, i) => {
    if (!known.has(name))
      errors.invalid(
        path.index(i),
        name,
        `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`,
      );
  });
  const storage = versions.filter((v) => v['storage'] === true).map((v) => textAt(v, 'name'));
  const current = storage.at(-1);
  if (current !== undefined && stored.length > 0 && !stored.includes(current))
    errors.invalid(path, stored, `must have the storage version ${current}`);
}
