import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type FieldErrors, FieldPath, isObject, type JsonValue, type Shaped, setOwn } from '../../../api/index.js';
import { readJson } from '../../../codec/index.js';
import type { shapes } from '../../../schema/index.js';
import type { ResourceDeclaration, WriteContext } from '../../resource.js';
import { objectAt, objectIn, textAt } from '../access.js';
import { versions } from '../form.js';
import { AGE, age, column, table } from '../table.js';
import { immutableData, validateKeys } from './datamap.js';

const OPAQUE = 'Opaque';
const TLS = 'kubernetes.io/tls';

/** The limit on the total size of all values, in bytes. */
const DATA_BYTES_MAX = 1024 * 1024;

export const secret: ResourceDeclaration<shapes.CoreV1Secret> = {
  group: '',
  resource: 'secrets',
  singular: 'secret',
  kind: 'Secret',
  versions: versions('v1'),
  storageVersion: 'v1',
  namespaced: true,
  strategy: {
    defaults: (o) => {
      foldStringData(o);
      if (textAt(o, 'type') === '') o['type'] = OPAQUE;
    },
    create: { validate },
    update: {
      generation: 'none',
      prepare: (o, old) => {
        // a body without a type keeps the old type; defaulting it would change the type
        if (textAt(o, 'type') === '') o['type'] = textAt(old, 'type');
      },
      validateChange: (o, old, errors) => {
        if (textAt(o, 'type') !== textAt(old, 'type'))
          errors.invalid(FieldPath.in<shapes.CoreV1Secret>().child('type'), textAt(o, 'type'), 'field is immutable');
        immutableData(o, old, ['data'], errors);
      },
      validate: (o, _old, errors) => validate(o, errors),
    },
    warn: (o, _old, context) => {
      if (textAt(o, 'type') === TLS) warnAboutKeyPair(o, context);
    },
    compatibility: { checksUpdateLikeNew: true },
  },
  selectableFields: { type: (o) => textAt(o, 'type') },
  table: table([column('Type', 'What the secret is for.'), column('Data', 'Number of keys.'), AGE], (o, now) => [
    textAt(o, 'type'),
    Object.keys(objectAt(o, 'data')).length,
    age(o, now),
  ]),
};

/** `stringData` is write-only: its values are merged into `data` and replace existing ones. */
function foldStringData(o: Shaped<shapes.CoreV1Secret>): void {
  const text = o['stringData'];
  delete o['stringData'];
  if (!isObject(text)) return;
  for (const [key, value] of Object.entries(text))
    setOwn(objectIn(o, 'data'), key, Buffer.from(String(value)).toString('base64'));
}

const REDACTED = '<secret contents redacted>';

/** The required keys of each type. Other types have none. */
const RULES: Readonly<Record<string, (o: Shaped<shapes.CoreV1Secret>, errors: FieldErrors) => void>> = {
  'kubernetes.io/service-account-token': (o, errors) => {
    const annotation = 'kubernetes.io/service-account.name';
    if (textAt(o, 'metadata', 'annotations', annotation) === '')
      errors.required(FieldPath.in<shapes.CoreV1Secret>().child('metadata', 'annotations').key(annotation));
  },
  'kubernetes.io/dockercfg': (o, errors) => jsonUnder('.dockercfg', o, errors),
  'kubernetes.io/dockerconfigjson': (o, errors) => jsonUnder('.dockerconfigjson', o, errors),
  'kubernetes.io/basic-auth': (o, errors) => {
    const data = objectAt(o, 'data');
    if (Object.hasOwn(data, 'username') || Object.hasOwn(data, 'password')) return;
    for (const key of ['username', 'password'] as const)
      errors.required(FieldPath.in<shapes.CoreV1Secret>().child('data').key(key));
  },
  'kubernetes.io/ssh-auth': (o, errors) => {
    if (textAt(o, 'data', 'ssh-privatekey') === '')
      errors.required(FieldPath.in<shapes.CoreV1Secret>().child('data').key('ssh-privatekey'));
  },
  [TLS]: (o, errors) => {
    const data = objectAt(o, 'data');
    for (const key of ['tls.crt', 'tls.key'])
      if (!Object.hasOwn(data, key)) errors.required(FieldPath.in<shapes.CoreV1Secret>().child('data').key(key));
  },
};

function validate(o: Shaped<shapes.CoreV1Secret>, errors: FieldErrors): void {
  const data = objectAt(o, 'data');
  validateKeys(data, FieldPath.in<shapes.CoreV1Secret>().child('data'), errors);
  let total = 0;
  for (const v of Object.values(data)) total += Buffer.byteLength(String(v), 'base64');
  if (total > DATA_BYTES_MAX) errors.tooLong(FieldPath.in<shapes.CoreV1Secret>().child('data'), DATA_BYTES_MAX);
  const type = textAt(o, 'type');
  if (Object.hasOwn(RULES, type)) RULES[type]!(o, errors);
}

function jsonUnder(key: string, o: Shaped<shapes.CoreV1Secret>, errors: FieldErrors): void {
  const path = FieldPath.in<shapes.CoreV1Secret>().child('data').key(key);
  const data = objectAt(o, 'data');
  if (!Object.hasOwn(data, key)) {
    errors.required(path);
    return;
  }
  const read = readJson(Buffer.from(textAt(data, key), 'base64'));
  if (!read.ok) errors.invalid(path, REDACTED, read.message);
  else if (read.value !== null && !isObject(read.value))
    errors.invalid(
      path,
      REDACTED,
      `json: cannot unmarshal ${jsonType(read.value)} into Go value of type map[string]interface {}`,
    );
}

function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'string' ? 'string' : 'number';
}

/** A TLS secret that a server could not load is accepted with a warning. */
function warnAboutKeyPair(o: Shaped<shapes.CoreV1Secret>, context: WriteContext): void {
  const pem = (key: string) => Buffer.from(textAt(o, 'data', key), 'base64').toString();
  const certificate = pem('tls.crt');
  const key = pem('tls.key');
  if (!/-----BEGIN CERTIFICATE-----/.test(certificate)) {
    context.warn(
      certificate.includes('-----BEGIN ')
        ? 'tls: failed to find certificate PEM data in certificate input'
        : 'tls: failed to find any PEM data in certificate input',
    );
    return;
  }
  if (!/-----BEGIN /.test(key)) {
    context.warn('tls: failed to find any PEM data in key input');
    return;
  }
  try {
    if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
      context.warn('tls: private key does not match public key');
  } catch {
    context.warn('tls: failed to parse certificate or private key');
  }
}
