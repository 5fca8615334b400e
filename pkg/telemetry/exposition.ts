import type { Registry } from 'prom-client';
import { CounterFamily, type HistogramFamily, type ScrapedMetric } from './series.js';

/**
 * Everything that can be scraped. prom-client (its text form, and what it knows of the process: CPU, memory, descriptors, event
 * loop delay, garbage collection) is loaded at the first scrape or when the server has time, because it would cost a tenth of
 * the time to start.
 */
export class Exposition {
  readonly #families: (CounterFamily | HistogramFamily)[] = [];
  readonly #collectors: (() => void)[] = [];
  readonly #sources: (() => Promise<readonly ScrapedMetric[]>)[] = [];
  #opened: Promise<Opened> | undefined;

  add(...families: readonly (CounterFamily | HistogramFamily)[]): void {
    this.#families.push(...families);
  }

  /** `f` runs before each scrape, to bring gauges up to date. */
  beforeScrape(f: () => void): void {
    this.#collectors.push(f);
  }

  /** Metrics that somebody else counts (the peer's thread): asked for at each scrape. A source that fails is left out. */
  addSource(source: () => Promise<readonly ScrapedMetric[]>): void {
    this.#sources.push(source);
  }

  /** Loads what a scrape needs. */
  async warm(): Promise<void> {
    await this.#open();
  }

  /** The text form (version 0.0.4) of all metrics. */
  async scrape(): Promise<string> {
    const { prom, own } = await this.#open();
    for (const collect of this.#collectors) collect();
    // A registry of this scrape alone: several may be under way at once.
    const foreign = new prom.Registry();
    const metrics = (await Promise.all(this.#sources.map((ask) => ask().catch(() => [])))).flat();
    for (const metric of metrics) register(foreign, { name: metric.name, get: () => metric });
    return (await Promise.all([own.metrics(), foreign.metrics()])).filter((text) => text.trim() !== '').join('');
  }

  /** Every counter of this process begins at nothing again. */
  reset(): void {
    for (const family of this.#families) family.reset();
  }

  #open(): Promise<Opened> {
    this.#opened ??= import('prom-client').then((prom) => {
      const own = new prom.Registry();
      prom.collectDefaultMetrics({ register: own });
      for (const family of this.#families) register(own, family);
      return { prom, own };
    });
    return this.#opened;
  }
}

interface Opened {
  readonly prom: typeof import('prom-client');
  /** What is counted in this thread, and prom-client's own metrics of the process. */
  readonly own: Registry;
}

/** prom-client takes anything that can say its name and `get()`; its types name only its own classes. */
function register(registry: Registry, metric: { readonly name: string; get(): ScrapedMetric }): void {
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);
}

/** `kubernetes_build_info`, which dashboards use to find servers of unequal versions. */
export function buildInfo(version: string): CounterFamily {
  const family = new CounterFamily(
    { name: 'kubernetes_build_info', help: 'Version of the API that is served.' },
    ['git_version', 'major', 'minor', 'platform'],
    'gauge',
  );
  const [major = '', minor = ''] = version.replace(/^v/, '').split('.');
  family.at(version, major, minor, `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`).value = 1;
  return family;
}

/** `kubernetes_feature_enabled`: every feature gate with the stage it has come to, 1 where it is on. */
export function featureInfo(
  features: Iterable<{ readonly name: string; readonly stage: string; readonly enabled: boolean }>,
): CounterFamily {
  const family = new CounterFamily(
    { name: 'kubernetes_feature_enabled', help: 'Feature gates, their stage, and whether they are on.' },
    ['name', 'stage'],
    'gauge',
  );
  for (const { name, stage, enabled } of features) family.at(name, stage).value = enabled ? 1 : 0;
  return family;
}
