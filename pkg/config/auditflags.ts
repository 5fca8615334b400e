import { type Flag, parseDuration, throwProblems } from './flag.js';

export const AUDIT_MODES = ['batch', 'blocking', 'blocking-strict'] as const;
export type AuditMode = (typeof AUDIT_MODES)[number];

const FORMATS = ['legacy', 'json'];
const VERSION = 'audit.k8s.io/v1';

const numeric = (text: string): string | undefined => (Number.isNaN(Number(text)) ? 'must be a number' : undefined);

/** The flags that both backends have, with their own defaults. */
function backendFlags<N extends 'log' | 'webhook'>(
  name: N,
  defaults: {
    readonly mode: AuditMode;
    readonly batchSize: number;
    readonly wait: string;
    readonly throttle: boolean;
    readonly rate: string;
    readonly burst: string;
  },
) {
  const of = `of the audit ${name}`;
  return [
    {
      name: `audit-${name}-mode`,
      kind: 'string',
      default: defaults.mode as string,
      group: 'Audit',
      value: 'MODE',
      help: `batch: events are buffered. blocking: a request waits for its events. blocking-strict: it fails without them.`,
    },
    {
      name: `audit-${name}-batch-buffer-size`,
      kind: 'integer',
      signed: true,
      default: '10000',
      group: 'Audit',
      value: 'N',
      help: `Events that may wait in the buffer ${of}; further ones are dropped and counted.`,
    },
    {
      name: `audit-${name}-batch-max-size`,
      kind: 'integer',
      signed: true,
      default: String(defaults.batchSize),
      group: 'Audit',
      value: 'N',
      help: `Largest batch ${of}.`,
    },
    {
      name: `audit-${name}-batch-max-wait`,
      kind: 'duration',
      default: defaults.wait,
      group: 'Audit',
      value: 'DURATION',
      help: `Time after which a batch ${of} is sent that is not full.`,
    },
    {
      name: `audit-${name}-batch-throttle-enable`,
      kind: 'boolean',
      default: String(defaults.throttle),
      group: 'Audit',
      value: 'BOOL',
      help: `Whether the batches ${of} are limited.`,
    },
    {
      name: `audit-${name}-batch-throttle-qps`,
      kind: 'string',
      default: defaults.rate,
      group: 'Audit',
      value: 'N',
      check: numeric,
      help: `Average number of batches ${of} in a second.`,
    },
    {
      name: `audit-${name}-batch-throttle-burst`,
      kind: 'integer',
      signed: true,
      default: defaults.burst,
      group: 'Audit',
      value: 'N',
      help: `Batches ${of} that may be sent at once.`,
    },
    {
      name: `audit-${name}-truncate-enabled`,
      kind: 'boolean',
      default: 'false',
      group: 'Audit',
      value: 'BOOL',
      help: `Whether events ${of} that are too large lose their request and response.`,
    },
    {
      name: `audit-${name}-truncate-max-event-size`,
      kind: 'integer',
      signed: true,
      default: '102400',
      group: 'Audit',
      value: 'BYTES',
      help: `Largest event ${of} when events are truncated.`,
    },
    {
      name: `audit-${name}-truncate-max-batch-size`,
      kind: 'integer',
      signed: true,
      default: '10485760',
      group: 'Audit',
      value: 'BYTES',
      help: `Largest batch ${of} when events are truncated.`,
    },
    {
      name: `audit-${name}-version`,
      kind: 'string',
      default: VERSION,
      group: 'Audit',
      value: 'GROUP/VERSION',
      help: `API version of the events ${of}.`,
    },
  ] as const;
}

/** Flags of auditing, with the names of kube-apiserver. */
export const AUDIT_FLAGS = [
  {
    name: 'audit-policy-file',
    kind: 'string',
    default: '',
    group: 'Audit',
    value: 'FILE',
    help: 'Policy: which requests are recorded, and how much of them. Without it nothing is recorded.',
  },
  {
    name: 'audit-log-path',
    kind: 'string',
    default: '',
    group: 'Audit',
    value: 'FILE',
    help: 'File of the audit log; - is the standard output.',
  },
  {
    name: 'audit-log-format',
    kind: 'string',
    default: 'json',
    group: 'Audit',
    value: 'FORMAT',
    help: 'Format of the lines: json or legacy.',
  },
  {
    name: 'audit-log-maxage',
    kind: 'integer',
    signed: true,
    default: '366',
    group: 'Audit',
    value: 'DAYS',
    help: 'Days that rotated files are kept; 0: not limited.',
  },
  {
    name: 'audit-log-maxbackup',
    kind: 'integer',
    signed: true,
    default: '100',
    group: 'Audit',
    value: 'N',
    help: 'Rotated files that are kept; 0: not limited.',
  },
  {
    name: 'audit-log-maxsize',
    kind: 'integer',
    signed: true,
    default: '100',
    group: 'Audit',
    value: 'MEGABYTES',
    help: 'Size at which the file is rotated; 0: never.',
  },
  {
    name: 'audit-log-compress',
    kind: 'boolean',
    default: 'false',
    group: 'Audit',
    value: 'BOOL',
    help: 'Whether rotated files are compressed with gzip.',
  },
  ...backendFlags('log', { mode: 'blocking', batchSize: 1, wait: '0s', throttle: false, rate: '0', burst: '0' }),
  {
    name: 'audit-webhook-config-file',
    kind: 'string',
    default: '',
    group: 'Audit',
    value: 'FILE',
    help: 'Kubeconfig of the webhook that gets the audit events.',
  },
  {
    name: 'audit-webhook-initial-backoff',
    kind: 'duration',
    default: '10s',
    group: 'Audit',
    value: 'DURATION',
    help: 'Time before a batch that failed is sent again.',
  },
  ...backendFlags('webhook', { mode: 'batch', batchSize: 400, wait: '30s', throttle: true, rate: '10', burst: '15' }),
] as const satisfies readonly Flag[];

type AuditFlagName = (typeof AUDIT_FLAGS)[number]['name'];

export interface AuditConfig {
  /** '' for none. */
  readonly policyFile: string;
  readonly log: AuditLogConfig | undefined;
  readonly webhook: AuditWebhookConfig | undefined;
}

export interface AuditBackendConfig {
  readonly mode: AuditMode;
  readonly bufferSize: number;
  readonly batchSize: number;
  /** Milliseconds. */
  readonly wait: number;
  readonly throttle: { readonly rate: number; readonly burst: number } | undefined;
  readonly truncate: { readonly enabled: boolean; readonly eventMax: number; readonly batchMax: number };
}

export interface AuditLogConfig extends AuditBackendConfig {
  /** `-` is the standard output. */
  readonly path: string;
  readonly format: 'json' | 'legacy';
  readonly daysMax: number;
  readonly backupsMax: number;
  /** Bytes; 0: never rotated. */
  readonly sizeMax: number;
  readonly compress: boolean;
}

export interface AuditWebhookConfig extends AuditBackendConfig {
  readonly configFile: string;
  /** Milliseconds. */
  readonly initialBackoff: number;
}

const MEGABYTE = 1024 * 1024;

/** Builds the configuration from the texts of the flags. Throws `ConfigError` if they contradict each other. */
export function auditConfigOf(text: (name: AuditFlagName) => string): AuditConfig {
  const duration = (name: AuditFlagName): number => parseDuration(text(name)) ?? 0;
  const on = (name: AuditFlagName): boolean => text(name) === 'true';
  const backend = (name: 'log' | 'webhook'): AuditBackendConfig => {
    const truncate = {
      enabled: on(`audit-${name}-truncate-enabled`),
      eventMax: Number(text(`audit-${name}-truncate-max-event-size`)),
      batchMax: Number(text(`audit-${name}-truncate-max-batch-size`)),
    };
    return {
      mode: text(`audit-${name}-mode`) as AuditMode,
      bufferSize: Number(text(`audit-${name}-batch-buffer-size`)),
      batchSize: Number(text(`audit-${name}-batch-max-size`)),
      wait: duration(`audit-${name}-batch-max-wait`),
      throttle: on(`audit-${name}-batch-throttle-enable`)
        ? {
            rate: Number(text(`audit-${name}-batch-throttle-qps`)),
            burst: Number(text(`audit-${name}-batch-throttle-burst`)),
          }
        : undefined,
      truncate,
    };
  };
  const path = text('audit-log-path');
  const configFile = text('audit-webhook-config-file');
  throwProblems([
    ...(path === '' ? [] : [...backendProblems('log', text), ...logProblems(text)]),
    ...(configFile === '' ? [] : backendProblems('webhook', text)),
  ]);
  return {
    policyFile: text('audit-policy-file'),
    log:
      path === ''
        ? undefined
        : {
            ...backend('log'),
            path,
            format: text('audit-log-format') as 'json' | 'legacy',
            daysMax: Number(text('audit-log-maxage')),
            backupsMax: Number(text('audit-log-maxbackup')),
            sizeMax: Number(text('audit-log-maxsize')) * MEGABYTE,
            compress: on('audit-log-compress'),
          },
    webhook:
      configFile === ''
        ? undefined
        : { ...backend('webhook'), configFile, initialBackoff: duration('audit-webhook-initial-backoff') },
  };
}

type Text = (name: AuditFlagName) => string;

const quoted = (values: readonly string[]): string => JSON.stringify(values.join(','));

/** The problems of a backend that is enabled, with the messages of kube-apiserver. */
function backendProblems(name: 'log' | 'webhook', text: Text): readonly string[] {
  const problems: string[] = [];
  const positive = (what: string, value: string): void => {
    if (!(Number(value) > 0)) problems.push(`invalid audit ${what} ${value}, must be a positive number`);
  };
  const mode = text(`audit-${name}-mode`);
  if (!(AUDIT_MODES as readonly string[]).includes(mode))
    problems.push(`invalid audit ${name} mode ${mode}, allowed modes are ${quoted(AUDIT_MODES)}`);
  else if (mode === 'batch') {
    positive(`batch ${name} buffer size`, text(`audit-${name}-batch-buffer-size`));
    positive(`batch ${name} max batch size`, text(`audit-${name}-batch-max-size`));
    if (text(`audit-${name}-batch-throttle-enable`) === 'true') {
      positive(`batch ${name} throttle QPS`, text(`audit-${name}-batch-throttle-qps`));
      positive(`batch ${name} throttle burst`, text(`audit-${name}-batch-throttle-burst`));
    }
  }
  const [eventMax, batchMax] = [
    text(`audit-${name}-truncate-max-event-size`),
    text(`audit-${name}-truncate-max-batch-size`),
  ];
  positive(`truncate ${name} max event size`, eventMax);
  if (Number(batchMax) < Number(eventMax))
    problems.push(
      `invalid audit truncate ${name} max batch size ${batchMax}, must be greater than max event size (${eventMax})`,
    );
  const version = text(`audit-${name}-version`);
  if (version !== VERSION) problems.push(`invalid group version, allowed versions are ${JSON.stringify([VERSION])}`);
  return problems;
}

function logProblems(text: Text): readonly string[] {
  const format = text('audit-log-format');
  const known = FORMATS.includes(format);
  return [
    ...(known ? [] : [`invalid audit log format ${format}, allowed formats are ${quoted(FORMATS)}`]),
    ...(['audit-log-maxage', 'audit-log-maxbackup', 'audit-log-maxsize'] as const)
      .filter((name) => Number(text(name)) < 0)
      .map((name) => `--${name} ${text(name)} can't be a negative number`),
  ];
}
