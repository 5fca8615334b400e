import type { JsonObject } from '../api/index.js';
import {
  AccessWebhook,
  type AuthObjects,
  type Authorizer,
  alwaysAllow,
  alwaysDeny,
  authorizerChain,
  type CompiledAuthorizer,
  type Decision,
  NodeGraph,
  nodeAuthorizer,
  nodeOfUser,
  PolicyFileError,
  type PolicyList,
  type RbacIndex,
  rbacAuthorizer,
  readPolicies,
  rulesFor,
  type UserInfo,
} from '../auth/index.js';
import type { World } from '../base/index.js';
import { type Config, ConfigError } from '../config/index.js';
import { KubeconfigError, type Outbound, ReviewClient } from '../outbound/index.js';
import type { ClusterConfig } from '../registry/index.js';
import type { AccessMetrics, Log } from '../telemetry/index.js';
import { hashOf } from './authentication.js';
import { authorizersOfFlags, readAuthorization, readAuthorizationFile } from './authorizationfile.js';
import { givenText } from './given.js';
import { reviewTarget } from './reviewtarget.js';
import { watchFile } from './watchedfile.js';

export interface AuthorizationParts {
  readonly world: World;
  readonly config: Config;
  readonly objects: AuthObjects;
  readonly rbac: RbacIndex;
  readonly outbound: Outbound;
  readonly metrics: AccessMetrics;
  readonly log: Log;
}

export interface Authorization {
  readonly authorizer: Authorizer;
  /** The rules of a user, as far as the authorizers can list them. */
  readonly rulesFor: ClusterConfig['rulesFor'];
  /** Whether authorizers of this type were configured at the start. */
  uses(type: string): boolean;
  close(): void;
}

/**
 * Creates the authorizers of the flags or of `--authorization-config`, in order. The file is read again when it
 * changes.
 */
export async function openAuthorization(parts: AuthorizationParts): Promise<Authorization> {
  const { world, config, objects, metrics, log } = parts;
  const path = config.access.authorizationFile;
  const file = path === '' ? undefined : await readAuthorizationFile(path);
  const first = file?.authorizers ?? authorizersOfFlags(config.access);
  const types: ReadonlySet<string> = new Set(first.map((one) => one.config.type));
  const nodes = types.has('Node') ? new NodeGraph(objects) : undefined;
  const policies = types.has('ABAC') ? policiesOf(config.access.policyFile) : undefined;
  const sources: Sources = { ...parts, nodes, policies };
  let current: Current;
  try {
    current = currentOf(first, sources);
  } catch (error) {
    nodes?.close();
    throw error;
  }
  const authorization: Authorization = {
    authorizer: { authorize: (user, attributes) => current.authorizer.authorize(user, attributes) },
    rulesFor: async (user, namespace) => {
      await objects.current();
      return combined(current.members.map((one) => listed(one, sources, user, namespace)));
    },
    uses: (type) => types.has(type),
    close: () => nodes?.close(),
  };
  if (file === undefined) return authorization;
  const server = hashOf(`apiserver-${config.cluster.name}`);
  metrics.authorizationFile.inForce(server, hashOf(file.text));
  const failed = (error: Error): void => {
    metrics.authorizationFile.reloaded('failure', server, world.clock.now() / 1000);
    log.error({ file: path, problem: error.message }, 'could not reload the authorization configuration');
  };
  const required = new Set([...types].filter((type) => type !== 'Webhook'));
  const stop = watchFile(
    world,
    path,
    file.text,
    async (text) => {
      try {
        current = currentOf(await readAuthorization(text, required), sources);
        metrics.authorizationFile.reloaded('success', server, world.clock.now() / 1000);
        metrics.authorizationFile.inForce(server, hashOf(text));
        log.info({ file: path }, 'authorization configuration reloaded');
      } catch (error) {
        failed(error as Error);
      }
      return undefined;
    },
    failed,
  );
  return {
    ...authorization,
    close: () => {
      stop();
      authorization.close();
    },
  };
}

interface Sources extends AuthorizationParts {
  readonly nodes: NodeGraph | undefined;
  readonly policies: PolicyList | undefined;
}

interface Current {
  readonly members: readonly CompiledAuthorizer[];
  readonly authorizer: Authorizer;
}

function currentOf(members: readonly CompiledAuthorizer[], sources: Sources): Current {
  const chain = members.map((member) => {
    const { type, name } = member.config;
    return { name, authorizer: counted(authorizerOf(member, sources), sources.metrics.decisions(type, name)) };
  });
  return { members, authorizer: authorizerChain(chain) };
}

function authorizerOf(member: CompiledAuthorizer, sources: Sources): Authorizer {
  const { type } = member.config;
  const { objects, nodes, policies, rbac, config } = sources;
  const notAtStart = new ConfigError(
    `authorizer type ${type} is not allowed if it was not enabled at initial server startup`,
  );
  switch (type) {
    case 'RBAC':
      return rbacAuthorizer(rbac, objects);
    case 'Node':
      if (nodes === undefined) throw notAtStart;
      return nodeAuthorizer(nodes, objects, (gate) => config.api.featureGates.get(gate) ?? true);
    case 'ABAC':
      if (policies === undefined) throw notAtStart;
      return policies;
    case 'AlwaysAllow':
      return alwaysAllow;
    case 'AlwaysDeny':
      return alwaysDeny;
    default:
      return webhookOf(member, sources);
  }
}

const milliseconds = (nanos: bigint): number => Number(nanos) / 1e6;

function webhookOf({ config, conditions }: CompiledAuthorizer, sources: Sources): Authorizer {
  const { world, outbound, metrics, log } = sources;
  const { name } = config;
  const webhook = config.webhook!;
  const file = webhook.connectionInfo.kubeConfigFile ?? '';
  const client = new ReviewClient({
    world,
    outbound,
    target: targetOf(file, world),
    timeout: milliseconds(webhook.timeout),
  });
  const settings = {
    version: webhook.subjectAccessReviewVersion,
    authorizedTime: webhook.cacheAuthorizedRequests ? milliseconds(webhook.authorizedTTL) : 0,
    unauthorizedTime: webhook.cacheUnauthorizedRequests ? milliseconds(webhook.unauthorizedTTL) : 0,
    failurePolicy: webhook.failurePolicy === 'Deny' ? ('Deny' as const) : ('NoOpinion' as const),
    conditions,
  };
  return new AccessWebhook(client, settings, world, {
    called: (result, seconds) => metrics.webhookCalled(name, result, seconds),
    failedOpen: (result) => metrics.webhookFailedOpen(name, result),
    matched: (outcome, seconds) => metrics.conditionsEvaluated(name, outcome, seconds),
    problem: (error) => log.error({ authorizer: name, problem: error.message }, 'an authorization webhook failed'),
  });
}

function targetOf(file: string, world: World): ReturnType<typeof reviewTarget> {
  try {
    return reviewTarget(file, world);
  } catch (error) {
    if (error instanceof KubeconfigError) throw new ConfigError(`authorization webhook: ${error.message}`);
    throw error;
  }
}

function policiesOf(path: string): PolicyList {
  try {
    return readPolicies(givenText({ flag: 'authorization-policy-file', path }));
  } catch (error) {
    if (!(error instanceof PolicyFileError)) throw error;
    throw new ConfigError(`invalid authorization config: error reading policy file ${path}, ${error.message}`);
  }
}

/** Counts the decisions of an authorizer. One without an opinion is not counted. */
function counted(authorizer: Authorizer, cells: ReturnType<AccessMetrics['decisions']>): Authorizer {
  const count = (decision: Decision): Decision => {
    if (decision.kind === 'allow') cells.allowed.value++;
    else if (decision.kind === 'deny') cells.denied.value++;
    return decision;
  };
  return {
    authorize(user, attributes) {
      const decision = authorizer.authorize(user, attributes);
      return decision instanceof Promise ? decision.then(count) : count(decision);
    },
  };
}

type Rules = Awaited<ReturnType<ClusterConfig['rulesFor']>>;

const NO_RULES: Rules = { resourceRules: [], nonResourceRules: [], incomplete: false, evaluationError: '' };
const EVERYTHING: Rules = {
  ...NO_RULES,
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

function listed({ config: { type } }: CompiledAuthorizer, sources: Sources, user: UserInfo, namespace: string): Rules {
  const { rbac, policies } = sources;
  const unknown = (who: string): Rules => ({
    ...NO_RULES,
    incomplete: true,
    evaluationError: `${who} authorizer does not support user rule resolution`,
  });
  switch (type) {
    case 'RBAC':
      return { ...rulesFor(rbac, user, namespace), incomplete: false };
    case 'ABAC':
      return { ...NO_RULES, ...policies?.rulesFor(user, namespace) };
    case 'AlwaysAllow':
      return EVERYTHING;
    case 'Webhook':
      return unknown('webhook');
    case 'Node':
      return nodeOfUser(user) === undefined ? NO_RULES : unknown('node');
    default:
      return NO_RULES;
  }
}

function combined(parts: readonly Rules[]): Rules {
  const all = (field: 'resourceRules' | 'nonResourceRules'): readonly JsonObject[] => parts.flatMap((p) => p[field]);
  return {
    resourceRules: all('resourceRules'),
    nonResourceRules: all('nonResourceRules'),
    incomplete: parts.some((p) => p.incomplete),
    evaluationError: parts
      .map((p) => p.evaluationError)
      .filter((e) => e !== '')
      .join('; '),
  };
}
