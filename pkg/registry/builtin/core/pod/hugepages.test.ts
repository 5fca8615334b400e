import { expect, it } from 'vitest';
import { FieldErrors, type JsonObject } from '../../../../api/index.js';
import { Bench, causesOf } from '../../../testing.js';
import { validatePodUpdate } from './validation/index.js';

const pages = (size: string, amount: string): JsonObject => ({
  limits: { cpu: '1', [`hugepages-${size}`]: amount },
  requests: { cpu: '1', [`hugepages-${size}`]: amount },
});

const specOf = (resources: JsonObject): JsonObject => ({ containers: [{ name: 'c', image: 'x', resources }] });

const podOf = (spec: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default' },
  spec,
});

const problem = (path: string, size: string, amount: string): string =>
  `${path}[hugepages-${size}]: Invalid value: "${amount}": ${amount} is not positive integer multiple of hugepages-${size}`;

it.each([
  ['2Mi', '4Mi'],
  ['2Mi', '0'],
  ['1Gi', '1Gi'],
  ['1k', '3000'],
  // An amount is rounded up to bytes before it is divided.
  ['2Mi', '2097151500m'],
])('pages of %s may be %s', async (size, amount) => {
  const bench = await Bench.open();
  await bench.create('pods', 'default', podOf(specOf(pages(size, amount))));
});

it.each([
  ['2Mi', '3Mi', '3Mi'],
  ['2Mi', '3.5Mi', '3584Ki'],
  ['2Mi', '2097152500m', '2097152500m'],
  ['1Gi', '512Mi', '512Mi'],
  ['0', '1', '1'],
  ['-2Mi', '2Mi', '2Mi'],
  ['500m', '1', '1'],
  ['many', '1', '1'],
])('pages of %s are not %s', async (size, amount, shown) => {
  const bench = await Bench.open();
  const creating = bench.create('pods', 'default', podOf(specOf(pages(size, amount))));
  const path = 'spec.containers[0].resources';
  expect(await causesOf(creating)).toEqual([
    problem(`${path}.limits`, size, shown),
    problem(`${path}.requests`, size, shown),
  ]);
});

it('are whole in templates, for pods as a whole, and in overhead', async () => {
  const bench = await Bench.open();
  const template = { metadata: { labels: { a: 'b' } }, spec: specOf(pages('2Mi', '3Mi')) };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'd', namespace: 'default' },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  };
  const inTemplate = 'spec.template.spec.containers[0].resources';
  expect(await causesOf(bench.create('deployments.apps', 'default', deployment))).toEqual([
    problem(`${inTemplate}.limits`, '2Mi', '3Mi'),
    problem(`${inTemplate}.requests`, '2Mi', '3Mi'),
  ]);
  const whole = podOf({ ...specOf({}), resources: pages('2Mi', '3Mi') });
  expect(await causesOf(bench.create('pods', 'default', whole))).toEqual([
    problem('spec.resources.limits', '2Mi', '3Mi'),
    problem('spec.resources.requests', '2Mi', '3Mi'),
  ]);
  const runtime = {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    metadata: { name: 'r' },
    handler: 'x',
    overhead: { podFixed: { 'hugepages-2Mi': '3Mi' } },
  };
  expect(await causesOf(bench.create('runtimeclasses.node.k8s.io', '', runtime))).toEqual([
    problem('overhead.limits', '2Mi', '3Mi'),
    'overhead: Forbidden: HugePages require cpu or memory',
  ]);
});

it('stay parts of a page in a pod that has them', () => {
  const found = (spec: JsonObject, stored: JsonObject): readonly string[] => {
    const errors = new FieldErrors();
    validatePodUpdate(podOf(spec), podOf(stored), errors);
    while (errors.pending) errors.step();
    return errors.list.map((e) => e.field).filter((field) => field.includes('hugepages-'));
  };
  const [part, other] = [specOf(pages('2Mi', '3Mi')), specOf(pages('2Mi', '5Mi'))];
  expect(found(part, part)).toEqual([]);
  expect(
    found(part, { ...specOf({}), initContainers: [{ name: 'i', image: 'x', resources: pages('2Mi', '5Mi') }] }),
  ).toEqual([]);
  expect(found(part, { ...specOf({}), overhead: { 'hugepages-2Mi': '1' } })).toEqual([]);
  expect(found(other, specOf(pages('2Mi', '4Mi')))).toHaveLength(2);
});
