import type { JsonObject, RequestAttributes, UserInfo } from '../../api/index.js';

/** Cluster-wide settings that resource declarations use (`--service-cluster-ip-range`, `--event-ttl` and others). */
export interface ClusterConfig {
  /** One range, or one of each family; the first one's family is the default. */
  readonly serviceIpRanges: readonly string[];
  /** Both ends inclusive. */
  readonly nodePorts: { readonly from: number; readonly to: number };
  /** The whole seconds after the last write of an event until it expires; 0: events do not expire. */
  readonly eventSeconds: number;
  /** The authorizer of the server. Access reviews return its decisions. */
  authorize(user: UserInfo, attributes: RequestAttributes): AccessDecision | Promise<AccessDecision>;
  /** The rules that apply to a user in a namespace, as far as the authorizers can list them. */
  rulesFor(user: UserInfo, namespace: string): Promise<AccessRules>;
  readonly tokens: TokenService;
  /** Asks another component of the control plane for its health. Never throws. */
  probe(url: string): Promise<ComponentHealth>;
}

/** The health of a component. Empty texts are not shown. */
export interface ComponentHealth {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly message: string;
  /** Why the response could not be read. */
  readonly error: string;
}

/** Rules in the format of SelfSubjectRulesReview. */
export interface AccessRules {
  readonly resourceRules: readonly JsonObject[];
  readonly nonResourceRules: readonly JsonObject[];
  readonly incomplete: boolean;
  /** The evaluation error, or ''. */
  readonly evaluationError: string;
}

/** Issues and reviews tokens. */
export interface TokenService {
  /** Audiences of the API server. */
  readonly audiences: readonly string[];
  /** `--service-account-max-token-expiration` in seconds; 0: no limit. */
  readonly secondsMax: number;
  /** The lifetime in seconds of pod tokens that request 3607 seconds; 0 keeps the requested lifetime. */
  readonly extendedSeconds: number;
  issue(token: IssuedToken): Promise<string>;
  review(token: string, audiences: readonly string[]): Promise<TokenReviewOutcome>;
}

export interface IssuedToken {
  /** The ID of the token (claim `jti`): a random UUID. */
  readonly id: string;
  readonly namespace: string;
  readonly serviceAccount: BoundObject;
  readonly audiences: readonly string[];
  readonly seconds: number;
  readonly warnAfterSeconds: number;
  readonly pod?: BoundObject | undefined;
  readonly secret?: BoundObject | undefined;
  readonly node?: BoundObject | undefined;
  readonly webhooks?: BoundWebhooks | undefined;
}

/** The configuration of webhooks that a token is bound to, and the API groups whose reviews its bearer may send. */
export interface BoundWebhooks {
  readonly validating?: BoundObject;
  readonly mutating?: BoundObject;
  readonly reviewGroups: readonly string[];
}

export interface BoundObject {
  readonly name: string;
  readonly uid: string;
}

export interface TokenReviewOutcome {
  readonly user: UserInfo | undefined;
  readonly audiences: readonly string[];
  /** '' when there is none. */
  readonly error: string;
}

export interface AccessDecision {
  readonly kind: 'allow' | 'deny' | 'noOpinion';
  readonly reason: string;
  /** Why an authorizer could not decide. */
  readonly error?: string;
}

export const defaultCluster: ClusterConfig = {
  serviceIpRanges: ['10.96.0.0/12'],
  nodePorts: { from: 30000, to: 32767 },
  eventSeconds: 3600,
  authorize: () => ({ kind: 'allow', reason: '' }),
  rulesFor: async () => ({ resourceRules: [], nonResourceRules: [], incomplete: false, evaluationError: '' }),
  tokens: {
    audiences: [],
    secondsMax: 0,
    extendedSeconds: 0,
    issue: async () => '',
    review: async () => ({ user: undefined, audiences: [], error: 'invalid bearer token' }),
  },
  probe: async () => ({ status: 'Unknown', message: '', error: '' }),
};
