import type { FieldRequirement, JsonObject, LabelRequirement } from '../../api/index.js';
import { objectAt, textAt } from '../../api/index.js';
import { ExpiringCache, type World } from '../../base/index.js';
import type { Compiled } from '../../cel/index.js';
import type { CallResult, ReviewClient } from '../../outbound/index.js';
import type { Attributes, ResourceAttributes } from '../attributes.js';
import type { Authorizer, Decision } from '../authz/authorizer.js';
import type { UserInfo } from '../user.js';
import { matchConditions } from './conditions.js';

export interface AccessWebhookConfig {
  /** The version of SubjectAccessReview. */
  readonly version: string;
  /** Milliseconds for which decisions are cached; 0: not at all. */
  readonly authorizedTime: number;
  readonly unauthorizedTime: number;
  readonly failurePolicy: 'Deny' | 'NoOpinion';
  readonly conditions: readonly Compiled[];
}

export interface AccessWebhookObserver {
  called(result: CallResult, seconds: number): void;
  /** A call failed, and the next authorizer decides. */
  failedOpen(result: CallResult): void;
  matched(outcome: 'matched' | 'excluded' | 'failed', seconds: number): void;
  problem(error: Error): void;
}

const DECISIONS_MAX = 8192;
/** Decisions with more characters of attributes than this are not cached, because clients choose the attributes. */
const REMEMBERED_CHARACTERS_MAX = 10_000;

/** Mode `Webhook`: a service decides, by SubjectAccessReview. */
export class AccessWebhook implements Authorizer {
  readonly #client: ReviewClient;
  readonly #config: AccessWebhookConfig;
  readonly #world: World;
  readonly #observer: AccessWebhookObserver;
  readonly #known = new ExpiringCache<Decision>(DECISIONS_MAX);
  readonly #asking = new Map<string, Promise<Decision>>();

  constructor(client: ReviewClient, config: AccessWebhookConfig, world: World, observer: AccessWebhookObserver) {
    this.#client = client;
    this.#config = config;
    this.#world = world;
    this.#observer = observer;
  }

  authorize(user: UserInfo, attributes: Attributes): Decision | Promise<Decision> {
    const { conditions } = this.#config;
    const { clock } = this.#world;
    if (conditions.length > 0) {
      const began = clock.monotonic();
      const found = matchConditions(conditions, conditionInput(user, attributes));
      const seconds = (clock.monotonic() - began) / 1000;
      this.#observer.matched(found.kind === 'matches' ? 'matched' : found.kind, seconds);
      if (found.kind === 'excluded') return { kind: 'noOpinion', reason: '' };
      if (found.kind === 'failed') return this.#onError(found.reason);
    }
    const spec = reviewSpec(user, attributes, this.#config.version);
    const key = JSON.stringify(spec);
    const known = this.#known.get(key, clock.monotonic());
    if (known !== undefined) return known;
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = this.#ask(spec, key, attributes).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
    }
    return asking;
  }

  async #ask(spec: JsonObject, key: string, attributes: Attributes): Promise<Decision> {
    const { version, authorizedTime, unauthorizedTime, failurePolicy } = this.#config;
    const review: JsonObject = {
      kind: 'SubjectAccessReview',
      apiVersion: `authorization.k8s.io/${version}`,
      metadata: {},
      spec,
      status: { allowed: false },
    };
    let last: CallResult = 'error';
    let found: JsonObject;
    try {
      found = await this.#client.post(review, (result, seconds) => {
        last = result;
        this.#observer.called(result, seconds);
      });
    } catch (error) {
      this.#observer.problem(error as Error);
      if (failurePolicy === 'NoOpinion') this.#observer.failedOpen(last);
      return this.#onError((error as Error).message);
    }
    const status = objectAt(found, 'status');
    const decision = decisionIn(status);
    const time = status['allowed'] === true ? authorizedTime : unauthorizedTime;
    if (time > 0 && charactersOf(attributes) < REMEMBERED_CHARACTERS_MAX)
      this.#known.set(key, decision, this.#world.clock.monotonic() + time);
    return decision;
  }

  #onError(error: string): Decision {
    return { kind: this.#config.failurePolicy === 'Deny' ? 'deny' : 'noOpinion', reason: '', error };
  }
}

const BOTH = 'webhook subject access review returned both allow and deny response';

function decisionIn(status: JsonObject): Decision {
  const reason = textAt(status, 'reason');
  if (status['denied'] === true)
    return { kind: 'deny', reason, ...(status['allowed'] === true ? { error: BOTH } : {}) };
  return status['allowed'] === true ? { kind: 'allow', reason } : { kind: 'noOpinion', reason };
}

function charactersOf(a: Attributes): number {
  if (a.kind === 'path') return a.path.length + a.verb.length;
  return [a.namespace, a.verb, a.group, a.version, a.resource, a.subresource, a.name].reduce(
    (sum, text) => sum + text.length,
    0,
  );
}

/** The spec of a review: empty fields are omitted. In v1beta1 the field of the groups is called `group`. */
export function reviewSpec(user: UserInfo, attributes: Attributes, version: string): JsonObject {
  const { name, uid = '', groups, extra } = user;
  return {
    ...(attributes.kind === 'path'
      ? { nonResourceAttributes: withoutEmpty({ path: attributes.path, verb: attributes.verb }) }
      : { resourceAttributes: { ...withoutEmpty(textsOf(attributes)), ...selectorsOf(attributes) } }),
    ...(name === '' ? {} : { user: name }),
    ...(groups.length === 0 ? {} : { [version === 'v1' ? 'groups' : 'group']: [...groups] }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra: lists(extra) }),
    ...(uid === '' ? {} : { uid }),
  };
}

/** The variable of match conditions: every field of the user and every text is present, even if empty. */
function conditionInput(user: UserInfo, attributes: Attributes): JsonObject {
  const { name, uid = '', groups, extra = {} } = user;
  return {
    user: name,
    groups: [...groups],
    uid,
    extra: lists(extra),
    ...(attributes.kind === 'path'
      ? { nonResourceAttributes: { path: attributes.path, verb: attributes.verb } }
      : { resourceAttributes: { ...textsOf(attributes), ...selectorsOf(attributes) } }),
  };
}

const lists = (extra: Readonly<Record<string, readonly string[]>>): JsonObject =>
  Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));

const textsOf = (a: ResourceAttributes) => ({
  namespace: a.namespace,
  verb: a.verb,
  group: a.group,
  version: a.version,
  resource: a.resource,
  subresource: a.subresource,
  name: a.name,
});

const withoutEmpty = (fields: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, text]) => text !== ''));

function selectorsOf({ fieldSelector = [], labelSelector = [] }: ResourceAttributes): JsonObject {
  const fields = fieldSelector.map(fieldRequirement);
  const labels = labelRequirements(labelSelector);
  return {
    ...(fields.length === 0 ? {} : { fieldSelector: { requirements: fields } }),
    ...(labels.length === 0 ? {} : { labelSelector: { requirements: [...labels] } }),
  };
}

const fieldRequirement = ({ field, equal, value }: FieldRequirement): JsonObject => ({
  key: field,
  operator: equal ? 'In' : 'NotIn',
  values: [value],
});

const OPERATORS: Readonly<Record<string, string>> = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

/** If the review does not know an operator, the requirement is omitted: the review then covers more objects. */
function labelRequirements(requirements: readonly LabelRequirement[]): readonly JsonObject[] {
  return requirements.flatMap(({ key, operator, values }) => {
    const name = OPERATORS[operator];
    return name === undefined ? [] : [{ key, operator: name, ...(values.length === 0 ? {} : { values: [...values] }) }];
  });
}
