import {
  equalJson,
  type FieldErrors,
  FieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  isObject,
  type JsonObject,
  type JsonValue,
} from '../../../api/index.js';
import { internalText } from '../../../schema/index.js';
import { at, listAt, nameOf, objectsAt, textAt } from '../access.js';
import { oneOf, sentences } from '../rules.js';
import { validateSchema } from './schemarules.js';

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
  if (old === undefined && nameOf(o) !== `${plural}.${group}`)
    errors.invalid(FieldPath.of('metadata', 'name'), nameOf(o), 'must be spec.names.plural+"."+spec.group');
  validateGroup(group, errors);
  oneOf(textAt(spec, 'scope'), SPEC.child('scope'), ['Cluster', 'Namespaced'], errors);
  validateVersions(spec, errors, isObject(old?.['spec']) ? old['spec'] : undefined);
  validateNames(isObject(spec['names']) ? spec['names'] : {}, NAMES, errors);
  validateConversion(isObject(spec['conversion']) ? spec['conversion'] : {}, errors);
  if (spec['preserveUnknownFields'] === true && at(old ?? {}, 'spec', 'preserveUnknownFields') !== true)
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
      validatePart(field, value, shared(field) ? SPEC : path, all[i]!, errors, before);
    }
    if (at(all[i]!, 'schema', 'openAPIV3Schema') === undefined && spec['preserveUnknownFields'] !== true)
      errors.required(path.child('schema', 'openAPIV3Schema'), 'schemas are required');
  });
  if (new Set(names).size !== names.length)
    errors.add('FieldValueInvalid', VERSIONS, `Invalid value: ${shown()}: must contain unique version names`);
  if (all.filter((v) => v['storage'] === true).length !== 1)
    errors.add(
      'FieldValueInvalid',
      VERSIONS,
      `Invalid value: ${all.length === 0 ? '[]' : shown()}: must have exactly one version marked as storage version`,
    );
}

function validatePart(
  field: Hoisted,
  value: JsonValue | undefined,
  holder: FieldPath,
  version: JsonObject,
  errors: FieldErrors,
  before: JsonObject | undefined,
): void {
  const top = holder === SPEC;
  switch (field) {
    case 'schema': {
      const schema = isObject(value) ? value['openAPIV3Schema'] : undefined;
      const path = holder.child(top ? 'validation' : 'schema', 'openAPIV3Schema');
      const former = at(before ?? {}, 'schema', 'openAPIV3Schema');
      if (isObject(schema)) validateSchema(schema, path, errors, isObject(former) ? former : undefined);
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
      if (Array.isArray(value)) validateSelectable(value.filter(isObject), version, holder, errors);
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

const SIMPLE = /^(\.[A-Za-z0-9_-]+)+$/;

function validateSubresources(sub: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const { scale } = sub;
  if (!isObject(scale)) return;
  const check = (field: string, below: readonly string[], required: boolean): void => {
    const value = textAt(scale, field);
    const at = path.child('scale', field);
    if (value === '') {
      if (required) errors.required(at);
    } else if (!SIMPLE.test(value))
      errors.invalid(at, value, 'should be a json path without array notation under '.concat(below.join(' or ')));
    else if (!below.some((b) => value.startsWith(`${b}.`)))
      errors.invalid(at, value, `should be a json path under ${below.join(' or ')}`);
  };
  check('specReplicasPath', ['.spec'], true);
  check('statusReplicasPath', ['.status'], true);
  if (scale['labelSelectorPath'] !== undefined && scale['labelSelectorPath'] !== null)
    check('labelSelectorPath', ['.status', '.spec'], false);
}

const SELECTABLE_MAX = 8;

function validateSelectable(
  fields: readonly JsonObject[],
  version: JsonObject,
  holder: FieldPath,
  errors: FieldErrors,
): void {
  const path = holder.child('selectableFields');
  if (fields.length > SELECTABLE_MAX) errors.tooMany(path, fields.length, SELECTABLE_MAX);
  const seen = new Set<string>();
  fields.forEach((f, i) => {
    const jsonPath = textAt(f, 'jsonPath');
    const own = path.index(i).child('jsonPath');
    if (jsonPath === '') errors.required(own);
    else if (!SIMPLE.test(jsonPath)) errors.invalid(own, jsonPath, 'is an invalid path: must be a simple path');
    else if (seen.has(jsonPath)) errors.duplicate(own, jsonPath);
    else if (jsonPath === '.metadata' || jsonPath.startsWith('.metadata.'))
      errors.invalid(own, jsonPath, 'must not point to fields in metadata');
    else {
      let schema = at(version, 'schema', 'openAPIV3Schema');
      for (const name of jsonPath.slice(1).split('.'))
        schema = schema === undefined ? undefined : at(schema, 'properties', name);
      if (schema === undefined) errors.invalid(own, jsonPath, 'does not refer to a valid field');
      else if (!['string', 'boolean', 'integer'].includes(textAt(schema, 'type')))
        errors.invalid(
          own,
          jsonPath,
          'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
        );
    }
    seen.add(jsonPath);
  });
}

const WARNING_MAX = 256;

function validateDeprecation(v: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const warning = v['deprecationWarning'];
  if (typeof warning !== 'string') return;
  const own = path.child('deprecationWarning');
  if (v['deprecated'] !== true) errors.invalid(own, warning, 'can only be set for deprecated versions');
  else if (warning === '') errors.invalid(own, warning, 'must not be an empty string');
  else if (warning.length > WARNING_MAX) errors.invalid(own, warning, `must be <= ${WARNING_MAX} characters long`);
  else {
    const bad = [...warning].findIndex((c) => /[\p{C}\p{Zl}\p{Zp}]/u.test(c));
    if (bad >= 0)
      errors.invalid(
        own,
        warning,
        `must only contain printable UTF-8 characters; non-printable character found at index ${bad}`,
      );
  }
}

const REVIEWS = ['v1', 'v1beta1'];

function validateConversion(conversion: JsonObject, errors: FieldErrors): void {
  const path = SPEC.child('conversion');
  const strategy = textAt(conversion, 'strategy');
  oneOf(strategy, path.child('strategy'), ['None', 'Webhook'], errors);
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
  else validateClient(client, clientPath, errors);
  if (versions.length === 0) errors.required(versionsPath);
  else if (!versions.some((v) => REVIEWS.includes(v)))
    errors.invalid(versionsPath, versions, `must include at least one of ${REVIEWS.join(', ')}`);
}

function validateClient(client: JsonObject, path: FieldPath, errors: FieldErrors): void {
  const url = client['url'];
  const service = client['service'];
  const hasUrl = typeof url === 'string' && url !== '';
  if (hasUrl === isObject(service)) errors.required(path, 'exactly one of url or service is required');
  else if (hasUrl && !url.startsWith('https://'))
    errors.invalid(
      path.child('url'),
      url,
      "'https' is the only allowed URL scheme; desired format: https://host[/path]",
    );
  else if (isObject(service))
    for (const field of ['name', 'namespace'] as const)
      if (textAt(service, field) === '') errors.required(path.child('service', field), `service ${field} is required`);
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
