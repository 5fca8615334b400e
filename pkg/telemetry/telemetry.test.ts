import { createRequire } from 'node:module';
import { describe, expect, it, vi } from 'vitest';
import {
  AccessMetrics,
  ApiServerMetrics,
  buildInfo,
  CounterFamily,
  Durations,
  Exposition,
  featureInfo,
  HistogramFamily,
  QueueMetrics,
} from './index.js';

const BUILD = {
  major: '1',
  minor: '37',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '36',
  gitVersion: 'v1.37.0',
  gitCommit: 'abc',
  gitTreeState: 'clean',
  buildDate: '2026-01-01T00:00:00Z',
  goVersion: 'node v20',
  compiler: 'v8',
  platform: 'linux/amd64',
} as const;

const kind = {
  verb: 'GET',
  dryRun: false,
  group: 'apps',
  version: 'v1',
  resource: 'deployments',
  subresource: '',
  scope: 'resource',
};

const scraped = async (e: Exposition): Promise<string> => (await e.scrape('text')).toString();

describe('exposition', () => {
  it('samples the lag of the event loop rarely, because each sample wakes up an idle process', async () => {
    const hooks = createRequire(import.meta.url)('node:perf_hooks') as typeof import('node:perf_hooks');
    const monitor = vi.spyOn(hooks, 'monitorEventLoopDelay');
    await new Exposition().warm();
    expect(monitor).toHaveBeenCalledOnce();
    expect(monitor.mock.calls[0]![0]?.resolution).toBeGreaterThanOrEqual(100);
    monitor.mockRestore();
  });

  it('exports requests under the names and labels that dashboards query', async () => {
    const metrics = new ApiServerMetrics();
    const exposition = new Exposition();
    exposition.add(...metrics.families, ...buildInfo(BUILD));
    const series = metrics.series(kind);
    metrics.count(series, 200, 0.03, 0, 1500);
    metrics.count(series, 404, 0.3, 0.1, 100);
    const text = await scraped(exposition);
    const labels =
      'dry_run="",group="apps",version="v1",resource="deployments",subresource="",scope="resource",component="apiserver"';
    expect(text).toContain(`apiserver_request_total{verb="GET",${labels},code="200"} 1`);
    expect(text).toContain(`apiserver_request_total{verb="GET",${labels},code="404"} 1`);
    expect(text).toContain(`apiserver_request_duration_seconds_bucket{verb="GET",${labels},le="0.05"} 1`);
    expect(text).toContain(`apiserver_request_duration_seconds_bucket{verb="GET",${labels},le="+Inf"} 2`);
    expect(text).toContain(`apiserver_request_duration_seconds_count{verb="GET",${labels}} 2`);
    for (const bound of ['1', '5', '30']) expect(text).toContain(`le="${bound}"`);
    expect(text).toContain('process_resident_memory_bytes');
    expect(text).toContain(
      'kubernetes_build_info{build_date="2026-01-01T00:00:00Z",compiler="v8",git_commit="abc",git_tree_state="clean",' +
        'git_version="v1.37.0",go_version="node v20",major="1",minor="37",platform="linux/amd64"} 1',
    );
    expect(text).toContain('version_info{binary="1.37.0",component="kube",emulation="1.37",min_compat="1.36"} 1');
    expect(text).toContain('registered_metrics_total{stability_level="STABLE",deprecated_version=""} 6');
  });

  it('states the stability level of metrics of kube-apiserver, in both formats', async () => {
    const exposition = new Exposition({ process: false });
    const own = new CounterFamily({ name: 'own_total', help: 'Own.' }, []);
    own.at().value = 1;
    const demand = new CounterFamily({ name: 'apiserver_flowcontrol_demand_seats', help: 'Demand.' }, []);
    demand.at().value = 1;
    exposition.add(...buildInfo(BUILD), own, demand);
    exposition.addSource(async () => [
      {
        name: 'apiserver_storage_objects',
        help: 'Objects.',
        type: 'gauge',
        aggregator: 'sum',
        values: [{ value: 1, labels: {} }],
      },
    ]);
    const text = await scraped(exposition);
    for (const line of [
      'kubernetes_build_info [BETA] Version of the API that is served.',
      'apiserver_storage_objects [STABLE] Objects.',
      'own_total Own.',
      'apiserver_flowcontrol_demand_seats EXPERIMENTAL: [ALPHA] Demand.',
    ]) {
      expect(text).toContain(`# HELP ${line}\n`);
      const help = line.slice(line.indexOf(' ') + 1);
      expect((await exposition.scrape('protobuf')).toString('latin1')).toContain(help);
    }
  });

  it('exports features with the labels of kube-apiserver', async () => {
    const exposition = new Exposition();
    exposition.add(
      featureInfo([
        { name: 'AllAlpha', stage: 'ALPHA', enabled: false },
        { name: 'ImageVolume', stage: '', enabled: true },
      ]),
    );
    const text = await scraped(exposition);
    expect(text).toContain('# TYPE kubernetes_feature_enabled gauge');
    expect(text).toContain('kubernetes_feature_enabled{name="AllAlpha",stage="ALPHA"} 0');
    expect(text).toContain('kubernetes_feature_enabled{name="ImageVolume",stage=""} 1');
  });

  it('exports the queues of controllers, and empty ones if they run elsewhere', async () => {
    const metrics = new QueueMetrics();
    const exposition = new Exposition();
    exposition.add(...metrics.families);
    const [waited, worked] = [new Durations(), new Durations()];
    waited.observe(0.5);
    const unfinished = { total: 3, longest: 2 };
    const counts = { depth: 3, outstanding: 4, adds: 7, retries: 2, unfinished, waited, worked };
    metrics.update([{ name: 'a', counts }]);
    const text = await scraped(exposition);
    expect(text).toContain('workqueue_depth{name="a"} 3');
    expect(text).toContain('workqueue_adds_total{name="a"} 7');
    expect(text).toContain('workqueue_retries_total{name="a"} 2');
    expect(text).toContain('workqueue_unfinished_work_seconds{name="a"} 3');
    expect(text).toContain('workqueue_longest_running_processor_seconds{name="a"} 2');
    expect(text).toContain('workqueue_queue_duration_seconds_bucket{name="a",le="9.999999999999999e-06"} 0');
    expect(text).toContain('workqueue_queue_duration_seconds_bucket{name="a",le="10"} 1');
    expect(text).toContain('workqueue_queue_duration_seconds_bucket{name="a",le="0.1"} 0');
    expect(text).toContain('workqueue_queue_duration_seconds_bucket{name="a",le="1"} 1');
    expect(text).toContain('workqueue_queue_duration_seconds_sum{name="a"} 0.5');
    expect(text).toContain('workqueue_work_duration_seconds_count{name="a"} 0');
    metrics.update([]);
    const later = await scraped(exposition);
    expect(later).toContain('workqueue_depth{name="a"} 0');
    expect(later).toContain('workqueue_unfinished_work_seconds{name="a"} 0');
    expect(later).toContain('workqueue_adds_total{name="a"} 7');
  });

  it('counts joined watch events one by one', async () => {
    const metrics = new ApiServerMetrics();
    const exposition = new Exposition();
    exposition.add(...metrics.families);
    metrics.watched(metrics.watchSeries('', 'v1', 'pods'), 10, 20_000);
    const text = await scraped(exposition);
    expect(text).toContain('apiserver_watch_events_total{group="",version="v1",resource="pods"} 10');
    expect(text).toContain('apiserver_watch_events_sizes_sum{group="",version="v1",resource="pods"} 20000');
    expect(text).toContain('apiserver_watch_events_sizes_bucket{group="",version="v1",resource="pods",le="2048"} 10');
  });
});

describe('bounds of buckets', () => {
  it('have the form of Go', async () => {
    const bounds = [5e-6, 1e-5, 0.0001, 0.00016, 0, 1.5, 123_456, 604_800, 1e6, 1_048_576, 2_592_000, 1_050_000];
    const histogram = new HistogramFamily({ name: 'h', help: 'h' }, [], bounds);
    histogram.at();
    const shown = histogram.get().values.flatMap(({ labels }) => labels['le'] ?? []);
    expect(shown).toEqual([
      ...['5e-06', '1e-05', '0.0001', '0.00016', '0', '1.5', '123456', '604800', '1e+06'],
      ...['1.048576e+06', '2.592e+06', '1.05e+06', '+Inf'],
    ]);
  });
});

describe('metrics of other sources', () => {
  it('are collected at each scrape, and a failing source does not affect others', async () => {
    const exposition = new Exposition();
    let n = 0;
    exposition.addSource(async () => [
      { name: 'etcd_x', help: 'x', type: 'gauge', aggregator: 'sum', values: [{ value: ++n, labels: { To: 'a' } }] },
    ]);
    exposition.addSource(() => Promise.reject(new Error('gone')));
    expect(await scraped(exposition)).toContain('etcd_x{To="a"} 1');
    expect(await scraped(exposition)).toContain('etcd_x{To="a"} 2');
  });

  it('are returned to all concurrent scrapes', async () => {
    const exposition = new Exposition();
    exposition.add(...buildInfo(BUILD));
    exposition.addSource(async () => [
      { name: 'etcd_x', help: 'x', type: 'gauge', aggregator: 'sum', values: [{ value: 1, labels: {} }] },
    ]);
    const texts = await Promise.all([scraped(exposition), scraped(exposition), scraped(exposition)]);
    for (const text of texts) {
      const lines = text.split('\n');
      expect(lines).toContain('etcd_x 1');
      expect(lines.filter((l) => l.startsWith('# TYPE kubernetes_build_info '))).toHaveLength(1);
      expect(text.endsWith('\n')).toBe(true);
    }
  });
});

describe('families', () => {
  it('returns the same cell for the same labels', () => {
    const family = new CounterFamily({ name: 'x', help: 'x' }, ['a', 'b']);
    family.at('1', '2').value++;
    family.at('1', '2').value++;
    expect(family.get().values).toEqual([{ value: 2, labels: { a: '1', b: '2' } }]);
  });

  it('stays bounded when a client invents label values', () => {
    const family = new CounterFamily({ name: 'x', help: 'x' }, ['a']);
    for (let i = 0; i < 30_000; i++) family.at(`n${i}`).value++;
    const values = family.get().values;
    expect(values.length).toBe(20_001);
    expect(values.find((v) => v.labels['a'] === 'other')?.value).toBe(10_000);
  });

  it('puts a value that equals a bound below it', () => {
    const family = new HistogramFamily({ name: 'x', help: 'x' }, [], [1, 2]);
    family.observe(family.at(), 1);
    family.observe(family.at(), 1.5);
    family.observe(family.at(), 9);
    expect(family.get().values.map((v) => v.value)).toEqual([1, 2, 3, 11.5, 3]);
  });
});

it('shows the configuration in force only, not the one before', () => {
  const { authorizationFile } = new AccessMetrics();
  authorizationFile.inForce('a', 'one');
  authorizationFile.inForce('a', 'two');
  const info = authorizationFile.families.find(({ name }) => name.endsWith('last_config_info'));
  expect(info?.get().values).toEqual([{ labels: { apiserver_id_hash: 'a', hash: 'two' }, value: 1 }]);
});
