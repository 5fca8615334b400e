import type { Clock } from '../base/index.js';
import { type Cell, CounterFamily, type HistogramCell, HistogramFamily } from '../telemetry/index.js';

const exponential = (start: number, factor: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => start * factor ** i);

export type Direction = 'to_storage' | 'from_storage';

interface Series {
  readonly succeeded: Cell;
  readonly failed: Cell;
  readonly duration: HistogramCell;
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
  #hash: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#misses.at();
  }

  get families(): readonly (CounterFamily | HistogramFamily)[] {
    return [
      this.#operations,
      this.#durations,
      this.#misses,
      this.#keyIds,
      this.#kms,
      this.#invalidKeyIds,
      this.#reloads,
      this.#reloadTimes,
      this.#configuration,
    ];
  }

  /** An operation begins. Returns the function that records its end. */
  began(resource: string, direction: Direction, prefix: string): (ok: boolean) => void {
    const id = `${resource} ${direction} ${prefix}`;
    let series = this.#series.get(id);
    if (series === undefined) {
      series = {
        succeeded: this.#operations.at(resource, direction, prefix, 'OK'),
        failed: this.#operations.at(resource, direction, prefix, 'Unknown'),
        duration: this.#durations.at(direction, prefix),
      };
      this.#series.set(id, series);
    }
    const found = series;
    const since = this.#clock.monotonic();
    return (ok) => {
      (ok ? found.succeeded : found.failed).value++;
      this.#durations.observe(found.duration, (this.#clock.monotonic() - since) / 1000);
    };
  }

  keyMissed(): void {
    this.#misses.at().value++;
  }

  keyUsed(direction: Direction, provider: string, keyIdHash: string): void {
    this.#keyIds.at(direction, provider, keyIdHash, '').value++;
  }

  kmsCalled(provider: string, method: string, code: string, milliseconds: number): void {
    this.#kms.observe(this.#kms.at(provider, method, code), milliseconds / 1000);
  }

  invalidKeyId(provider: string, error: string): void {
    this.#invalidKeyIds.at(provider, error).value++;
  }

  reloaded(ok: boolean): void {
    const status = ok ? 'success' : 'failure';
    this.#reloads.at(status, '').value++;
    this.#reloadTimes.at(status, '').value = this.#clock.now() / 1000;
  }

  /** `hash` is `sha256:` and the digest of the file. */
  inForce(hash: string): void {
    if (this.#hash !== undefined) this.#configuration.at('', this.#hash).value = 0;
    this.#hash = hash;
    this.#configuration.at('', hash).value = 1;
  }
}
