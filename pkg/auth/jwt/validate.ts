import { X509Certificate } from 'node:crypto';
import { type FieldErrors, FieldPath, isDns1123Subdomain, isHttpPath, pemBlocks } from '../../api/index.js';
import { BOOL, type Compiled, children, DYN, type Expr, failed, type Type } from '../../cel/index.js';
import type {
  AuthenticationConfig,
  ClaimMappings,
  ClaimRule,
  IssuerConfig,
  JwtConfig,
  PrefixedMapping,
} from './config.js';
import { compileClaims, compileUser } from './environment.js';

/** A JWT authenticator with its expressions compiled. */
export interface CompiledJwt {
  readonly config: JwtConfig;
  readonly username: Compiled | undefined;
  readonly groups: Compiled | undefined;
  readonly uid: Compiled | undefined;
  readonly extra: readonly { readonly key: string; readonly compiled: Compiled }[];
  readonly claimRules: readonly CompiledRule[];
  readonly userRules: readonly CompiledRule[];
}

export interface CompiledRule {
  readonly compiled: Compiled;
  readonly message: string;
}

const AUTHENTICATORS_MAX = 64;
const EMAIL_RULE =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';

/**
 * Validates an AuthenticationConfiguration and compiles its expressions. All problems are added to `errors`, with the
 * paths and messages of kube-apiserver; the result is valid only if there are none. `reserved` are issuers that no
 * authenticator may have: those of service-account tokens.
 */
export function compileAuthentication(
  { jwt, anonymous }: AuthenticationConfig,
  reserved: readonly string[],
  errors: FieldErrors,
): readonly CompiledJwt[] {
  const root = FieldPath.of('jwt');
  if (jwt.length > AUTHENTICATORS_MAX) {
    errors.tooMany(root, jwt.length, AUTHENTICATORS_MAX);
    return [];
  }
  const compiled = jwt.map((one, i) => {
    const path = root.index(i);
    const found = compileJwt(one, reserved, path, errors);
    const { url, discoveryURL } = one.issuer;
    const before = jwt.slice(0, i);
    if (before.some((b) => b.issuer.url === url)) errors.duplicate(path.child('issuer', 'url'), url);
    if (discoveryURL !== '' && before.some((b) => b.issuer.discoveryURL === discoveryURL))
      errors.duplicate(path.child('issuer', 'discoveryURL'), discoveryURL);
    return found;
  });
  if (anonymous !== undefined && !anonymous.enabled && anonymous.conditions.length > 0)
    errors.invalid(
      FieldPath.of('anonymous', 'conditions'),
      // kube-apiserver prints its internal form.
      anonymous.conditions.map(({ path }) => ({ Path: path })),
      'enabled should be set to true when conditions are defined',
    );
  return compiled;
}

function compileJwt(config: JwtConfig, reserved: readonly string[], path: FieldPath, errors: FieldErrors): CompiledJwt {
  checkIssuer(config.issuer, reserved, path.child('issuer'), errors);
  const claimRules = compileClaimRules(config.claimValidationRules, path.child('claimValidationRules'), errors);
  const mappings = compileMappings(config.claimMappings, claimRules, path.child('claimMappings'), errors);
  const userRules = compileUserRules(config, path.child('userValidationRules'), errors);
  return { config, ...mappings, claimRules, userRules };
}

function checkIssuer(issuer: IssuerConfig, reserved: readonly string[], path: FieldPath, errors: FieldErrors): void {
  const { url, discoveryURL, certificateAuthority, egressSelectorType } = issuer;
  if (url === '') errors.required(path.child('url'));
  else checkUrl(url, reserved, path.child('url'), errors);
  if (discoveryURL !== '') {
    const at = path.child('discoveryURL');
    if (url !== '' && withoutSlashes(url) === withoutSlashes(discoveryURL))
      errors.invalid(at, discoveryURL, 'discoveryURL must be different from URL');
    checkUrl(discoveryURL, [], at, errors);
  }
  checkAudiences(issuer, path, errors);
  if (certificateAuthority !== '') {
    const problem = authorityProblem(certificateAuthority);
    if (problem !== undefined) errors.invalid(path.child('certificateAuthority'), '<omitted>', problem);
  }
  if (egressSelectorType !== '' && egressSelectorType !== 'controlplane' && egressSelectorType !== 'cluster')
    errors.invalid(
      path.child('egressSelectorType'),
      egressSelectorType,
      'egress selector must be either controlplane or cluster',
    );
}

function withoutSlashes(url: string): string {
  let end = url.length;
  while (url[end - 1] === '/') end--;
  return url.slice(0, end);
}

function checkUrl(text: string, reserved: readonly string[], path: FieldPath, errors: FieldErrors): void {
  if (reserved.includes(text))
    errors.invalid(path, text, `URL must not overlap with disallowed issuers: [${[...reserved].sort().join(' ')}]`);
  const broken = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(text)?.[0];
  if (broken !== undefined) {
    errors.invalid(path, text, `parse ${JSON.stringify(text)}: invalid URL escape ${JSON.stringify(broken)}`);
    return;
  }
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) {
    // Without a scheme Go reads a path, which is not https.
    errors.invalid(path, text, 'URL scheme must be https');
    return;
  }
  // Go parses a URL without a host.
  const parsed = text.replace(/^([A-Za-z][A-Za-z0-9+.-]*:\/\/)(?=[/?#]|$)/, '$1host');
  if (!URL.canParse(parsed)) {
    errors.invalid(path, text, `parse ${JSON.stringify(text)}: invalid URL`);
    return;
  }
  const url = new URL(parsed);
  if (url.protocol !== 'https:') errors.invalid(path, text, 'URL scheme must be https');
  if (url.username !== '' || url.password !== '')
    errors.invalid(path, text, 'URL must not contain a username or password');
  if (url.search !== '') errors.invalid(path, text, 'URL must not contain a query');
  if (url.hash !== '') errors.invalid(path, text, 'URL must not contain a fragment');
}

function checkAudiences({ audiences, audienceMatchPolicy }: IssuerConfig, path: FieldPath, errors: FieldErrors): void {
  const at = path.child('audiences');
  if (audiences.length === 0) {
    errors.required(at, `at least one ${at.toString()} is required`);
    return;
  }
  for (const [i, audience] of audiences.entries()) {
    if (audience === '') errors.required(at.index(i));
    if (audiences.indexOf(audience) < i) errors.duplicate(at.index(i), audience);
  }
  const policy = path.child('audienceMatchPolicy');
  if (audiences.length > 1 && audienceMatchPolicy !== 'MatchAny')
    errors.invalid(policy, audienceMatchPolicy, 'audienceMatchPolicy must be MatchAny for multiple audiences');
  if (audiences.length === 1 && audienceMatchPolicy !== '' && audienceMatchPolicy !== 'MatchAny')
    errors.invalid(policy, audienceMatchPolicy, 'audienceMatchPolicy must be empty or MatchAny for single audience');
}

/** Returns why a text is not a PEM bundle of certificates, or undefined. */
export function authorityProblem(pem: string): string | undefined {
  let certificates = 0;
  for (const { type, hasHeaders, text } of pemBlocks(pem)) {
    if (type !== 'CERTIFICATE' || hasHeaders) continue;
    try {
      new X509Certificate(text);
    } catch {
      return 'x509: malformed certificate';
    }
    certificates++;
  }
  return certificates === 0 ? 'data does not contain any valid RSA or ECDSA certificates' : undefined;
}

function compileClaimRules(rules: readonly ClaimRule[], path: FieldPath, errors: FieldErrors): readonly CompiledRule[] {
  const claims = new Set<string>();
  const expressions = new Set<string>();
  const compiled: CompiledRule[] = [];
  for (const [i, { claim, requiredValue, expression, message }] of rules.entries()) {
    const at = path.index(i);
    if (claim !== '' && expression !== '') errors.invalid(at, claim, "claim and expression can't both be set");
    else if (claim === '' && expression === '') errors.required(at, 'claim or expression is required');
    else if (claim !== '') {
      if (message !== '') errors.invalid(at.child('message'), message, 'may not be specified when claim is set');
      if (claims.has(claim)) errors.duplicate(at.child('claim'), claim);
      claims.add(claim);
    } else {
      if (requiredValue !== '')
        errors.invalid(at.child('requiredValue'), requiredValue, 'may not be specified when expression is set');
      if (expressions.has(expression)) errors.duplicate(at.child('expression'), expression);
      else {
        expressions.add(expression);
        const found = claimsExpression(expression, at.child('expression'), errors, BOOL);
        if (found !== undefined) compiled.push({ compiled: found, message });
      }
    }
  }
  return compiled;
}

type CompiledMappings = Pick<CompiledJwt, 'username' | 'groups' | 'uid' | 'extra'>;

function compileMappings(
  mappings: ClaimMappings,
  claimRules: readonly CompiledRule[],
  path: FieldPath,
  errors: FieldErrors,
): CompiledMappings {
  const username = compilePrefixed(mappings.username, path.child('username'), errors, true);
  const groups = compilePrefixed(mappings.groups, path.child('groups'), errors, false);
  const { claim, expression } = mappings.uid;
  let uid: Compiled | undefined;
  if (claim !== '' && expression !== '')
    errors.invalid(path.child('uid'), '', "claim and expression can't both be set");
  else if (expression !== '') uid = claimsExpression(expression, path.child('uid', 'expression'), errors);
  const extra = compileExtra(mappings.extra, path.child('extra'), errors);
  if (username !== undefined && selects(username.expr, 'email')) {
    const all = [username, ...extra.map((e) => e.compiled), ...claimRules.map((rule) => rule.compiled)];
    if (!all.some((c) => selects(c.expr, 'email_verified')))
      errors.invalid(path.child('username', 'expression'), mappings.username.expression, EMAIL_RULE);
  }
  return { username, groups, uid, extra };
}

function compilePrefixed(
  { claim, prefix, expression }: PrefixedMapping,
  path: FieldPath,
  errors: FieldErrors,
  required: boolean,
): Compiled | undefined {
  if (claim !== '' && expression !== '') errors.invalid(path, '', "claim and expression can't both be set");
  else if (expression !== '') {
    if (prefix !== undefined)
      errors.invalid(path.child('prefix'), prefix, 'may not be specified when expression is set');
    return claimsExpression(expression, path.child('expression'), errors);
  } else if (claim !== '') {
    if (prefix === undefined)
      errors.required(
        path.child('prefix'),
        'prefix is required when claim is set. It can be set to an empty string to disable prefixing',
      );
  } else if (required) errors.required(path, 'claim or expression is required');
  return undefined;
}

function compileExtra(extra: ClaimMappings['extra'], path: FieldPath, errors: FieldErrors): CompiledJwt['extra'] {
  const seen = new Set<string>();
  const compiled: { key: string; compiled: Compiled }[] = [];
  for (const [i, { key, valueExpression }] of extra.entries()) {
    const at = path.index(i);
    checkExtraKey(key, at.child('key'), errors);
    if (seen.has(key)) {
      errors.duplicate(at.child('key'), key);
      continue;
    }
    seen.add(key);
    if (valueExpression === '') errors.required(at.child('valueExpression'));
    else {
      const found = claimsExpression(valueExpression, at.child('valueExpression'), errors);
      if (found !== undefined) compiled.push({ key, compiled: found });
    }
  }
  return compiled;
}

/** A key is `domain/path`, in lower case, outside the domains of Kubernetes. */
function checkExtraKey(key: string, path: FieldPath, errors: FieldErrors): void {
  const slash = key.indexOf('/');
  const domain = slash < 0 ? '' : key.slice(0, slash);
  const rest = key.slice(slash + 1);
  if (key === '') errors.required(path);
  else if (domain === '' || rest === '')
    errors.invalid(path, key, 'must be a domain-prefixed path (such as "acme.io/foo")');
  else {
    for (const problem of isDns1123Subdomain(domain)) errors.invalid(path, domain, problem);
    for (const problem of isHttpPath(rest)) errors.invalid(path, rest, problem);
  }
  if (key !== key.toLowerCase()) errors.invalid(path, key, 'must be lowercase');
  if (['kubernetes.io', 'k8s.io'].some((own) => domain === own || domain.endsWith(`.${own}`)))
    errors.invalid(path, key, 'k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use');
}

function compileUserRules(
  { userValidationRules }: JwtConfig,
  path: FieldPath,
  errors: FieldErrors,
): readonly CompiledRule[] {
  const seen = new Set<string>();
  const compiled: CompiledRule[] = [];
  for (const [i, { expression, message }] of userValidationRules.entries()) {
    const at = path.index(i).child('expression');
    if (expression === '') errors.required(at);
    else if (seen.has(expression)) errors.duplicate(at, expression);
    else {
      seen.add(expression);
      const found = compileUser(expression, BOOL);
      if (failed(found)) tell(found, expression, at, errors);
      else compiled.push({ compiled: found, message });
    }
  }
  return compiled;
}

function claimsExpression(
  expression: string,
  path: FieldPath,
  errors: FieldErrors,
  result: Type = DYN,
): Compiled | undefined {
  const found = compileClaims(expression, result);
  if (!failed(found)) return found;
  tell(found, expression, path, errors);
  return undefined;
}

/** The message names the required type, not the actual one. */
function tell(
  { error, internal }: { readonly error: string; readonly internal: boolean },
  expression: string,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const wrongType = /^(must evaluate to \S+) but got /.exec(error)?.[1];
  if (internal) errors.internal(path, error);
  else errors.invalid(path, expression, wrongType ?? error);
}

/** Whether an expression reads `claims.<field>` or `claims.?<field>`. */
function selects(root: Expr, field: string): boolean {
  const isClaims = (e: Expr | undefined): boolean => e?.kind === 'ident' && e.name === 'claims';
  const stack: Expr[] = [root];
  for (let e = stack.pop(); e !== undefined; e = stack.pop()) {
    if (e.kind === 'select' && e.field === field && isClaims(e.operand)) return true;
    if (e.kind === 'call' && e.name === '_?._' && isClaims(e.args[0])) {
      const name = e.args[1];
      if (name?.kind === 'literal' && name.value === field) return true;
    }
    stack.push(...children(e));
  }
  return false;
}
