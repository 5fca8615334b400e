import { createHash } from 'node:crypto';
import type { Clock } from '../base/index.js';
import { type Cell, CounterFamily, exponential, type HistogramCell, HistogramFamily } from '../telemetry/index.js';

export type Direction = 'to_storage' | 'from_storage';

interface Series {
  readonly succeeded: Cell;
  readonly duration: HistogramCell;
}

/** Uses of one key of a plug-in in one direction. */
interface KeyUses {
  readonly count: Cell;
  readonly last: Cell;
  readonly labels: readonly string[];
}

/** Key ids per metric; the least recently used one is removed, as in kube-apiserver. */
const KEY_IDS_MAX = 100;

/** The hash of an id in labels: `sha256:` and the digest; '' for ''. */
export const hashOf = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** The status label of a failed operation: the code of the call of a plug-in that failed, if that is the reason. */
function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause)
    if ('grpcCode' in at && typeof at.grpcCode === 'string') return at.grpcCode;
  return 'unknown-non-grpc';
}

/** Metrics of the encryption of stored values, with the names of kube-apiserver. */
export class TransformationMetrics {
  readonly #clock: Clock;
  readonly #operations = new CounterFamily(
    {
      name: 'apiserver_storage_transformation_operations_total',
      help: 'Encryptions and decryptions of stored values.',
    },
    ['resource', 'transformation_type', 'transformer_prefix', 'status'],
  );
  readonly #durations = new HistogramFamily(
    {
      name: 'apiserver_storage_transformation_duration_seconds',
      help: 'Seconds of encryptions and decryptions of stored values.',
      onlyClassic: true,
    },
    ['transformation_type', 'transformer_prefix'],
    exponential(5e-6, 2, 25),
  );
  readonly #misses = new CounterFamily(
    {
      name: 'apiserver_storage_envelope_transformation_cache_misses_total',
      help: 'Data keys that a KMS plug-in had to decrypt.',
    },
    [],
  );
  readonly #keyIds = new CounterFamily(
    {
      name: 'apiserver_envelope_encryption_key_id_hash_total',
      help: 'Uses of keys of KMS plug-ins.',
    },
    ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
  );
  readonly #keyIdTimes = new CounterFamily(
    {
      name: 'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds',
      help: 'Time of the last use of a key of a KMS plug-in.',
    },
    ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    'gauge',
  );
  readonly #statusTimes = new CounterFamily(
    {
      name: 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds',
      help: 'Time at which the status of a KMS plug-in last named a key.',
    },
    ['provider_name', 'key_id_hash', 'apiserver_id_hash'],
    'gauge',
  );
  readonly #sources = new CounterFamily(
    {
      name: 'apiserver_envelope_encryption_dek_source_cache_size',
      help: 'Seeds of data keys in memory. After a restart, a KMS plug-in has to decrypt about as many.',
    },
    ['provider_name'],
    'gauge',
  );
  readonly #fill = new CounterFamily(
    {
      name: 'apiserver_envelope_encryption_dek_cache_fill_percent',
      help: 'Percentage of the places for data keys in memory that are in use, of the provider with the most.',
    },
    [],
    'gauge',
  );
  readonly #generations = new HistogramFamily(
    {
      name: 'apiserver_storage_data_key_generation_duration_seconds',
      help: 'Seconds to generate a data key.',
      onlyClassic: true,
    },
    [],
    exponential(5e-6, 2, 14),
  );
  readonly #failedGenerations = new CounterFamily(
    {
      name: 'apiserver_storage_data_key_generation_failures_total',
      help: 'Data keys that could not be generated.',
    },
    [],
  );
  readonly #kms = new HistogramFamily(
    {
      name: 'apiserver_envelope_encryption_kms_operations_latency_seconds',
      help: 'Seconds of calls of KMS plug-ins.',
    },
    ['provider_name', 'method_name', 'grpc_status_code'],
    exponential(0.0001, 2, 20),
  );
  readonly #invalidKeyIds = new CounterFamily(
    {
      name: 'apiserver_envelope_encryption_invalid_key_id_from_status_total',
      help: 'Invalid key ids in the status of KMS plug-ins.',
    },
    ['provider_name', 'error'],
  );
  readonly #reloads = new CounterFamily(
    {
      name: 'apiserver_encryption_config_controller_automatic_reloads_total',
      help: 'Reloads of the encryption configuration.',
    },
    ['status', 'apiserver_id_hash'],
  );
  readonly #reloadTimes = new CounterFamily(
    {
      name: 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
      help: 'Time of the last reload of the encryption configuration.',
    },
    ['status', 'apiserver_id_hash'],
    'gauge',
  );
  readonly #configuration = new CounterFamily(
    {
      name: 'apiserver_encryption_config_controller_last_config_info',
      help: 'Hash of the encryption configuration in force.',
    },
    ['apiserver_id_hash', 'hash'],
    'gauge',
  );
  readonly #series = new Map<string, Series>();
  readonly #uses = new Map<string, KeyUses>();
  readonly #statuses = new Map<string, readonly string[]>();
  readonly #server: string;
  #hash: string | undefined;

  /** `server` is the identity of the server, whose hash is a label. */
  constructor(clock: Clock, server = '') {
    this.#clock = clock;
    this.#server = hashOf(server);
    this.#misses.at();
    this.#fill.at();
    this.#failedGenerations.at();
    this.#generations.at();
  }

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [
      this.#operations,
      this.#durations,
      this.#misses,
      this.#keyIds,
      this.#keyIdTimes,
      this.#statusTimes,
      this.#sources,
      this.#fill,
      this.#generations,
      this.#failedGenerations,
      this.#kms,
      this.#invalidKeyIds,
      this.#reloads,
      this.#reloadTimes,
      this.#configuration,
    ];
  }

  /** An operation begins. Returns the function that records its end, with the error if it failed. */
  began(resource: string, direction: Direction, prefix: string): (error?: unknown) => void {
    const since = this.#clock.monotonic();
    return (error) => {
      if (error === undefined) {
        const { succeeded, duration } = this.#seriesOf(resource, direction, prefix);
        succeeded.value++;
        this.#durations.observe(duration, (this.#clock.monotonic() - since) / 1000);
      } else this.#operations.at(resource, direction, prefix, codeOf(error)).value++;
    };
  }

  #seriesOf(resource: string, direction: Direction, prefix: string): Series {
    const id = `${resource} ${direction} ${prefix}`;
    let series = this.#series.get(id);
    if (series === undefined) {
      series = {
        succeeded: this.#operations.at(resource, direction, prefix, 'OK'),
        duration: this.#durations.at(direction, prefix),
      };
      this.#series.set(id, series);
    }
    return series;
  }

  keyMissed(): void {
    this.#misses.at().value++;
  }

  keyUsed(direction: Direction, provider: string, keyId: string): void {
    const id = `${direction} ${provider} ${keyId}`;
    const known = this.#uses.get(id);
    const labels = known?.labels ?? [direction, provider, hashOf(keyId), this.#server];
    const uses = known ?? { labels, count: this.#keyIds.at(...labels), last: this.#keyIdTimes.at(...labels) };
    const evicted = used(this.#uses, id, uses);
    if (evicted !== undefined) {
      this.#keyIds.remove(...evicted.labels);
      this.#keyIdTimes.remove(...evicted.labels);
    }
    uses.count.value++;
    uses.last.value = this.#clock.now() / 1000;
  }

  /** The status of a plug-in named a key. */
  keyNamed(provider: string, keyId: string): void {
    const id = `${provider} ${keyId}`;
    const labels = this.#statuses.get(id) ?? [provider, hashOf(keyId), this.#server];
    const evicted = used(this.#statuses, id, labels);
    if (evicted !== undefined) this.#statusTimes.remove(...evicted);
    this.#statusTimes.at(...labels).value = this.#clock.now() / 1000;
  }

  /** A provider has `count` data keys in memory, and room for `max`. */
  sourcesKept(provider: string, count: number, max: number): void {
    this.#sources.at(provider).value = count;
    const most = Math.max(...this.#sources.get().values.map(({ value }) => value));
    this.#fill.at().value = (most / max) * 100;
  }

  /** A data key was generated, from `since` on the monotonic clock until now. */
  keyGenerated(since: number): void {
    this.#generations.observe(this.#generations.at(), (this.#clock.monotonic() - since) / 1000);
  }

  kmsCalled(provider: string, method: string, code: string, milliseconds: number): void {
    this.#kms.observe(this.#kms.at(provider, method, code), milliseconds / 1000);
  }

  invalidKeyId(provider: string, error: string): void {
    this.#invalidKeyIds.at(provider, error).value++;
  }

  reloaded(ok: boolean): void {
    const status = ok ? 'success' : 'failure';
    this.#reloads.at(status, this.#server).value++;
    this.#reloadTimes.at(status, this.#server).value = this.#clock.now() / 1000;
  }

  /** `hash` is `sha256:` and the digest of the file. */
  inForce(hash: string): void {
    if (this.#hash !== undefined) this.#configuration.remove(this.#server, this.#hash);
    this.#hash = hash;
    this.#configuration.at(this.#server, hash).value = 1;
  }
}

/** Makes an entry the most recently used one. Returns the value of the entry that has no room any more. */
function used<V>(entries: Map<string, V>, key: string, value: V): V | undefined {
  entries.delete(key);
  entries.set(key, value);
  if (entries.size <= KEY_IDS_MAX) return undefined;
  const [oldest, evicted] = entries.entries().next().value!;
  entries.delete(oldest);
  return evicted;
}
