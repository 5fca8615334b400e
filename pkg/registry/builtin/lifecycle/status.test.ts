import { describe, expect, it } from 'vitest';
import { FieldErrors, type JsonObject } from '../../../api/index.js';
import { evictionRecord } from './eviction.js';
import { evictionRequest } from './evictionrequest.js';
import { validateEvictionStatus } from './status.js';

const TIME = '2026-01-01T00:00:00Z';
const condition = (type: string, status = 'True'): JsonObject => ({
  type,
  status,
  reason: 'R',
  message: 'm',
  lastTransitionTime: TIME,
});
const target = (name: string, priority: number, state: string): JsonObject => ({ name, priority, state });

describe('the status of an eviction', () => {
  const problems = (status: JsonObject, before: JsonObject = {}): readonly string[] => {
    const found = new FieldErrors();
    validateEvictionStatus({ status }, { status: before }, found);
    return found.list.map((e) => `${e.field}: ${e.message}`);
  };

  it.each<readonly [string, JsonObject, readonly string[]]>([
    ['nothing', {}, []],
    [
      'a responder that works',
      { targetResponders: [target('r.io/x', 5000, 'Active')], responders: [{ name: 'r.io/x', startTime: TIME }] },
      [],
    ],
    [
      'responders that are not tracked',
      { targetResponders: [target('a.k8s.io/x', 5, 'Inactive'), target('b.io/x', 2000, 'Active')] },
      [
        'status.targetResponders[1]: Invalid value: {"Name":"b.io/x","Priority":2000,"State":"Active"}: "b.io/x" has to be tracked in status.responders first',
        'status.targetResponders[0]: Invalid value: {"Name":"a.k8s.io/x","Priority":5,"State":"Inactive"}: "a.k8s.io/x" has to be tracked in status.responders first',
        'status.responders: Invalid value: null: must be the same length as status.targetResponders and contain the same keys',
      ],
    ],
    [
      'a responder that is no target',
      { responders: [{ name: 'q.io/x' }] },
      [
        'status.responders: Invalid value: [{"Name":"q.io/x","StartTime":null,"HeartbeatTime":null,"ExpectedCompletionTime":null,"CompletionTime":null,"Message":null}]: must be the same length as status.targetResponders and contain the same keys',
      ],
    ],
    [
      'a responder that is another target',
      { targetResponders: [target('r.io/x', 5000, 'Inactive')], responders: [{ name: 'q.io/x' }] },
      [
        'status.targetResponders[0]: Invalid value: {"Name":"r.io/x","Priority":5000,"State":"Inactive"}: "r.io/x" has to be tracked in status.responders first',
        'status.responders: Invalid value: [{"Name":"q.io/x","StartTime":null,"HeartbeatTime":null,"ExpectedCompletionTime":null,"CompletionTime":null,"Message":null}]: must contain the same keys as status.targetResponders',
      ],
    ],
    [
      'a reserved priority and no start',
      { targetResponders: [target('r.io/x', 5, 'Active')], responders: [{ name: 'r.io/x' }] },
      [
        'status.targetResponders[0].priority: Invalid value: 5: priorities 0-999 are reserved for responders with *.k8s.io suffix',
        'status.responders[0].startTime: Required value: is required for an active responder',
      ],
    ],
    [
      'a condition that is none',
      { conditions: [condition('Ready', 'Foo')] },
      ['status.conditions[0].status: Unsupported value: "Foo": supported values: "False", "True", "Unknown"'],
    ],
  ])('with %s', (_, status, expected) => {
    expect(problems(status)).toEqual(expected);
  });

  it('keeps its verdict', () => {
    expect(problems({}, { conditions: [condition('Failed'), condition('Ready')] })).toEqual([
      'status.conditions: Invalid value: []: Failed condition status cannot be reverted',
    ]);
  });
});

describe('the Table', () => {
  const now = Date.parse(TIME) + 60_000;
  const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString();
  const metadata = { name: 'a', creationTimestamp: TIME };
  const spec = { target: { pod: { name: 'p', uid: 'u' } }, requester: 'a.io/b', intent: 'Eviction' };
  const cells = (kind: 'eviction' | 'request', status: JsonObject): readonly unknown[] =>
    (kind === 'eviction' ? evictionRecord : evictionRequest)
      .table!.cells({ metadata, spec, status } as never, now)
      .slice(1);

  it.each<readonly [JsonObject, string]>([
    [{}, 'Pending'],
    [{ observedGeneration: 1 }, 'Progressing'],
    [{ conditions: [condition('Ready')] }, 'Pending'],
    [{ conditions: [condition('Failed'), condition('TargetEvicted', 'False')] }, 'Failed (R)'],
    [{ conditions: [condition('Failed'), condition('TargetEvicted')] }, 'TargetEvicted (R)'],
  ])('of a request with %j', (status, progress) => {
    expect(cells('request', status)).toEqual(['p', 'Pod', progress, 'a.io/b', 'Eviction', '60s']);
  });

  it('of an eviction', () => {
    expect(cells('eviction', {})).toEqual([
      ...['p', 'Pod', 'Pending', '<unset> (0/0)', '<unset>', '<unknown>', '<none>', '60s', '<unset>', '<unset>'],
    ]);
    const status = {
      observedGeneration: 1,
      requesters: [
        { name: 'a.io/b', intent: 'Eviction' },
        { name: 'c.io/b', intent: 'Eviction' },
        { name: 'd.io/b', intent: 'Withdrawn' },
      ],
      targetResponders: [target('q.io/z', 6000, 'Completed'), target('r.io/x', 5000, 'Active')],
      responders: [
        { name: 'q.io/z' },
        { name: 'r.io/x', startTime: at(-2), heartbeatTime: at(-1), expectedCompletionTime: at(59), message: 'hello' },
      ],
    };
    expect(cells('eviction', status)).toEqual([
      ...['p', 'Pod', 'Progressing', 'r.io/x (2/2)', 'Started (2m ago)', 'in 59m', 'a.io/b + 1 more...', '60s'],
      ...['60s ago', 'hello'],
    ]);
  });
});
