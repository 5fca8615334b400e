import {
  dns1035Name,
  isDns1035Label,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  labelName,
  subdomainName,
} from '../../api/index.js';
import { declare, type Library } from '../environment.js';
import { FORMAT_TYPE, FormatValue, type Validate } from '../format.js';
import { ArrayList, noOverload, Optional } from '../values.js';
import { typeConstants } from './standard.js';
import { parseRequestUri } from './url.js';

const NAME = FORMAT_TYPE;

const pattern =
  (is: (text: string) => boolean, sentence: string): Validate =>
  (text) =>
    is(text) ? [] : [sentence];

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

function isDate(text: string): boolean {
  const m = DATE.exec(text);
  if (m === null) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(m[1]), Number(m[2]) - 1, Number(m[3]));
  return date.getUTCMonth() === Number(m[2]) - 1 && date.getUTCDate() === Number(m[3]);
}

function isDateTime(text: string): boolean {
  const m = DATE_TIME.exec(text);
  return m !== null && isDate(m[1]!) && Number(m[2]) < 24 && Number(m[3]) < 60 && Number(m[4]) < 60;
}

const FORMATS: Readonly<Record<string, Validate>> = {
  dns1123Label: isDns1123Label,
  dns1123Subdomain: isDns1123Subdomain,
  dns1035Label: isDns1035Label,
  qualifiedName: isQualifiedName,
  dns1123LabelPrefix: (text) => labelName(text, true),
  dns1123SubdomainPrefix: (text) => subdomainName(text, true),
  dns1035LabelPrefix: (text) => dns1035Name(text, true),
  labelValue: isLabelValue,
  uri: (text) => {
    const found = parseRequestUri(text);
    return typeof found === 'string' ? [found] : [];
  },
  uuid: pattern((text) => UUID.test(text), 'does not match the UUID format'),
  byte: pattern((text) => text === '' || BASE64.test(text), 'invalid base64'),
  date: pattern(isDate, 'invalid date'),
  datetime: pattern(isDateTime, 'invalid datetime'),
};

/** The cost of validating ten characters: a quarter of the length of the pattern. */
const COSTS: Readonly<Record<string, number>> = {
  dns1123Subdomain: 15,
  dns1123SubdomainPrefix: 15,
  qualifiedName: 15,
  labelValue: 10,
  uri: 276,
  uuid: 18,
  byte: 21,
  date: 18,
  datetime: 18,
};
const LABEL_COST = 8;

const VALUES = new Map(
  Object.entries(FORMATS).map(([name, validate]) => [name, new FormatValue(name, validate, COSTS[name] ?? LABEL_COST)]),
);

/** Formats by name: `format.dns1123Label().validate(s)` returns the error messages. */
export const formatsLibrary: Library = {
  constants: typeConstants(NAME)!,
  functions: [
    declare('format.named', [`format-named: (string): optional_type(${NAME})`], (name) => {
      if (typeof name !== 'string') return noOverload('format.named', name);
      return new Optional(VALUES.get(name));
    }),
    ...[...VALUES].map(([name, value]) => declare(`format.${name}`, [`format.${name}: (): ${NAME}`], () => value)),
    declare('validate', [`format-validate: ${NAME}.(string): optional_type(list(string))`], (f, text) => {
      if (!(f instanceof FormatValue) || typeof text !== 'string') return noOverload('validate', f, text);
      const found = f.validate(text);
      return found.length === 0 ? Optional.NONE : new Optional(new ArrayList(found));
    }),
  ],
};
