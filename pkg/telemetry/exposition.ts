import type { Registry } from 'prom-client';
import { encodeMetrics } from './protobuf.js';
import { CounterFamily, type Family, type ScrapedMetric } from './series.js';
import { levelsOf, withStability } from './stability.js';

/** The formats of a scrape: text (version 0.0.4), or protobuf messages, each preceded by its length. */
export type ExpositionFormat = 'text' | 'protobuf';

export interface ExpositionOptions {
  /** Adds CPU, memory, descriptors, event loop delay and garbage collection, and the number of metrics. */
  readonly process?: boolean;
  /** Exposes native histograms beside the classic ones in the protobuf format; text has no form for them. */
  readonly nativeHistograms?: boolean;
}

/**
 * The metrics that can be scraped. prom-client provides the text format and the process metrics. It is loaded at the first scrape or
 * when the server is idle, because it would take a tenth of the start time.
 */
export class Exposition {
  readonly #registered = new CounterFamily(
    { name: 'registered_metrics_total', help: 'Metrics by their level of stability.' },
    ['stability_level', 'deprecated_version'],
  );
  readonly #families: Family[] = [];
  readonly #collectors: (() => void)[] = [];
  readonly #sources: (() => Promise<readonly ScrapedMetric[]>)[] = [];
  readonly #process: boolean;
  readonly #native: boolean;
  #opened: Promise<Opened> | undefined;

  constructor({ process = true, nativeHistograms = true }: ExpositionOptions = {}) {
    this.#process = process;
    if (process) this.#families.push(this.#registered);
    this.#native = nativeHistograms;
  }

  add(...families: readonly Family[]): void {
    this.#families.push(...families);
  }

  /** Registers `f` to run before each scrape, to update gauges. */
  beforeScrape(f: () => void): void {
    this.#collectors.push(f);
  }

  /** Adds metrics from elsewhere (the peer's thread), requested at each scrape. A source that fails is omitted. */
  addSource(source: () => Promise<readonly ScrapedMetric[]>): void {
    this.#sources.push(source);
  }

  /** Loads prom-client. */
  async warm(): Promise<void> {
    await this.#open();
  }

  /** All metrics. */
  async scrape(format: ExpositionFormat): Promise<Buffer> {
    const { prom, process } = await this.#open();
    for (const collect of this.#collectors) collect();
    const foreign = (await Promise.all(this.#sources.map((ask) => ask().catch(() => [])))).flat();
    for (const [level, count] of levelsOf([...this.#families, ...foreign].map(({ name }) => name)))
      this.#registered.at(level, '').value = count;
    if (format === 'protobuf') {
      const ofProcess = (await process.getMetricsAsJSON()) as unknown as readonly ScrapedMetric[];
      // Nothing is observed between here and the end, so native and classic buckets of a series have the same observations.
      const own = this.#families.map((family) => withStability(family.get()));
      return encodeMetrics([...own, ...ofProcess, ...foreign.map(withStability)].sort(byName), this.#native);
    }
    // Each scrape has its own registries, because several may run at once.
    const [own, others] = [new prom.Registry(), new prom.Registry()];
    for (const family of this.#families) register(own, { name: family.name, get: () => withStability(family.get()) });
    for (const metric of foreign) register(others, { name: metric.name, get: () => withStability(metric) });
    const texts = await Promise.all([process.metrics(), own.metrics(), others.metrics()]);
    return Buffer.from(texts.filter((text) => text.trim() !== '').join(''));
  }

  /** Resets all counters of this process. */
  reset(): void {
    for (const family of this.#families) family.reset();
  }

  #open(): Promise<Opened> {
    this.#opened ??= import('prom-client').then((prom) => {
      const process = new prom.Registry();
      if (this.#process)
        prom.collectDefaultMetrics({ register: process, eventLoopMonitoringPrecision: LAG_SAMPLE_MILLISECONDS });
      return { prom, process };
    });
    return this.#opened;
  }
}

/** Each sample of the lag of the event loop wakes the process up. With prom-client's default of 10, samples are most of what an idle peer does. */
const LAG_SAMPLE_MILLISECONDS = 100;

interface Opened {
  readonly prom: typeof import('prom-client');
  /** prom-client's metrics of the process. */
  readonly process: Registry;
}

const byName = (a: ScrapedMetric, b: ScrapedMetric): number => (a.name < b.name ? -1 : 1);

/** prom-client accepts any object with a name and `get()`; its types list only its own classes. */
function register(registry: Registry, metric: { readonly name: string; get(): ScrapedMetric }): void {
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0]);
}

/** The fields of the version document that metrics have as labels. */
export interface BuildFacts {
  readonly major: string;
  readonly minor: string;
  readonly minCompatibilityMajor: string;
  readonly minCompatibilityMinor: string;
  readonly gitVersion: string;
  readonly gitCommit: string;
  readonly gitTreeState: string;
  readonly buildDate: string;
  readonly goVersion: string;
  readonly compiler: string;
  readonly platform: string;
}

/** `kubernetes_build_info` and `version_info`, which dashboards use to find servers of different versions. */
export function buildInfo(facts: BuildFacts): readonly CounterFamily[] {
  const { major, minor, gitVersion } = facts;
  const build = new CounterFamily(
    { name: 'kubernetes_build_info', help: 'Version of the API that is served.' },
    [
      ...['build_date', 'compiler', 'git_commit', 'git_tree_state', 'git_version', 'go_version'],
      ...['major', 'minor', 'platform'],
    ],
    'gauge',
  );
  build.at(
    ...[facts.buildDate, facts.compiler, facts.gitCommit, facts.gitTreeState, gitVersion, facts.goVersion],
    ...[major, minor, facts.platform],
  ).value = 1;
  const version = new CounterFamily(
    { name: 'version_info', help: 'Versions of the API with which the server is compatible.' },
    ['binary', 'component', 'emulation', 'min_compat'],
    'gauge',
  );
  const compatible = `${facts.minCompatibilityMajor}.${facts.minCompatibilityMinor}`;
  version.at(gitVersion.replace(/^v/, ''), 'kube', `${major}.${minor}`, compatible).value = 1;
  return [build, version];
}

/** `kubernetes_feature_enabled`: every feature gate with its stage, 1 if enabled. */
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
