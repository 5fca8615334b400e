import { describe, expect, it } from 'vitest';
import type { RequestAttributes } from '../api/index.js';
import { testWorld } from '../storage/testworld.js';
import { Auditor } from './audit.js';
import { type Backend, BatchBackend, BlockingBackend, type Sender, truncating } from './backend.js';
import { AuditRecord, EVENT_HEAD } from './event.js';
import { AuditMetrics } from './metrics.js';
import { type Policy, readPolicy } from './policy.js';
import { errorsOf, event, facts, record, USER } from './testing.js';
import { microTime } from './text.js';
import { webhookSender } from './webhook.js';

const resource = (given: Partial<Extract<RequestAttributes, { kind: 'resource' }>> = {}): RequestAttributes => ({
  kind: 'resource',
  verb: 'get',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: 'default',
  name: 'a',
  ...given,
});
const path = (p: string, verb = 'get'): RequestAttributes => ({ kind: 'path', verb, path: p });

const policy = (...rules: object[]): Promise<Policy> =>
  readPolicy('policy.yaml', JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules }));

function parts() {
  const world = testWorld(0);
  return { world, metrics: new AuditMetrics(), failed: () => {} };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a policy', () => {
  const levelOf = async (rule: object, attributes: RequestAttributes, user = USER): Promise<string> =>
    (await policy({ level: 'Metadata', ...rule })).decide(user, attributes).level;

  it.each([
    [{}, resource(), true],
    [{ users: ['jane'] }, resource(), true],
    [{ users: ['joe'] }, resource(), false],
    [{ userGroups: ['ops', 'devs'] }, resource(), true],
    [{ userGroups: ['ops'] }, resource(), false],
    [{ verbs: ['list'] }, resource(), false],
    [{ namespaces: ['default'] }, resource(), true],
    [{ namespaces: ['default'] }, path('/version'), false],
    [{ namespaces: [''] }, resource({ namespace: '', resource: 'nodes' }), true],
    [{ resources: [{ group: '', resources: ['pods'] }] }, resource(), true],
    [{ resources: [{ group: '', resources: ['pods'] }] }, resource({ subresource: 'log' }), false],
    [{ resources: [{ group: '', resources: ['pods/log'] }] }, resource({ subresource: 'log' }), true],
    [{ resources: [{ group: '', resources: ['pods/*'] }] }, resource({ subresource: 'log' }), true],
    [{ resources: [{ group: '', resources: ['*/log'] }] }, resource({ subresource: 'log' }), true],
    [{ resources: [{ group: '', resources: ['*/scale'] }] }, resource({ subresource: 'log' }), false],
    [{ resources: [{ group: '*', resources: ['*'] }] }, resource({ group: 'apps', subresource: 'x' }), true],
    [{ resources: [{ group: 'apps' }] }, resource(), false],
    [{ resources: [{ group: '' }] }, resource(), true],
    [{ resources: [{ group: '', resources: ['pods'], resourceNames: ['b'] }] }, resource(), false],
    [{ resources: [{ group: '' }] }, path('/version'), false],
    [{ nonResourceURLs: ['/healthz*'] }, path('/healthz/etcd'), true],
    [{ nonResourceURLs: ['/healthz'] }, path('/healthz/etcd'), false],
    [{ nonResourceURLs: ['*'] }, path('/x'), true],
    [{ nonResourceURLs: ['*'] }, resource(), false],
  ])('%j of %j: %s', async (rule, attributes, matches) => {
    expect(await levelOf(rule, attributes)).toBe(matches ? 'Metadata' : 'None');
  });

  it('is the first rule that matches, with the stages that it and the policy omit', async () => {
    const text = {
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages: ['RequestReceived'],
      omitManagedFields: true,
      rules: [
        { level: 'Request', users: ['jane'], omitStages: ['Panic'], omitManagedFields: false },
        { level: 'Metadata' },
      ],
    };
    const read = await readPolicy('p', JSON.stringify(text));
    expect(read.decide(USER, resource())).toMatchObject({ level: 'Request', omitManagedFields: false });
    expect([...read.decide(USER, resource()).omits]).toEqual(['RequestReceived', 'Panic']);
    expect(read.decide({ name: 'joe', groups: [] }, resource())).toMatchObject({
      level: 'Metadata',
      omitManagedFields: true,
    });
  });

  it.each([
    [[], 'loaded illegal policy with 0 rules'],
    [[{}], 'rules[0].level: Required value'],
    [
      [{ level: 'All' }],
      'rules[0].level: Unsupported value: "All": supported values: "None", "Metadata", "Request", "RequestResponse"',
    ],
    [
      [{ level: 'None', nonResourceURLs: ['x'] }],
      `rules[0].nonResourceURLs[0]: Invalid value: "x": non-resource URL rules must begin with a '/' character`,
    ],
    [
      [{ level: 'None', nonResourceURLs: ['/a*b'] }],
      `rules[0].nonResourceURLs[0]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule`,
    ],
    [
      [{ level: 'None', nonResourceURLs: ['/a'], namespaces: ['b'] }],
      'rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs',
    ],
    [
      [{ level: 'None', omitStages: ['Now'] }],
      'rules[0].omitStages[0]: Invalid value: "Now": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic',
    ],
    [
      [{ level: 'None', resources: [{ resourceNames: ['a'] }] }],
      'rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource',
    ],
    [
      [{ level: 5 }],
      'loading audit policy file: failed decoding: json: cannot unmarshal number into Go struct field PolicyRule.rules.level of type v1.Level: from file policy.yaml',
    ],
  ])('%j is refused', async (rules, message) => {
    await expect(policy(...rules)).rejects.toThrow(message);
  });

  it('ignores unknown and repeated fields, with a warning', async () => {
    const warnings: string[] = [];
    const text = JSON.stringify({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      rules: [{ level: 'None', nobody: 1 }],
    });
    await readPolicy('p', text, (problem) => void warnings.push(problem));
    await readPolicy('p', `${text.slice(0, -1)},"kind":"Policy"}`, (problem) => void warnings.push(problem));
    expect(warnings).toEqual([
      'strict decoding error: unknown field "rules[0].nobody"',
      'strict decoding error: duplicate field "kind", unknown field "rules[0].nobody"',
    ]);
  });
});

describe('an event', () => {
  it('has the fields of kube-apiserver in their order', () => {
    const r = record('RequestResponse');
    r.code = 201;
    r.bodyMeta = { name: 'p', namespace: 'default', uid: '', resourceVersion: '' };
    r.requestObject = '{"a":1}';
    r.responseObject = '{"b":2}';
    r.impersonated = { name: 'joe', groups: [] };
    const event = JSON.parse(r.event('ResponseComplete', 2, '{"k":"v"}').json);
    expect(Object.keys(event).join()).toBe(
      'kind,apiVersion,level,auditID,stage,requestURI,verb,user,impersonatedUser,sourceIPs,userAgent,objectRef,responseStatus,requestObject,responseObject,requestReceivedTimestamp,stageTimestamp,annotations',
    );
    expect(event).toMatchObject({
      requestURI: '/api/v1/namespaces/default/pods?x="<y>"',
      user: { username: 'jane', groups: ['devs', 'system:authenticated'] },
      impersonatedUser: { username: 'joe' },
      objectRef: { resource: 'pods', namespace: 'default', name: 'p', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestReceivedTimestamp: '2027-01-15T08:00:00.123456Z',
      stageTimestamp: '2027-01-15T08:00:00.125456Z',
    });
  });

  it('has no response before one exists', () => {
    const event = JSON.parse(record().event('RequestReceived', 0, '').json);
    expect(event).not.toHaveProperty('responseStatus');
    expect(event).not.toHaveProperty('annotations');
    expect(event.stageTimestamp).toBe(event.requestReceivedTimestamp);
  });

  it('is one line in the legacy format, whatever the client sends', () => {
    const line = record('Metadata', { userAgent: 'a\nb"c' }).event('RequestReceived', 0, '').legacy();
    expect(line).toBe(
      '2027-01-15T08:00:00.123456Z AUDIT: id="id-1" stage="RequestReceived" ip="127.0.0.1" method="create" user="jane" groups="\\"devs\\",\\"system:authenticated\\"" as="<self>" asgroups="<lookup>" user-agent="a\\nb\\"c" namespace="default" uri="/api/v1/namespaces/default/pods?x=\\"<y>\\"" response="<deferred>"',
    );
  });

  it('cuts long user agents', () => {
    const event = JSON.parse(record('Metadata', { userAgent: 'x'.repeat(5000) }).event('RequestReceived', 0, '').json);
    expect(event.userAgent).toBe(`${'x'.repeat(1024)}...TRUNCATED`);
  });

  it('shows microseconds at the end of a second', () => {
    expect(microTime(999.9999)).toBe('1970-01-01T00:00:00.999999Z');
    expect(microTime(1000)).toBe('1970-01-01T00:00:01.000000Z');
  });
});

describe('batches', () => {
  const options = { bufferSize: 4, batchSize: 2, wait: 1000, throttle: undefined, bufferCharacters: 1000 };

  it('are sent when they are full, or after a time', async () => {
    const { world, metrics } = parts();
    const sent: string[][] = [];
    const send: Sender = async (events) => sent.push(events.map((e) => e.json)) > 0;
    const backend = new BatchBackend(send, options, { world, metrics });
    for (const text of ['a', 'b', 'c']) backend.process(event(text));
    expect(sent).toEqual([['a', 'b']]);
    await world.advance(1000);
    expect(sent).toEqual([['a', 'b'], ['c']]);
    backend.process(event('d'));
    await backend.close();
    expect(sent.at(-1)).toEqual(['d']);
  });

  it('never hold more than their bounds, and count what they drop', async () => {
    const { world, metrics } = parts();
    let release: (ok: boolean) => void = () => {};
    const blocked: Sender = () => new Promise((resolve) => (release = resolve));
    const throttle = { rate: 1, burst: 1 };
    const backend = new BatchBackend(blocked, { ...options, throttle }, { world, metrics });
    // Two are sent, two are the batch that waits for the throttle, and four are in the buffer.
    for (let i = 0; i < 10; i++) backend.process(event(String(i)));
    expect(errorsOf(metrics)).toBe(2);
    const large = new BatchBackend(blocked, options, { world, metrics });
    large.process(event('x'.repeat(1001)));
    expect(errorsOf(metrics)).toBe(3);
    release(true);
  });

  it('may be larger than the buffer', async () => {
    const { world, metrics } = parts();
    const sent: number[] = [];
    const send: Sender = async (events) => sent.push(events.length) > 0;
    const backend = new BatchBackend(send, { ...options, batchSize: 10 }, { world, metrics });
    for (let i = 0; i < 10; i++) backend.process(event(String(i)));
    expect([sent, errorsOf(metrics)]).toEqual([[10], 0]);
  });

  it('are limited in their rate', async () => {
    const { world, metrics } = parts();
    let sent = 0;
    const send: Sender = async () => ++sent > 0;
    const throttle = { rate: 2, burst: 1 };
    const backend = new BatchBackend(send, { ...options, bufferSize: 100, throttle }, { world, metrics });
    for (let i = 0; i < 20; i++) backend.process(event(String(i)));
    expect(sent).toBe(1);
    await world.advance(1000);
    expect(sent).toBeGreaterThan(1);
    expect(sent).toBeLessThan(5);
    await world.advance(6000);
    expect(sent).toBe(10);
  });
});

describe('blocking', () => {
  it('waits for the event, and only the strict mode reports a failure', async () => {
    const fails: Sender = async () => false;
    expect(await new BlockingBackend(fails, false).process(event('a'))).toBe(true);
    expect(await new BlockingBackend(fails, true).process(event('a'))).toBe(false);
  });
});

describe('truncation', () => {
  it('removes request and response, drops events that are still too large, and splits batches', async () => {
    const { metrics } = parts();
    const sent: string[][] = [];
    const send: Sender = async (events) => sent.push(events.map((e) => e.json)) > 0;
    const truncated = truncating(send, { enabled: true, eventMax: 5, batchMax: 8 }, metrics);
    await truncated([event('aaaa'), event('bbbbbbbb', 'bb'), event('cccccccc'), event('dddd'), event('eeee')]);
    expect(sent).toEqual([
      ['aaaa', 'bb'],
      ['dddd', 'eeee'],
    ]);
    expect(errorsOf(metrics)).toBe(1);
    const event1 = record('RequestResponse');
    event1.requestObject = '{}';
    const short = event1.event('ResponseComplete', 0, '{"a":"b"}').truncated()!;
    expect(JSON.parse(short.json)).toMatchObject({ annotations: { 'audit.k8s.io/truncated': 'true', a: 'b' } });
    expect(short.json).not.toContain('requestObject');
  });
});

describe('the webhook', () => {
  it('gets EventLists, again after an error, and finally drops the batch', async () => {
    const given = { ...parts(), initialBackoff: 1000 };
    const bodies: string[] = [];
    let failures = 2;
    const dropped: string[] = [];
    const send = webhookSender(
      async (body) => {
        bodies.push(body.toString());
        if (failures-- > 0) throw new Error('no');
      },
      { ...given, failed: (_error, events) => void dropped.push(...events.map((e) => e.legacy())) },
    );
    const done = send([event(`${EVENT_HEAD}"a":1}`)]);
    for (let i = 0; i < 4; i++) {
      await turn();
      await given.world.advance(2000);
    }
    expect(await done).toBe(true);
    expect(bodies).toHaveLength(3);
    // As kube-apiserver writes it: the items have no type of their own.
    expect(bodies[0]).toBe('{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[{"a":1}]}\n');
    failures = 100;
    const lost = send([event('{"a":1}'), event('{"b":1}')]);
    for (let i = 0; i < 8; i++) {
      await turn();
      await given.world.advance(10_000);
    }
    expect(await lost).toBe(false);
    expect(errorsOf(given.metrics)).toBe(2);
    expect(dropped).toEqual(['{"a":1}', '{"b":1}']);
  });
});

describe('an auditor', () => {
  it('sends only the stages that the policy does not omit, to all backends, and counts', async () => {
    const metrics = new AuditMetrics();
    const seen: string[] = [];
    const backend: Backend = {
      overlaps: true,
      process: (e) => void seen.push(JSON.parse(e.json).stage),
      close: async () => {},
    };
    const auditor = new Auditor(
      await policy({ level: 'Metadata', omitStages: ['RequestReceived'] }),
      [backend, backend],
      metrics,
    );
    const found = new AuditRecord(auditor.decide(USER, resource())!, facts());
    expect(auditor.stage(found, 'RequestReceived', 0, '')).toBeUndefined();
    expect(auditor.stage(found, 'ResponseComplete', 1, '')).toBeUndefined();
    expect(seen).toEqual(['ResponseComplete', 'ResponseComplete']);
    expect(metrics.event.value).toBe(1);
  });
});
