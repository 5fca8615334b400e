/** The fields of an AuthenticationConfiguration (apiserver.config.k8s.io/v1 and v1beta1). Absent strings are ''. */
export interface AuthenticationConfig {
  readonly jwt: readonly JwtConfig[];
  readonly anonymous: AnonymousConfig | undefined;
}

export interface AnonymousConfig {
  readonly enabled: boolean;
  /** The only paths that anonymous requests may use; empty: any. */
  readonly conditions: readonly { readonly path: string }[];
}

export interface JwtConfig {
  readonly issuer: IssuerConfig;
  readonly claimValidationRules: readonly ClaimRule[];
  readonly claimMappings: ClaimMappings;
  readonly userValidationRules: readonly { readonly expression: string; readonly message: string }[];
}

export interface IssuerConfig {
  readonly url: string;
  readonly discoveryURL: string;
  /** PEM; '' for the authorities of the system. */
  readonly certificateAuthority: string;
  readonly audiences: readonly string[];
  readonly audienceMatchPolicy: string;
  readonly egressSelectorType: string;
}

export interface ClaimRule {
  readonly claim: string;
  readonly requiredValue: string;
  readonly expression: string;
  readonly message: string;
}

export interface ClaimMappings {
  readonly username: PrefixedMapping;
  readonly groups: PrefixedMapping;
  readonly uid: { readonly claim: string; readonly expression: string };
  readonly extra: readonly { readonly key: string; readonly valueExpression: string }[];
}

export interface PrefixedMapping {
  readonly claim: string;
  /** Undefined: not set, which is an error if there is a claim. */
  readonly prefix: string | undefined;
  readonly expression: string;
}

/** The algorithms that issuers may sign with (RFC 7518): asymmetric ones only. */
export const SIGNING_ALGORITHMS: readonly string[] = [
  ...['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'],
];
