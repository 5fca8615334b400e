import {
  type FieldErrors,
  FieldPath,
  isDns1035Label,
  isDns1123Subdomain,
  isQualifiedName,
  regexSentence,
  type Shaped,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { givenAt, listAt, objectsAt, textAt } from '../access.js';
import { sentences } from '../rules.js';

/** Validation of storage versions: which versions each server encodes, and the one in which all agree. */

type Status = shapes.ApiserverinternalV1alpha1StorageVersionStatus;
const STATUS = FieldPath.of('status');

const TOO_MANY_PARTS = `an apiVersion is ${regexSentence(
  "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  '[a-z]([-a-z0-9]*[a-z0-9])?',
  'my-name',
  'abc-123',
)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')`;

/** The name of a storage version is `<group>.<resource>`. */
export function storageVersionName(name: string): readonly string[] {
  const dot = name.lastIndexOf('.');
  if (dot < 0) return ['name must be in the form of <group>.<resource>'];
  return [
    ...isDns1123Subdomain(name.slice(0, dot)).map((s) => `the group segment ${s}`),
    ...isDns1035Label(name.slice(dot + 1)).map((s) => `the resource segment ${s}`),
  ];
}

export function validateStorageVersionStatus(status: Shaped<Status>, errors: FieldErrors): void {
  const versions = objectsAt(status, 'storageVersions');
  const servers = new Set<string>();
  errors.each(versions, (server, i) => {
    const path = STATUS.child('storageVersions').index(i);
    const id = textAt(server, 'apiServerID');
    if (servers.has(id)) errors.duplicate(path.child('apiServerID'), id);
    servers.add(id);
    sentences(id, isDns1123Subdomain, path.child('apiServerID'), errors);
    serverVersions(server, path, errors);
  });
  errors.after(() => {
    commonVersion(status, versions, errors);
    conditions(status, errors);
  });
}

function serverVersions(
  server: Shaped<shapes.ApiserverinternalV1alpha1ServerStorageVersion>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const encoding = textAt(server, 'encodingVersion');
  sentences(encoding, apiVersion, path.child('encodingVersion'), errors);
  const decodable = listAt(server, 'decodableVersions').map(String);
  const decodes = new Set(decodable);
  const decodablePath = path.child('decodableVersions');
  errors.each(decodable, (v, i) => sentences(v, apiVersion, decodablePath.index(i), errors));
  if (!decodes.has(encoding))
    errors.invalid(
      decodablePath,
      givenAt(server, 'decodableVersions') ?? null,
      `decodableVersions must include encodingVersion ${encoding}`,
    );
  errors.each(listAt(server, 'servedVersions').map(String), (v, i) => {
    const here = path.child('servedVersions').index(i);
    sentences(v, apiVersion, here, errors);
    if (!decodes.has(v))
      errors.invalid(
        here,
        v,
        `individual served version : ${v} must be included in decodableVersions : [${decodable.join(' ')}]`,
      );
  });
}

/** `version` or `group/version`. */
function apiVersion(value: string): readonly string[] {
  const parts = value.split('/');
  if (parts.length > 2) return [TOO_MANY_PARTS];
  const version = parts.at(-1)!;
  return [
    ...(parts.length === 2 ? part('group', parts[0]!, isDns1123Subdomain) : []),
    ...part('version', version, isDns1035Label),
  ];
}

const part = (name: string, value: string, rule: (v: string) => readonly string[]): readonly string[] =>
  (value === '' ? ['must be non-empty'] : rule(value)).map((s) => `${name} part: ${s}`);

function commonVersion(
  status: Shaped<Status>,
  versions: readonly Shaped<shapes.ApiserverinternalV1alpha1ServerStorageVersion>[],
  errors: FieldErrors,
): void {
  const path = STATUS.child('commonEncodingVersion');
  const encodings = new Set(versions.map((v) => textAt(v, 'encodingVersion')));
  const [actual] = encodings;
  const given = status['commonEncodingVersion'];
  if (actual === undefined || encodings.size > 1) {
    if (given !== undefined)
      errors.invalid(
        path,
        given,
        'should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet',
      );
  } else if (given === undefined) errors.invalid(path, null, `the common encoding version is ${actual}`);
  else if (given !== actual) errors.invalid(path, given, `the actual common encoding version is ${actual}`);
}

/** kube-apiserver reports conditions below `status` itself. */
function conditions(status: Shaped<Status>, errors: FieldErrors): void {
  const places = new Map<string, number>();
  errors.each(objectsAt(status, 'conditions'), (condition, i) => {
    const path = STATUS.index(i);
    const type = textAt(condition, 'type');
    const before = places.get(type);
    places.set(type, i);
    if (before !== undefined)
      errors.invalid(
        path.child('type'),
        type,
        `the type of the condition is not unique, it also appears in conditions[${before}]`,
      );
    sentences(type, isQualifiedName, path.child('type'), errors);
    sentences(textAt(condition, 'status'), isQualifiedName, path.child('status'), errors);
    for (const field of ['reason', 'message'] as const)
      if (textAt(condition, field) === '') errors.required(path.child(field));
  });
}
