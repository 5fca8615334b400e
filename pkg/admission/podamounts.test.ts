import { expect, it } from 'vitest';
import { formatQuantity, type JsonObject } from '../api/index.js';
import { podAmounts } from './podamounts.js';

const asks = (requests: JsonObject, more: JsonObject = {}): JsonObject => ({ ...more, resources: { requests } });
const stays = { restartPolicy: 'Always' };

function requestsOf(spec: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries([...podAmounts({ spec }, 'requests')].map(([name, q]) => [name, formatQuantity(q)]));
}

it('a pod requests the sum of its containers, or the maximum of its init containers', () => {
  const containers = [asks({ cpu: '1' }), asks({ cpu: '1', memory: '1Gi' })];
  expect(requestsOf({ containers, initContainers: [asks({ cpu: '1' })] })).toEqual({ cpu: '2', memory: '1Gi' });
  expect(requestsOf({ containers, initContainers: [asks({ cpu: '3' })] })).toEqual({ cpu: '3', memory: '1Gi' });
});

it('a sidecar counts together with the containers that start after it', () => {
  const initContainers = [
    asks({ cpu: '2' }),
    asks({ cpu: '1', disk: '1' }, stays),
    asks({ cpu: '4' }),
    asks({ disk: '1' }, stays),
  ];
  expect(requestsOf({ containers: [asks({ cpu: '1' })], initContainers })).toEqual({ cpu: '5', disk: '2' });
  expect(requestsOf({ containers: [asks({ cpu: '5' })], initContainers })).toEqual({ cpu: '6', disk: '2' });
});

it('pod-level resources replace the sum, and overhead is added', () => {
  const spec = { containers: [asks({ cpu: '1' })], resources: { requests: { cpu: '3' } }, overhead: { cpu: '500m' } };
  expect(requestsOf(spec)).toEqual({ cpu: '3500m' });
});

it('thousands of containers with different resources are added in linear time', () => {
  const initContainers = Array.from({ length: 20_000 }, (_, i) =>
    asks({ [`example.com/r${i}`]: '1' }, i % 2 === 0 ? stays : {}),
  );
  expect(Object.keys(requestsOf({ initContainers }))).toHaveLength(20_000);
});
