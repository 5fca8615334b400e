import {
  type FieldErrors,
  FieldPath,
  formatTime,
  isCIdentifier,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isObject,
  isQualifiedName,
  type JsonObject,
  type JsonValue,
  type Shaped,
  type Value,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import type { WriteContext } from '../../resource.js';
import { at, boolAt, listAt, numberAt, objectsAt, textAt } from '../access.js';
import { driverName, oneOf, sentences } from '../rules.js';
import { checkExpression, EXPRESSION_COST_MAX, type ExpressionFeatures } from './expressions.js';

/** Validation that device classes, claims, slices and taint rules share. */

const POOL_MAX = 253;
const IDENTIFIER_MAX = 32;
const EXPRESSION_MAX = 10_240;
const PARAMETERS_MAX = 10_240;
const LIST_MAX = 32;
const EFFECTS = ['NoExecute', 'NoSchedule', 'None'];

/** A pool name is a path of subdomains. */
export function poolName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (name === '') {
    errors.required(path);
    return;
  }
  if (Buffer.byteLength(name) > POOL_MAX) errors.tooLong(path, POOL_MAX);
  for (const part of name.split('/')) sentences(part, isDns1123Subdomain, path, errors);
}

/** The name of an attribute or capacity: a C identifier with an optional domain prefix. */
export function attributeName(name: string, path: FieldPath, errors: FieldErrors): void {
  const slash = name.indexOf('/');
  if (slash < 0) {
    identifier(name, path, errors);
    return;
  }
  if (name.indexOf('/', slash + 1) >= 0) return;
  const [domain, rest] = [name.slice(0, slash), name.slice(slash + 1)];
  if (domain === '') errors.invalid(path, '', 'the domain must not be empty');
  else driverName(domain, path, errors);
  if (rest === '') errors.invalid(path, '', 'the name must not be empty');
  else identifier(rest, path, errors);
}

function identifier(name: string, path: FieldPath, errors: FieldErrors): void {
  if (Buffer.byteLength(name) > IDENTIFIER_MAX) errors.tooLong(path, IDENTIFIER_MAX);
  sentences(name, isCIdentifier, path, errors);
}

/** Empty parts are reported by the marker of the field. */
function fullAttributeName(name: string, path: FieldPath, errors: FieldErrors): void {
  if (!name.startsWith('/') && !name.endsWith('/')) attributeName(name, path, errors);
  if (!name.includes('/'))
    errors.invalid(path, name, 'a fully qualified name must be a domain and a name separated by a slash');
}

/** Validates a taint. An update keeps the effect of `old`, whatever it is. */
export function taint(
  t: Shaped<shapes.ResourceV1DeviceTaint>,
  path: FieldPath,
  errors: FieldErrors,
  old?: Shaped<shapes.ResourceV1DeviceTaint>,
): void {
  sentences(textAt(t, 'key'), isQualifiedName, path.child('key'), errors);
  if (textAt(t, 'value') !== '') sentences(textAt(t, 'value'), isLabelValue, path.child('value'), errors);
  const effect = textAt(t, 'effect');
  if (old === undefined || textAt(old, 'effect') !== effect) oneOf(effect, path.child('effect'), EFFECTS, errors);
}

type RequestedDevices = shapes.ResourceV1ExactDeviceRequest | shapes.ResourceV1DeviceSubRequest;

const TOLERATIONS_MAX = 16;

/** Validates the tolerations of a request or an allocated device. */
export function tolerations(
  holder: Shaped<RequestedDevices | shapes.ResourceV1DeviceRequestAllocationResult>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const list = objectsAt(holder, 'tolerations');
  const here = path.child('tolerations');
  if (list.length > TOLERATIONS_MAX) errors.tooMany(here, list.length, TOLERATIONS_MAX);
  errors.each(list, (t, i) => toleration(t, here.index(i), errors));
}

function toleration(t: Shaped<shapes.ResourceV1DeviceToleration>, path: FieldPath, errors: FieldErrors): void {
  const [key, value, effect] = [textAt(t, 'key'), textAt(t, 'value'), textAt(t, 'effect')];
  if (key !== '') sentences(key, isQualifiedName, path.child('key'), errors);
  else if (textAt(t, 'operator') === 'Equal')
    errors.invalid(path.child('operator'), 'Equal', 'must be `Exists` when `key` is empty');
  if (at(t, 'tolerationSeconds') !== undefined && ['', 'NoSchedule', 'None'].includes(effect))
    errors.invalid(path.child('effect'), effect, 'must be `NoExecute` when `tolerationSeconds` is set');
  switch (textAt(t, 'operator')) {
    case 'Exists':
      if (value !== '') errors.invalid(path.child('value'), value, 'must be empty for operator `Exists`');
      break;
    case 'Equal':
      sentences(value, isLabelValue, path.child('value'), errors);
      break;
    default:
      oneOf(textAt(t, 'operator'), path.child('operator'), ['Equal', 'Exists'], errors);
  }
  if (effect !== '') oneOf(effect, path.child('effect'), EFFECTS, errors);
}

const NO_EXPRESSION =
  "compilation failed: ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Validates the selectors of a class or a request. Without `features` the expressions are stored ones, and were valid then. */
export function selectors(
  holder: Value<shapes.ResourceV1DeviceClassSpec>,
  features: ExpressionFeatures | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const list = objectsAt(holder, 'selectors');
  const here = path.child('selectors');
  if (list.length > LIST_MAX) errors.tooMany(here, list.length, LIST_MAX);
  const check = (selector: Shaped<shapes.ResourceV1DeviceSelector>, i: number): void => {
    const cel = at(selector, 'cel');
    if (!isObject(cel)) {
      errors.required(here.index(i).child('cel'));
      return;
    }
    if (features === undefined) return;
    const expression = textAt(cel, 'expression');
    const place = here.index(i).child('cel', 'expression');
    if (Buffer.byteLength(expression) > EXPRESSION_MAX) errors.tooLong(place, EXPRESSION_MAX);
    else if (expression === '') errors.invalid(place, expression, NO_EXPRESSION);
    else checkExpression(expression, 'selector', features, place, errors);
  };
  errors.each(list, check, EXPRESSION_WEIGHT);
}

/** The cost of checking an expression, in cheap items. */
const EXPRESSION_WEIGHT = 100;

/**
 * `requests` are the request names that a configuration may refer to. A class refers to none. With `anySize`, parameters may be of any size:
 * they are older than the limit.
 */
export function configs(
  holder: Value<shapes.ResourceV1DeviceClaim | shapes.ResourceV1DeviceClassSpec>,
  path: FieldPath<shapes.ResourceV1DeviceClaim | shapes.ResourceV1DeviceClassSpec>,
  errors: FieldErrors,
  requests: ReadonlySet<string> = new Set(),
  anySize = false,
): void {
  const list = objectsAt(holder, 'config');
  const here = path.child('config');
  if (list.length > LIST_MAX) errors.tooMany(here, list.length, LIST_MAX);
  errors.each(list, (config, i) => {
    requestNames(config, requests, here.index(i), errors);
    opaqueConfiguration(config, here.index(i), errors, anySize);
  });
}

/** Validates the opaque parameters of one driver. */
export function opaqueConfiguration(
  config: Shaped<shapes.ResourceV1DeviceClassConfiguration>,
  path: FieldPath<
    | shapes.ResourceV1DeviceAllocationConfiguration
    | shapes.ResourceV1DeviceClaimConfiguration
    | shapes.ResourceV1DeviceClassConfiguration
  >,
  errors: FieldErrors,
  anySize = false,
): void {
  const place = path.child('opaque');
  const opaque = at(config, 'opaque');
  if (!isObject(opaque)) {
    errors.required(place);
    return;
  }
  lowerDriverName(textAt(opaque, 'driver'), place.child('driver'), errors);
  parameters(at(opaque, 'parameters'), place.child('parameters'), errors, anySize ? Infinity : PARAMETERS_MAX);
}

/** The specification: drivers are DNS subdomains in lower case, here and in allocation results. */
export function lowerDriverName(driver: string, path: FieldPath, errors: FieldErrors): void {
  if (driver !== '' && driver !== driver.toLowerCase()) sentences(driver, isDns1123Subdomain, path, errors);
  else driverName(driver, path, errors);
}

/** For the length of a text: doubles have about as many digits. */
const withoutBigints = (_: string, v: unknown): unknown => (typeof v === 'bigint' ? Number(v) : v);

/** A JSON object of at most `max` bytes. */
export function parameters(
  value: JsonValue | undefined,
  path: FieldPath,
  errors: FieldErrors,
  max = PARAMETERS_MAX,
): void {
  if (value === undefined || value === null) errors.required(path);
  else if (Buffer.byteLength(JSON.stringify(value, withoutBigints)) > max) errors.tooLong(path, max);
  else if (!isObject(value)) errors.invalid(path, '<value omitted>', 'must be a valid JSON object');
}

/** Validates the spec of a claim or of a claim template. */
export function claimSpec(
  spec: Value<shapes.ResourceV1ResourceClaimSpec> | undefined,
  features: ExpressionFeatures,
  path: FieldPath<shapes.ResourceV1ResourceClaimSpec>,
  errors: FieldErrors,
): void {
  const devices = at(spec, 'devices');
  if (!isObject(devices)) return;
  const here = path.child('devices');
  const requests = objectsAt(devices, 'requests');
  const known = requestNamesOf(devices);
  const context: ClaimContext = { features, used: constrainedAttributes(devices), cost: 0n };
  named(requests, here.child('requests'), { max: LIST_MAX }, errors, (r, p) => deviceRequest(r, context, p, errors));
  constraints(devices, known, here, errors);
  configs(devices, here, errors, known);
  errors.after(() => {
    if (context.cost > EXPRESSION_COST_MAX)
      errors.forbidden(
        here,
        'too complex, total cost of derived attribute CEL expressions in the claim exceeds cost limit',
      );
  });
}

/** The names that refer to requests of a claim: `request` and `request/subrequest`. */
export function requestNamesOf(devices: Value<shapes.ResourceV1DeviceClaim> | undefined): ReadonlySet<string> {
  const known = new Set<string>();
  for (const request of objectsAt(devices ?? null, 'requests')) {
    const name = textAt(request, 'name');
    known.add(name);
    for (const sub of objectsAt(request, 'firstAvailable')) known.add(`${name}/${textAt(sub, 'name')}`);
  }
  return known;
}

/** Attributes that constraints refer to, by request name; '' means every request. */
function constrainedAttributes(
  devices: Shaped<shapes.ResourceV1DeviceClaim>,
): ReadonlyMap<string, ReadonlySet<string>> {
  const used = new Map<string, Set<string>>();
  for (const constraint of objectsAt(devices, 'constraints')) {
    const attribute = at(constraint, 'matchAttribute') ?? at(constraint, 'distinctAttribute');
    if (typeof attribute !== 'string') continue;
    const requests = listAt(constraint, 'requests').map(String);
    for (const request of requests.length === 0 ? [''] : requests) {
      const of = used.get(request) ?? new Set<string>();
      used.set(request, of.add(attribute));
    }
  }
  return used;
}

/** The state shared by the requests of a claim. `cost` is the estimated cost of all derived attributes so far. */
interface ClaimContext {
  readonly features: ExpressionFeatures;
  /** Attributes that constraints refer to, by request name; '' means every request. */
  readonly used: ReadonlyMap<string, ReadonlySet<string>>;
  cost: bigint;
}

/** Derived attributes of a request: unique, and each used by a constraint for this request. */
function derivedAttributes(
  request: Shaped<RequestedDevices>,
  name: string,
  context: ClaimContext,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { used } = context;
  const here = path.child('derivedAttributes');
  const seen = new Set<string>();
  const check = (attribute: JsonObject, i: number): void => {
    const place = here.index(i);
    const of = textAt(attribute, 'name');
    // The declarative rules of the type require a name and an expression, and the form of the name.
    if (of !== '' && !['', name, name.split('/')[0]!].some((r) => used.get(r)?.has(of)))
      errors.invalid(
        place.child('name'),
        of,
        'must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this request',
      );
    const expression = textAt(attribute, 'expression');
    if (Buffer.byteLength(expression) > EXPRESSION_MAX) errors.tooLong(place.child('expression'), EXPRESSION_MAX);
    else if (expression !== '')
      context.cost += checkExpression(
        expression,
        'derived attribute',
        context.features,
        place.child('expression'),
        errors,
      );
    if (seen.has(of)) errors.duplicate(place, of);
    seen.add(of);
  };
  errors.each(objectsAt(request, 'derivedAttributes'), check, EXPRESSION_WEIGHT);
}

/** Validates a list of at most `max` items with unique names. */
export function named<O extends JsonObject>(
  list: readonly O[],
  path: FieldPath,
  { max, repeatedLast = false }: { readonly max: number; readonly repeatedLast?: boolean },
  errors: FieldErrors,
  check: (o: O, path: FieldPath) => void,
): void {
  if (list.length > max) {
    errors.tooMany(path, list.length, max);
    return;
  }
  const seen = new Set<string>();
  const unique = (o: O, i: number): void => {
    const name = textAt(o as JsonObject, 'name');
    if (seen.has(name)) errors.duplicate(path.index(i), name);
    seen.add(name);
  };
  errors.each(list, (o, i) => {
    check(o, path.index(i));
    if (!repeatedLast) errors.after(() => unique(o, i));
  });
  if (repeatedLast) errors.each(list, unique);
}

function deviceRequest(
  request: Shaped<shapes.ResourceV1DeviceRequest>,
  context: ClaimContext,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const name = textAt(request, 'name');
  sentences(textAt(request, 'name'), isDns1123Label, path.child('name'), errors);
  const exactly = at(request, 'exactly');
  const alternatives = objectsAt(request, 'firstAvailable');
  if (isObject(exactly) && alternatives.length > 0) {
    errors.invalid(path, null, 'exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set');
    return;
  }
  if (isObject(exactly)) {
    wanted(exactly, context.features, path.child('exactly'), errors);
    derivedAttributes(exactly, name, context, path.child('exactly'), errors);
  } else if (alternatives.length === 0)
    errors.required(path, 'exactly one of `exactly` or `firstAvailable` is required');
  named(alternatives, path.child('firstAvailable'), { max: 8 }, errors, (sub, here) => {
    sentences(textAt(sub, 'name'), isDns1123Label, here.child('name'), errors);
    wanted(sub, context.features, here, errors);
    derivedAttributes(sub, `${name}/${textAt(sub, 'name')}`, context, here, errors);
  });
}

function wanted(
  request: Shaped<RequestedDevices>,
  features: ExpressionFeatures,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const deviceClass = textAt(request, 'deviceClassName');
  if (deviceClass === '') errors.required(path.child('deviceClassName'));
  else sentences(deviceClass, isDns1123Subdomain, path.child('deviceClassName'), errors);
  selectors(request, features, path, errors);
  const mode = textAt(request, 'allocationMode');
  const count = numberAt(request, 'count');
  if (mode === 'All') {
    if (count !== 0) errors.invalid(path.child('count'), count, "must not be specified when allocationMode is 'All'");
  } else if (mode === 'ExactCount') {
    if (count <= 0) errors.invalid(path.child('count'), count, 'must be greater than zero');
  } else errors.notSupported(path.child('allocationMode'), mode, ['All', 'ExactCount']);
  tolerations(request, path, errors);
}

function constraints(
  devices: Shaped<shapes.ResourceV1DeviceClaim>,
  known: ReadonlySet<string>,
  path: FieldPath<shapes.ResourceV1DeviceClaim>,
  errors: FieldErrors,
): void {
  const list = objectsAt(devices, 'constraints');
  const here = path.child('constraints');
  if (list.length > LIST_MAX) errors.tooMany(here, list.length, LIST_MAX);
  errors.each(list, (constraint, i) => {
    const place = here.index(i);
    requestNames(constraint, known, place, errors);
    const given = (['matchAttribute', 'distinctAttribute'] as const).find((f) => at(constraint, f) !== undefined);
    if (given !== undefined) fullAttributeName(textAt(constraint, given), place.child(given), errors);
    else
      errors.required(
        place,
        'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      );
  });
}

const UNKNOWN_REQUEST =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

/** A reference to a request of the claim: `request` or `request/subrequest`. */
export function requestReference(name: string, known: ReadonlySet<string>, path: FieldPath, errors: FieldErrors): void {
  const parts = name.split('/');
  if (parts.length <= 2) for (const part of parts) sentences(part, isDns1123Label, path, errors);
  if (!known.has(name)) errors.invalid(path, name, UNKNOWN_REQUEST);
}

export function requestNames(
  holder: Shaped<shapes.ResourceV1DeviceClassConfiguration | shapes.ResourceV1DeviceConstraint>,
  known: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const names = listAt(holder, 'requests').map(String);
  const here = path.child('requests');
  if (names.length > LIST_MAX) {
    errors.tooMany(here, names.length, LIST_MAX);
    return;
  }
  errors.each(names, (name, i) => {
    requestReference(name, known, here.index(i), errors);
    if (names.indexOf(name) < i) errors.duplicate(here.index(i), name);
  });
}

export const ADMIN_LABEL = 'resource.kubernetes.io/admin-access';

/** Admin access to devices in use requires a namespace with the admin access label, which only administrators set. */
export function adminAccess(
  claim: Value<shapes.ResourceV1ResourceClaimSpec> | undefined,
  context: WriteContext,
  errors: FieldErrors,
): void {
  if (context.namespaceLabel(ADMIN_LABEL) === 'true') return;
  for (const [i, request] of objectsAt(claim ?? null, 'devices', 'requests').entries())
    if (boolAt(request, 'exactly', 'adminAccess'))
      errors.forbidden(
        FieldPath.of('spec', 'devices', 'requests').index(i).child('adminAccess'),
        `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`,
      );
}

/**
 * Defaults the allocation mode and count of requests, and the operator of tolerations. `needsClass`: in v1beta1 a request without a device
 * class may have subrequests instead, and has no mode and count by default.
 */
export function fillClaim(spec: Value<shapes.ResourceV1ResourceClaimSpec> | undefined, needsClass = false): void {
  for (const request of objectsAt(at(spec, 'devices') ?? null, 'requests')) {
    const exactly = at(request, 'exactly');
    for (const wish of [...(isObject(exactly) ? [exactly] : []), ...objectsAt(request, 'firstAvailable')]) {
      if (!needsClass || wish !== exactly || textAt(wish, 'deviceClassName') !== '') {
        if (textAt(wish, 'allocationMode') === '') wish['allocationMode'] = 'ExactCount';
        if (wish['allocationMode'] === 'ExactCount' && numberAt(wish, 'count') === 0) wish['count'] = 1;
      }
      for (const t of objectsAt(wish, 'tolerations')) if (textAt(t, 'operator') === '') t['operator'] = 'Equal';
    }
  }
}

/** Sets timeAdded of taints that have none. `now`: Unix milliseconds. */
export function stampTaints(taints: readonly Shaped<shapes.ResourceV1DeviceTaint>[], now: number): void {
  for (const t of taints) if (textAt(t, 'timeAdded') === '') t['timeAdded'] = formatTime(now);
}
