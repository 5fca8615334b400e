import { readFile } from 'node:fs/promises';
import {
  type AuditEvent,
  AuditMetrics,
  Auditor,
  type Backend,
  BatchBackend,
  BlockingBackend,
  openLog,
  type Post,
  readPolicy,
  type Sender,
  truncating,
  webhookSender,
} from '../audit/index.js';
import type { World } from '../base/index.js';
import {
  type AuditBackendConfig,
  type AuditLogConfig,
  type AuditWebhookConfig,
  type Config,
  ConfigError,
  fileErrorText,
} from '../config/index.js';
import {
  type Outbound,
  type OutboundRequest,
  type OutboundResponse,
  pathWithTimeout,
  restError,
  sendFollowing,
  sendRepeatedly,
} from '../outbound/index.js';
import type { Log } from '../telemetry/index.js';
import { AuditFile, standardOutput } from './auditfile.js';
import { reviewTarget } from './reviewtarget.js';

export interface AuditParts {
  readonly world: World;
  readonly config: Config;
  readonly log: Log;
  readonly outbound: Outbound;
}

/** The audit of a server, configured by its flags. Without a policy or a backend nothing is recorded. */
export async function openAudit(parts: AuditParts): Promise<Auditor | undefined> {
  const { policyFile, log, webhook } = parts.config.audit;
  if (policyFile === '') {
    if (log !== undefined || webhook !== undefined)
      parts.log.warn({}, 'no audit policy file is given (--audit-policy-file): nothing is recorded');
    return undefined;
  }
  const policy = await readPolicy(policyFile, await policyText(policyFile), (problem) =>
    parts.log.warn({ file: policyFile, problem }, 'the audit policy contains errors, which are ignored'),
  );
  const metrics = new AuditMetrics();
  const backends: Backend[] = [];
  if (log !== undefined) backends.push(await logBackend(log, parts, metrics));
  if (webhook !== undefined) backends.push(webhookBackend(webhook, parts, metrics));
  return backends.length === 0 ? undefined : new Auditor(policy, backends, metrics);
}

async function policyText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `loading audit policy file: failed to read file path ${JSON.stringify(file)}: ${fileErrorText(error, file)}`,
    );
  }
}

/** Maximum size of the buffered events of a backend: characters for a webhook, bytes for a log. */
const BUFFER_SIZE = 64 * 1024 * 1024;

function sending(config: AuditBackendConfig, send: Sender, parts: AuditParts, metrics: AuditMetrics): Backend {
  const sender = truncating(send, config.truncate, metrics);
  if (config.mode !== 'batch') return new BlockingBackend(sender, config.mode === 'blocking-strict');
  const options = { ...config, bufferCharacters: BUFFER_SIZE };
  return new BatchBackend(sender, options, { world: parts.world, metrics });
}

async function logBackend(config: AuditLogConfig, parts: AuditParts, metrics: AuditMetrics): Promise<Backend> {
  const { world, log } = parts;
  const failed = (error: Error): void => log.error({ err: error, file: config.path }, 'could not write the audit log');
  const { path, sizeMax, backupsMax, daysMax, compress } = config;
  let output = standardOutput;
  if (path !== '-') {
    try {
      output = await AuditFile.open({ path, sizeMax, backupsMax, daysMax, compress, clock: world.clock, failed });
    } catch (error) {
      throw new ConfigError(`--audit-log-path: ${(error as Error).message}`);
    }
  }
  const lineMax = path === '-' ? 0 : sizeMax;
  const options = { ...config, bufferBytes: BUFFER_SIZE, bufferCharacters: BUFFER_SIZE, lineMax };
  return openLog(output, options, { world, metrics, failed });
}

/** Events that are named when they could not be sent. */
const IMPACTED_MAX = 100;
/** Milliseconds of one call of the webhook. */
const WEBHOOK_TIME = 30_000;

function webhookBackend(config: AuditWebhookConfig, parts: AuditParts, metrics: AuditMetrics): Backend {
  const { world, log, outbound } = parts;
  const current = reviewTarget(config.configFile, world);
  const post: Post = async (body) => {
    const { target, path } = current();
    const headers = { 'content-type': 'application/json', accept: 'application/json, */*' };
    const request = { path: pathWithTimeout(path, WEBHOOK_TIME), headers, body, timeout: WEBHOOK_TIME };
    const send = (r: OutboundRequest): Promise<OutboundResponse> => sendFollowing({ world, outbound }, target, r);
    const url = target.origin + request.path;
    const problem = restError(await sendRepeatedly({ world, send, url }, { method: 'POST', ...request }));
    if (problem !== undefined) throw problem;
  };
  const failed = (error: Error, events: readonly AuditEvent[]): void => {
    const impacted = events.slice(0, IMPACTED_MAX).map((event) => event.legacy());
    log.error({ err: error, events: events.length, impacted }, 'could not send audit events to the webhook');
  };
  const { initialBackoff } = config;
  return sending(config, webhookSender(post, { world, metrics, initialBackoff, failed }), parts, metrics);
}
