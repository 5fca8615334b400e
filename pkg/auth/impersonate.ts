import { errors, isDns1123Subdomain } from '../api/index.js';
import type { Clock } from '../base/index.js';
import type { ImpersonationMetrics } from '../telemetry/index.js';
import { type Attributes, forbidden, type ResourceAttributes } from './attributes.js';
import type { Authorizer } from './authz/authorizer.js';
import {
  ANONYMOUS,
  AUTHENTICATED,
  MASTERS,
  serviceAccountGroups,
  serviceAccountOf,
  UNAUTHENTICATED,
  type UserInfo,
} from './user.js';

/** Header values as Node gives them: lower-case names. */
export type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** The headers of a request. A header in several lines has one value for each line. */
export interface HeaderLines {
  readonly headers: Headers;
  lines(name: string): readonly string[];
}

export const IMPERSONATE_USER = 'impersonate-user';
const GROUP = 'impersonate-group';
const UID = 'impersonate-uid';
const EXTRA = 'impersonate-extra-';

/** Whether a request has impersonation headers. */
export function wantsImpersonation(request: HeaderLines): boolean {
  const { headers } = request;
  if (headers[GROUP] !== undefined || states(request, IMPERSONATE_USER) || states(request, UID)) return true;
  for (const name in headers) if (name.startsWith(EXTRA)) return true;
  return false;
}

/** Of several lines the first one counts, also if it is empty. */
function states(request: HeaderLines, name: string): boolean {
  return request.headers[name] !== undefined && (request.lines(name)[0] ?? '') !== '';
}

/** Returns the user in the headers. */
interface Wanted {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * A mode of impersonation with its own verbs. The constrained modes need two permissions:
 * `impersonate-on:<mode>:<verb>` on the requested resource, and `impersonate:<mode>` on each part of the user. Legacy
 * impersonation needs `impersonate` on each part.
 */
interface Mode {
  readonly name: 'associated-node' | 'arbitrary-node' | 'serviceaccount' | 'user-info' | 'legacy';
  applies(wanted: Wanted, caller: UserInfo): boolean;
}

const MODES: readonly Mode[] = [
  { name: 'associated-node', applies: (wanted, caller) => onlyName(wanted) && runsOn(caller, nodeOf(wanted.name)) },
  { name: 'arbitrary-node', applies: (wanted) => onlyName(wanted) && nodeOf(wanted.name) !== undefined },
  { name: 'serviceaccount', applies: (wanted) => onlyName(wanted) && serviceAccountOf(wanted.name) !== undefined },
  {
    name: 'user-info',
    applies: ({ name }) => nodeOf(name) === undefined && serviceAccountOf(name) === undefined,
  },
  { name: 'legacy', applies: () => true },
];

/** Callers whose last successful mode is cached, so that it is tried first. The permissions are checked in any case. */
const REMEMBERED_MAX = 10_000;
/** From this many checks on, a single check for all of them (`*`) is tried first. */
const MANY_CHECKS = 4;

export interface Impersonated {
  readonly user: UserInfo;
  /** The verb that allowed it, `impersonate:user-info` for example; '' in legacy mode. For the audit event. */
  readonly constraint: string;
}

export interface ImpersonatorOptions {
  /** The gate `ConstrainedImpersonation`. Without it only legacy impersonation works. */
  readonly constrained: boolean;
  readonly clock: Clock;
  readonly metrics: ImpersonationMetrics;
}

/** Authorizes impersonation by `Impersonate-*` headers. */
export class Impersonator {
  readonly #authorizer: Authorizer;
  readonly #clock: Clock;
  readonly #metrics: ImpersonationMetrics;
  readonly #modes: readonly Mode[];
  readonly #lastMode = new Map<string, Mode>();

  constructor(authorizer: Authorizer, { constrained, clock, metrics }: ImpersonatorOptions) {
    this.#authorizer = authorizer;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#modes = constrained ? MODES : MODES.filter((mode) => mode.name === 'legacy');
  }

  /**
   * Returns the user in the headers of a request. Throws 403 if the caller may not impersonate it, 400 without a name.
   */
  async impersonate(caller: UserInfo, request: HeaderLines, attributes: Attributes): Promise<Impersonated> {
    const wanted = wantedOf(request);
    if (wanted.name === '') throw errors.badRequest(`requested ${printed(wanted)} without impersonating a user name`);
    const began = this.#clock.monotonic();
    const last = this.#lastMode.get(caller.name);
    const modes = last === undefined ? this.#modes : [last, ...this.#modes.filter((mode) => mode !== last)];
    let refusal: Error | undefined;
    for (const mode of modes) {
      if (!mode.applies(wanted, caller)) continue;
      const problem = await this.#check(mode, caller, wanted, attributes);
      if (problem === undefined) {
        this.#remember(caller.name, mode);
        this.#metrics.attempts.observe(mode.name, 'allowed', this.#since(began));
        return { user: userOf(wanted, mode), constraint: mode.name === 'legacy' ? '' : `impersonate:${mode.name}` };
      }
      refusal ??= problem;
    }
    this.#metrics.attempts.observe('', 'denied', this.#since(began));
    throw refusal ?? errors.internal('no mode of impersonation applies');
  }

  /** Seconds. */
  #since(began: number): number {
    return (this.#clock.monotonic() - began) / 1000;
  }

  #remember(name: string, mode: Mode): void {
    this.#lastMode.delete(name);
    this.#lastMode.set(name, mode);
    if (this.#lastMode.size > REMEMBERED_MAX) this.#lastMode.delete(this.#lastMode.keys().next().value!);
  }

  async #check(mode: Mode, caller: UserInfo, wanted: Wanted, attributes: Attributes): Promise<Error | undefined> {
    const asks = mode.name === 'associated-node' ? associated(caller) : caller;
    if (mode.name !== 'legacy') {
      const verb = `impersonate-on:${mode.name}:${attributes.verb}`;
      const refused = await this.#refusal(mode, asks, { ...attributes, verb });
      if (refused !== undefined) return refused;
    }
    const { first, groups, extra } = checksOf(mode, wanted);
    for (const check of first) {
      const refused = await this.#refusal(mode, asks, check);
      if (refused !== undefined) return refused;
    }
    if (mode.name !== 'legacy') {
      const problem = groupProblem(wanted, groups.each);
      if (problem !== undefined) return forbidden(asks, problem.attributes, problem.reason);
    }
    const groupsRefused = await this.#refusalOfAll(mode, asks, groups);
    if (groupsRefused !== undefined) return groupsRefused;
    if (mode.name !== 'legacy') {
      const problem = extraProblem(wanted.extra);
      if (problem !== undefined) return forbidden(asks, extra.none, problem);
    }
    return this.#refusalOfAll(mode, asks, extra);
  }

  async #refusalOfAll(mode: Mode, caller: UserInfo, { each, all }: Checks): Promise<Error | undefined> {
    if (mode.name !== 'legacy' && each.length >= MANY_CHECKS && (await this.#refusal(mode, caller, all)) === undefined)
      return undefined;
    for (const check of each) {
      const refused = await this.#refusal(mode, caller, check);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  async #refusal(mode: Mode, caller: UserInfo, attributes: Attributes): Promise<Error | undefined> {
    const began = this.#clock.monotonic();
    const decision = await this.#authorizer.authorize(caller, attributes);
    const verdict = decision.kind === 'allow' ? 'allowed' : 'denied';
    this.#metrics.checks.observe(mode.name, verdict, this.#since(began));
    return decision.kind === 'allow' ? undefined : forbidden(caller, attributes, decision.reason);
  }
}

/** The checks of a repeated part: one for each value, and one for all. */
interface Checks {
  readonly each: readonly ResourceAttributes[];
  readonly all: ResourceAttributes;
}

function checksOf(mode: Mode, wanted: Wanted) {
  const { name, uid, groups, extra } = wanted;
  const legacy = mode.name === 'legacy';
  const authentication = {
    kind: 'resource',
    verb: legacy ? 'impersonate' : `impersonate:${mode.name}`,
    group: 'authentication.k8s.io',
    version: 'v1',
    subresource: '',
    namespace: '',
  } as const;
  const named = legacy ? { ...authentication, group: '' } : authentication;
  const account = serviceAccountOf(name);
  const node = legacy ? undefined : nodeOf(name);
  const first: ResourceAttributes[] = [
    account !== undefined
      ? { ...named, resource: 'serviceaccounts', ...account }
      : node !== undefined
        ? { ...named, resource: 'nodes', name: mode.name === 'associated-node' ? '*' : node }
        : { ...named, resource: 'users', name },
  ];
  if (uid !== '') first.push({ ...authentication, resource: 'uids', name: uid });
  const extras = { ...authentication, resource: 'userextras' } as const;
  return {
    first,
    groups: {
      each: groups.map((group) => ({ ...named, resource: 'groups', name: group })),
      all: { ...named, resource: 'groups', name: '*' },
    } satisfies Checks,
    extra: {
      each: Object.entries(extra).flatMap(([key, values]) =>
        values.map((value) => ({ ...extras, subresource: key, name: value })),
      ),
      all: { ...extras, subresource: '*', name: '*' },
      none: { ...extras, name: '' } as ResourceAttributes,
    },
  };
}

/** Groups that no constrained mode allows. */
function groupProblem(
  { groups }: Wanted,
  checks: readonly ResourceAttributes[],
): { readonly attributes: ResourceAttributes; readonly reason: string } | undefined {
  const [first] = checks;
  if (first === undefined) return undefined;
  if (groups.includes(''))
    return { attributes: { ...first, name: '' }, reason: 'impersonating the empty string group is not allowed' };
  if (groups.includes(MASTERS))
    return { attributes: { ...first, name: MASTERS }, reason: `impersonating the ${MASTERS} group is not allowed` };
  return undefined;
}

/** Extras that no constrained mode allows. */
function extraProblem(extra: Wanted['extra']): string | undefined {
  for (const [key, values] of Object.entries(extra)) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const invalid = pathProblem(key);
    if (invalid !== undefined) return `impersonating an invalid key in extra is not allowed: ${invalid}`;
    if (key !== key.toLowerCase())
      return `impersonating a non-lowercase key in extra is not allowed: ${JSON.stringify(key)}`;
    if (values.length === 0) return 'impersonating empty values in extra is not allowed';
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

function pathProblem(key: string): string | undefined {
  const slash = key.indexOf('/');
  const invalid = (value: string, why: string): string => `extra.key: Invalid value: ${JSON.stringify(value)}: ${why}`;
  if (slash <= 0 || slash === key.length - 1)
    return invalid(key, 'must be a domain-prefixed path (such as "acme.io/foo")');
  const domain = key.slice(0, slash);
  const why = isDns1123Subdomain(domain)[0];
  return why === undefined ? undefined : invalid(domain, why);
}

/** The attributes for a service account that impersonates its own node. They are equal for all nodes. */
function associated(caller: UserInfo): UserInfo {
  const keys = Object.keys(caller.extra ?? {}).sort();
  return { ...caller, extra: { 'authentication.kubernetes.io/associated-node-keys': keys } };
}

const onlyName = ({ uid, groups, extra }: Wanted): boolean =>
  uid === '' && groups.length === 0 && Object.keys(extra).length === 0;

const NODE_PREFIX = 'system:node:';
export const NODES_GROUP = 'system:nodes';

/** The node of a user name. */
export function nodeOf(userName: string): string | undefined {
  if (!userName.startsWith(NODE_PREFIX)) return undefined;
  const name = userName.slice(NODE_PREFIX.length);
  return isDns1123Subdomain(name).length === 0 ? name : undefined;
}

function runsOn(caller: UserInfo, node: string | undefined): boolean {
  if (node === undefined || serviceAccountOf(caller.name) === undefined) return false;
  const names = caller.extra?.['authentication.kubernetes.io/node-name'];
  return names?.length === 1 && names[0] === node;
}

function userOf({ name, uid, groups, extra }: Wanted, mode: Mode): UserInfo {
  const account = serviceAccountOf(name);
  const implied =
    groups.length > 0
      ? groups
      : account !== undefined
        ? serviceAccountGroups(account)
        : mode.name !== 'legacy' && nodeOf(name) !== undefined
          ? [NODES_GROUP]
          : [];
  const needed =
    name === ANONYMOUS.name ? UNAUTHENTICATED : implied.includes(UNAUTHENTICATED) ? undefined : AUTHENTICATED;
  return {
    name,
    ...(uid === '' ? {} : { uid }),
    groups: needed === undefined || implied.includes(needed) ? implied : [...implied, needed],
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}

function wantedOf(request: HeaderLines): Wanted {
  const extra: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>;
  for (const name in request.headers) {
    if (!name.startsWith(EXTRA)) continue;
    const key = decodeExtraKey(name.slice(EXTRA.length));
    extra[key] = [...(extra[key] ?? []), ...request.lines(name)];
  }
  return {
    name: request.lines(IMPERSONATE_USER)[0] ?? '',
    uid: request.lines(UID)[0] ?? '',
    groups: request.lines(GROUP),
    extra,
  };
}

/**
 * Returns the key of an extra in a header's name: percent-encoded, byte by byte. Bytes that are not UTF-8 become U+FFFD; a key with another
 * `%` is used unchanged.
 */
export function decodeExtraKey(raw: string): string {
  const text = raw.toLowerCase();
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (let i = 0; i < bytes.length; i++, length++) {
    if (bytes[i] !== PERCENT) {
      bytes[length] = bytes[i]!;
      continue;
    }
    const code = bytes.toString('latin1', i + 1, i + 3);
    if (!/^[\da-f]{2}$/.test(code)) return text;
    bytes[length] = Number.parseInt(code, 16);
    i += 2;
  }
  return bytes.toString('utf8', 0, length);
}

const PERCENT = 0x25;

/** As kube-apiserver prints it: a Go value. */
function printed({ name, uid, groups, extra }: Wanted): string {
  const list = (values: readonly string[]): string =>
    values.length === 0 ? '[]string(nil)' : `[]string{${values.map((v) => JSON.stringify(v)).join(', ')}}`;
  const entries = Object.entries(extra)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${JSON.stringify(key)}:${list(values)}`);
  const map = entries.length === 0 ? 'map[string][]string(nil)' : `map[string][]string{${entries.join(', ')}}`;
  return `&user.DefaultInfo{Name:${JSON.stringify(name)}, UID:${JSON.stringify(uid)}, Groups:${list(groups)}, Extra:${map}}`;
}
