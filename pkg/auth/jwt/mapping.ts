import { isObject, type JsonObject, type JsonValue } from '../../api/index.js';
import { type Compiled, List, type Value } from '../../cel/index.js';
import type { UserInfo } from '../user.js';
import type { PrefixedMapping } from './config.js';
import { claimsValue, evaluate, userValue } from './environment.js';
import type { CompiledJwt, CompiledRule } from './validate.js';

const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/**
 * Maps the verified claims of a token to a user. Throws an Error that names the failed claim or rule, with the message
 * of kube-apiserver.
 */
export function userOf(claims: JsonObject, jwt: CompiledJwt): UserInfo {
  const value = claimsValue(claims);
  const { uid: uidMapping } = jwt.config.claimMappings;
  const name = usernameOf(claims, value, jwt);
  const groups = groupsOf(claims, value, jwt);
  let uid = '';
  if (uidMapping.claim !== '') uid = textClaim(claims, uidMapping.claim, `parse uid claim ${quoted(uidMapping.claim)}`);
  else if (jwt.uid !== undefined) uid = textOf(jwt.uid, value, 'uid claim expression');
  const extra = extraOf(claims, value, jwt);
  const user: UserInfo = {
    name,
    groups,
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
  checkRequired(claims, jwt);
  check(jwt.claimRules, 'claims', value, 'claim validation expression');
  if (jwt.userRules.length > 0) check(jwt.userRules, 'user', userValue(user), 'user info validation rule');
  return user;
}

function usernameOf(claims: JsonObject, value: Value, jwt: CompiledJwt): string {
  if (jwt.username !== undefined) {
    const name = textOf(jwt.username, value, 'username claim expression');
    if (name === '') throw new Error('oidc: empty username via CEL expression is not allowed');
    return name;
  }
  const { claim, prefix = '' } = jwt.config.claimMappings.username;
  const name = textClaim(claims, claim, `parse username claims ${quoted(claim)}`);
  if (claim === 'email') {
    const verified = own(claims, 'email_verified');
    if (verified !== undefined && typeof verified !== 'boolean')
      throw new Error(`oidc: parse 'email_verified' claim: ${notA('bool', verified)}`);
    if (verified === false) throw new Error('oidc: email not verified');
  }
  return prefix + name;
}

function groupsOf(claims: JsonObject, value: Value, jwt: CompiledJwt): readonly string[] {
  const mapping: PrefixedMapping = jwt.config.claimMappings.groups;
  if (mapping.claim !== '') {
    const found = own(claims, mapping.claim);
    if (found === undefined || found === null) return [];
    const groups = Array.isArray(found) ? found : [found];
    const wrong = groups.find((group) => typeof group !== 'string');
    if (wrong !== undefined)
      throw new Error(`oidc: parse groups claim ${quoted(mapping.claim)}: ${notA('string', wrong)}`);
    return (groups as readonly string[]).map((group) => `${mapping.prefix ?? ''}${group}`);
  }
  return jwt.groups === undefined ? [] : textsOf(jwt.groups, value, 'oidc: error evaluating group claim expression');
}

function extraOf(claims: JsonObject, value: Value, { extra }: CompiledJwt): Record<string, readonly string[]> {
  const found: Record<string, readonly string[]> = {};
  const id = own(claims, 'jti');
  if (typeof id === 'string' && id !== '') found[CREDENTIAL_ID] = [`JTI=${id}`];
  for (const { key, compiled } of extra) {
    const values = textsOf(compiled, value, `oidc: error evaluating extra claim expression: ${compiled.text}`);
    if (values.length > 0) found[key] = values;
  }
  return found;
}

function checkRequired(claims: JsonObject, { config }: CompiledJwt): void {
  for (const { claim, requiredValue } of config.claimValidationRules) {
    if (claim === '') continue;
    if (own(claims, claim) === undefined) throw new Error(`oidc: required claim ${claim} not present in ID token`);
    const text = textClaim(claims, claim, `parse claim ${claim}`);
    if (text !== requiredValue)
      throw new Error(`oidc: required claim ${claim} value does not match. Got = ${text}, want = ${requiredValue}`);
  }
}

function check(rules: readonly CompiledRule[], name: 'claims' | 'user', value: Value, what: string): void {
  for (const { compiled, message } of rules) {
    const passed = evaluated(compiled, name, value, `oidc: error evaluating ${what}`);
    if (passed !== true)
      throw new Error(`oidc: error evaluating ${what}: validation expression '${compiled.text}' failed: ${message}`);
  }
}

function evaluated(compiled: Compiled, name: 'claims' | 'user', value: Value, what: string): Value {
  try {
    return evaluate(compiled, name, value);
  } catch (error) {
    throw new Error(`${what}: expression '${compiled.text}' resulted in error: ${(error as Error).message}`);
  }
}

function textOf(compiled: Compiled, claims: Value, what: string): string {
  const found = evaluated(compiled, 'claims', claims, `oidc: error evaluating ${what}`);
  if (typeof found !== 'string') throw new Error(`oidc: error evaluating ${what}: ${what} must return a string`);
  return found;
}

/** A string or a list of strings. Null and empty strings count as absent. */
function textsOf(compiled: Compiled, claims: Value, what: string): readonly string[] {
  const found = evaluated(compiled, 'claims', claims, what);
  if (found === null) return [];
  const values: Value[] = found instanceof List ? Array.from({ length: found.size }, (_, i) => found.at(i)) : [found];
  if (!values.every((v) => typeof v === 'string'))
    throw new Error(`${what}: expression must return a string or a list of strings`);
  return (values as readonly string[]).filter((text) => text !== '');
}

/** A claim that must be a string. Null counts as absent. */
function textClaim(claims: JsonObject, name: string, doing: string): string {
  const found = own(claims, name);
  if (found === undefined || found === null) throw new Error(`oidc: ${doing}: claim not present`);
  if (typeof found !== 'string') throw new Error(`oidc: ${doing}: ${notA('string', found)}`);
  return found;
}

const own = (claims: JsonObject, name: string): JsonValue | undefined =>
  Object.hasOwn(claims, name) ? claims[name] : undefined;

function notA(wanted: string, found: JsonValue): string {
  const kind = Array.isArray(found) ? 'array' : isObject(found) ? 'object' : found === null ? 'null' : typeof found;
  return `json: cannot unmarshal ${kind} into Go value of type ${wanted}`;
}

const quoted = (text: string): string => JSON.stringify(text);
