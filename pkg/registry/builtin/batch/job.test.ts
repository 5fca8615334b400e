import { expect, it } from 'vitest';
import { type JsonObject, objectAt } from '../../../api/index.js';
import { Bench } from '../../testing.js';

it.each([
  ['the labels of its template', { name: 'j' }, { a: 'b' }, ['a', 'controller-uid']],
  ["the client's labels of its template if its name is generated", { generateName: 'j-' }, { a: 'b' }, ['a']],
  ['the generated labels if there are no others', { generateName: 'j-' }, {}, ['controller-uid']],
  [
    'the generated labels with a name of its own, too',
    { name: 'j', generateName: 'j-' },
    { a: 'b' },
    ['a', 'controller-uid'],
  ],
  ['its own labels that equal those of its template', { name: 'j', labels: { a: 'b' } }, { a: 'b' }, ['a']],
  ['its own labels', { generateName: 'j-', labels: { x: 'y' } }, { a: 'b' }, ['x']],
])('a job has %s', async (_, metadata, labels, expected) => {
  const b = await Bench.open();
  const spec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] };
  const made = await b.create('jobs.batch', 'default', {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: metadata as JsonObject,
    spec: { template: { metadata: { labels }, spec } },
  });
  const names = Object.keys(objectAt(made, 'metadata', 'labels'));
  expect(names.filter((n) => n.length === 1 || n === 'controller-uid').sort()).toEqual(expected);
  expect(objectAt(made, 'spec', 'template', 'metadata', 'labels')).toHaveProperty('controller-uid');
});
