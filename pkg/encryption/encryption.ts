import { createHash } from 'node:crypto';
import type { Clock, World } from '../base/index.js';
import { ConfigError, parseDuration } from '../config/index.js';
import type { Keyspace } from '../storage/index.js';
import {
  type EncryptionConfiguration,
  goAggregate,
  KMS_TIMEOUT_DEFAULT,
  type KmsConfiguration,
  type ProviderConfiguration,
  parseGroupResource,
  readEncryptionConfiguration,
} from './configuration.js';
import { EncryptedKeyspace } from './keyspace.js';
import type { KmsProvider, KmsService } from './kms.js';
import { TransformationMetrics } from './metrics.js';
import { type CipherName, identityProvider, keysProvider, type Provider, Transformer } from './provider.js';
import { nameOf, Slots, type StoredResource, Transformers } from './resources.js';

export interface EncryptionOptions {
  readonly world: World;
  readonly keyspace: Keyspace;
  /** The built-in resources. Keys of other groups are those of custom resources. */
  readonly resources: readonly StoredResource[];
  /** The file of the EncryptionConfiguration; '' for none. */
  readonly file: string;
  /** Whether a change of the file is applied. */
  readonly reload: boolean;
  readText(file: string): Promise<string>;
  /** Connects to a KMS plug-in. */
  connectKms(plugin: KmsPlugin, clock: Clock, metrics: TransformationMetrics): Promise<KmsService>;
  /** The identity of the server in metrics, which show its hash. */
  readonly server?: string;
  readonly log: EncryptionLog;
}

export interface KmsPlugin {
  readonly name: string;
  readonly endpoint: string;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface EncryptionLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** The encryption of stored objects of one server. */
export interface Encryption {
  /** The keyspace that encrypts and decrypts. */
  readonly keyspace: Keyspace;
  readonly metrics: TransformationMetrics;
  /** The check `kms-providers`; absent where it can never fail. */
  readonly health: (() => Promise<string | undefined>) | undefined;
  /** Registers `f`, which is called when values that could not be decrypted may be readable again. */
  onReadable(f: () => void): void;
  /**
   * Reads the file again and applies it if it changed. Rejects if it is invalid; the previous configuration then stays.
   */
  reload(): Promise<void>;
  close(): void;
}

/** Interval at which the file is checked, milliseconds. */
const RELOAD_PERIOD = 60_000;
/** After a failure the file is checked again sooner, as in kube-apiserver: each failure doubles the delay. */
const RETRY_FIRST = 5;
const RETRY_MAX = 1_000_000;
/** How long plug-ins of a replaced configuration still serve reads that began before. */
const CLOSE_GRACE = 10_000;
/** How long a changed configuration waits for its KMS plug-ins. */
const HEALTH_PATIENCE = 10_000;
const HEALTH_PERIOD = 100;

interface InForce {
  readonly hash: string;
  readonly transformers: Transformers;
  readonly plugins: readonly KmsProvider[];
}

/**
 * Opens the encryption of stored objects. Without a file, objects are stored unencrypted, and encrypted ones are
 * refused.
 */
export async function openEncryption(options: EncryptionOptions): Promise<Encryption> {
  const { world, file } = options;
  const metrics = new TransformationMetrics(world.clock, options.server);
  const listeners: (() => void)[] = [];
  const readable = (): void => {
    for (const f of listeners) f();
  };
  let inForce = file === '' ? NOTHING : await load(options, metrics, readable);
  if (inForce !== NOTHING) metrics.inForce(inForce.hash);
  const identity = new Transformer([identityProvider], '', metrics);
  const slots = new Slots(options.resources, inForce.transformers, identity);
  const health = async (): Promise<string | undefined> => {
    const problems: string[] = [];
    for (const [i, plugin] of inForce.plugins.entries()) {
      const problem = await plugin.health();
      if (problem !== undefined) problems.push(`kms-provider-${i}: ${problem}`);
    }
    return problems.length === 0 ? undefined : goAggregate(problems);
  };
  let reloading: Promise<void> | undefined;
  const reload = (): Promise<void> => {
    reloading ??= reloadOnce().finally(() => {
      reloading = undefined;
    });
    return reloading;
  };
  const reloadOnce = async (): Promise<void> => {
    try {
      const text = await options.readText(file);
      if (hashOf(text) === inForce.hash) return;
      const next = await load(options, metrics, readable);
      await untilHealthy(next, world);
      const { plugins } = inForce;
      world.timers.after(CLOSE_GRACE, () => closeAll(plugins));
      inForce = next;
      slots.use(next.transformers);
      metrics.inForce(next.hash);
      metrics.reloaded(true);
      options.log.info({ file }, 'encryption configuration reloaded');
    } catch (error) {
      metrics.reloaded(false);
      throw error;
    }
    readable();
  };
  const stop = options.reload ? following(reload, options) : () => {};
  return {
    keyspace: new EncryptedKeyspace(options.keyspace, slots, file !== ''),
    metrics,
    health: options.reload || inForce.plugins.length > 0 ? health : undefined,
    onReadable: (f) => void listeners.push(f),
    reload,
    close: () => {
      stop();
      closeAll(inForce.plugins);
    },
  };
}

/**
 * Applies changes of the file until the returned function is called. The delays begin again after a success; those of kube-apiserver
 * continue, so that its later failures wait for the next period.
 */
function following(reload: () => Promise<void>, { world: { timers }, file, log }: EncryptionOptions): () => void {
  let failures = 0;
  let retry: (() => void) | undefined;
  let stopped = false;
  const succeeded = (): void => {
    failures = 0;
    retry?.();
    retry = undefined;
  };
  const failed = (error: unknown): void => {
    log.warn({ err: error, file }, 'the encryption configuration could not be reloaded; the previous one stays');
    const delay = Math.min(RETRY_FIRST * 2 ** failures++, RETRY_MAX);
    if (stopped) return;
    retry ??= timers.after(delay, () => {
      retry = undefined;
      check();
    });
  };
  const check = (): void => void reload().then(succeeded, failed);
  const stop = timers.every(RELOAD_PERIOD, check);
  return () => {
    stopped = true;
    stop();
    retry?.();
  };
}

const NOTHING: InForce = { hash: '', transformers: new Transformers(new Map()), plugins: [] };

const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

function closeAll(plugins: readonly KmsProvider[]): void {
  for (const plugin of plugins) plugin.close();
}

async function untilHealthy({ plugins }: InForce, world: World): Promise<void> {
  const deadline = world.clock.monotonic() + HEALTH_PATIENCE;
  for (;;) {
    const problems = (await Promise.all(plugins.map((p) => p.health()))).filter((p) => p !== undefined);
    if (problems.length === 0) return;
    if (world.clock.monotonic() > deadline) {
      closeAll(plugins);
      throw new ConfigError(
        `health check for new transformers failed, polling error timed out waiting for the condition: ${goAggregate(problems)}`,
      );
    }
    await new Promise<void>((resolve) => void world.timers.after(HEALTH_PERIOD, resolve));
  }
}

async function load(
  options: EncryptionOptions,
  metrics: TransformationMetrics,
  recovered: () => void,
): Promise<InForce> {
  const text = await options.readText(options.file);
  const configuration = await readEncryptionConfiguration(options.file, text);
  const plugins: KmsProvider[] = [];
  try {
    const transformers = await transformersOf(configuration, metrics, async (provider) => {
      if (provider.kms === undefined || provider.kms === null) return keyed(provider, options.world);
      const plugin = await kmsProvider(provider.kms, options, metrics, recovered);
      plugins.push(plugin);
      return plugin;
    });
    return { hash: hashOf(text), transformers, plugins };
  } catch (error) {
    closeAll(plugins);
    throw error;
  }
}

async function transformersOf(
  { resources }: EncryptionConfiguration,
  metrics: TransformationMetrics,
  make: (provider: ProviderConfiguration) => Promise<Provider>,
): Promise<Transformers> {
  const found = new Map<string, Provider[]>();
  for (const { resources: names, providers } of resources) {
    const made: Provider[] = [];
    for (const provider of providers) made.push(await make(provider));
    for (const name of names) add(found, name, made);
  }
  return new Transformers(
    new Map([...found].map(([name, providers]) => [name, new Transformer(providers, shownName(name), metrics)])),
  );
}

/** A name below an earlier wildcard would have no effect, so it is refused. */
function add(found: Map<string, Provider[]>, text: string, providers: readonly Provider[]): void {
  const name = nameOf(text);
  const { group } = parseGroupResource(text);
  for (const mask of [`${group}/*`, '*/*'])
    if (found.has(mask))
      throw new ConfigError(
        `error while building transformers: resource ${JSON.stringify(yamlName(name))} is masked by earlier rule ${JSON.stringify(yamlName(mask))}`,
      );
  const list = found.get(name) ?? [];
  list.push(...providers);
  found.set(name, list);
}

/** `group/resource` as in a configuration. */
function yamlName(name: string): string {
  const [group = '', resource = ''] = name.split('/');
  return group === '' && resource === '*' ? '*.' : shownName(name);
}

function shownName(name: string): string {
  const [group = '', resource = ''] = name.split('/');
  return group === '' ? resource : `${resource}.${group}`;
}

function keyed(provider: ProviderConfiguration, world: World): Provider {
  for (const name of ['aesgcm', 'aescbc', 'secretbox'] satisfies readonly CipherName[]) {
    const keys = provider[name]?.keys;
    if (keys !== undefined && keys !== null) return keysProvider(name, keys, world.random);
  }
  return identityProvider;
}

async function kmsProvider(
  { name = '', endpoint = '', timeout, apiVersion = 'v1' }: KmsConfiguration,
  options: EncryptionOptions,
  metrics: TransformationMetrics,
  recovered: () => void,
): Promise<KmsProvider> {
  if (apiVersion !== 'v2')
    throw new ConfigError(
      'error while building transformers: KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.',
    );
  const plugin = { name, endpoint, timeout: parseDuration(timeout ?? KMS_TIMEOUT_DEFAULT) ?? 0 };
  const service = await options.connectKms(plugin, options.world.clock, metrics);
  const { KmsProvider } = await import('./kms.js');
  const provider = new KmsProvider({
    name,
    service,
    world: options.world,
    metrics,
    recovered,
    warn: (message, fields) => options.log.warn(fields, message),
  });
  await provider.start();
  return provider;
}

/**
 * Connects to a KMS plug-in by gRPC. The library is loaded here, so that it does not slow down the start of a server
 * without plug-ins.
 */
export async function connectKms(plugin: KmsPlugin, clock: Clock, metrics: TransformationMetrics): Promise<KmsService> {
  const { kmsClient } = await import('./kmsclient.js');
  return kmsClient({ ...plugin, clock, metrics });
}
