import { describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../api/index.js';
import { finish, type World } from '../base/index.js';
import {
  decodeProtobuf,
  encodeAnswer,
  encodeCbor,
  encodeProtobuf,
  openEnvelope,
  prettySteps,
  readCbor,
  sealEnvelope,
} from '../codec/index.js';
import { structByName } from '../schema/index.js';
import { failureFrame } from './framer.js';
import { createRenderer } from './render.js';
import type { ListOptions, ListResult, Representation, Target } from './requests.js';
import { Bench, drain, EVERYTHING, JSON_FORM, refusal } from './testing.js';

const map = (name: string, data: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { l: 'x' } },
  data: { k: data },
});

const form = (more: Partial<Representation>): Representation => ({ ...JSON_FORM, ...more });

/** JSON has the field order of the cache (resourceVersion first), the other encodings their own order. */
const OTHERS = ['yaml', 'cbor', 'protobuf'] as const;

const laidOut = (json: Buffer): string => finish(prettySteps(json.subarray(0, -1))).toString();

/** A namespace with `n` config maps of growing size, and the list of them. */
async function listed(n: number, options: Partial<ListOptions> = {}): Promise<[Bench, Target, ListResult]> {
  const b = await Bench.open();
  for (let i = 0; i < n; i++) await b.create('configmaps', 'default', map(`a${i}`, `<${'é'.repeat(i * i)}>`));
  const target = b.target('configmaps', 'default');
  return [b, target, await b.registry.list({ target, options: { ...EVERYTHING, ...options } }, b.context)];
}

function bodyOf(b: Bench, target: Target, result: ListResult, r: Representation): Buffer {
  const { bytes, chunks } = b.renderer.renderList(target, result, r);
  const copies: Buffer[] = [];
  const source = chunks[Symbol.iterator]();
  // The buffer is overwritten after each chunk, as after a write to a connection, so all previous chunks must have been
  // copied.
  for (let step = source.next(); step.done !== true; step = source.next(true)) copies.push(Buffer.from(step.value));
  const body = Buffer.concat(copies);
  if (bytes !== undefined) expect(body.length).toBe(bytes);
  return body;
}

const HEALTHY = [{ type: 'Healthy', status: 'True', message: 'ok' }];

describe('lists', () => {
  it.each([0, 1, 40])('of %d objects have the same content in every encoding', async (n) => {
    const [b, target, result] = await listed(n, n === 40 ? { limit: 30 } : {});
    const json = bodyOf(b, target, result, JSON_FORM);
    const value = JSON.parse(json.toString()) as JsonObject & { items: JsonObject[] };
    expect(value.items).toHaveLength(result.items.length);
    expect(value.items.every((o) => o['kind'] === undefined && o['apiVersion'] === undefined)).toBe(true);
    expect(value['metadata']).toMatchObject({ resourceVersion: String(result.revision) });

    expect(bodyOf(b, target, result, form({ pretty: true })).toString()).toBe(laidOut(json));
    expect(bodyOf(b, target, result, form({ encoding: 'yaml' })).toString()).toBe(
      encodeAnswer(value, 'yaml')!.toString(),
    );
    expect(readCbor(bodyOf(b, target, result, form({ encoding: 'cbor' })))).toEqual({ ok: true, value });
    const raw = encodeProtobuf(structByName('core/v1.ConfigMapList'), value);
    const whole = sealEnvelope({ apiVersion: 'v1', kind: 'ConfigMapList', raw });
    expect(bodyOf(b, target, result, form({ encoding: 'protobuf' })).equals(whole)).toBe(true);
  });

  it.each([
    ['object', 'yaml'],
    ['metadata', 'yaml'],
    ['table', 'yaml'],
    ['table', 'cbor'],
  ] as const)('are made while they are written: %s in %s', async (shape, encoding) => {
    const [b, target, result] = await listed(40);
    let now = 0;
    b.world.clock.monotonic = () => (now += 20);
    const { bytes, chunks } = b.renderer.renderList(target, result, form({ form: shape, encoding }));
    expect(bytes).toBeUndefined();
    expect([...chunks].length).toBeGreaterThan(1);
    if (shape === 'metadata') return;
    const made = result.items.map((o) => vi.spyOn(o, 'parse'));
    const again = b.renderer.renderList(target, result, form({ form: shape, encoding })).chunks;
    const first = again[Symbol.iterator]().next();
    expect(first.done).toBe(false);
    expect(made.filter((parse) => parse.mock.calls.length > 0).length).toBeLessThan(40);
  });

  it.each([0, 1, 3])('of the metadata of %d objects have the same content in every encoding', async (n) => {
    const [b, target, result] = await listed(n);
    const json = bodyOf(b, target, result, form({ form: 'metadata' }));
    const value = JSON.parse(json.toString()) as JsonObject & { items: JsonObject[] | null };
    expect(value).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1' });
    for (const item of value.items ?? []) {
      expect(Object.keys(item)).toEqual(['kind', 'apiVersion', 'metadata']);
      expect(item['kind']).toBe('PartialObjectMetadata');
    }
    expect(value.items?.length ?? 0).toBe(n);
    const pretty = bodyOf(b, target, result, form({ form: 'metadata', pretty: true }));
    expect(pretty.toString()).toBe(laidOut(json));
    const cbor = readCbor(bodyOf(b, target, result, form({ form: 'metadata', encoding: 'cbor' })));
    expect(cbor).toEqual({ ok: true, value: value });
    const yaml = bodyOf(b, target, result, form({ form: 'metadata', encoding: 'yaml' }));
    expect(yaml.toString()).toBe(encodeAnswer(value, 'yaml')!.toString());
    const opened = openEnvelope(bodyOf(b, target, result, form({ form: 'metadata', encoding: 'protobuf' })));
    const list = structByName('meta/v1.PartialObjectMetadataList');
    if (!opened.ok) throw new Error(opened.message);
    expect(opened.envelope.raw.equals(encodeProtobuf(list, value))).toBe(true);
  });

  it('of many objects are written in chunks whose memory is reused', async () => {
    const [b, target, result] = await listed(1);
    const many = { ...result, items: Array.from({ length: 3_000 }, () => result.items[0]!) };
    const one = JSON.parse(bodyOf(b, target, result, JSON_FORM).toString()) as { items: JsonObject[] };
    for (const more of [{}, { pretty: true }, { encoding: 'cbor' }] as const) {
      const body = bodyOf(b, target, many, form(more));
      const value = 'encoding' in more ? readCbor(body) : { value: JSON.parse(body.toString()) as JsonObject };
      expect((value as { value: { items: JsonObject[] } }).value.items).toEqual(many.items.map(() => one.items[0]));
    }
  });

  it('yield while items are encoded, even before the first byte', async () => {
    const [b, target, { items, ...meta }] = await listed(4);
    const result = { ...meta, items: Array.from({ length: 40 }, (_, i) => items[i % 4]!) };
    let now = 0;
    const slow = { ...b.world, clock: { now: () => now, monotonic: () => (now += 3) } } as unknown as World;
    const { chunks } = createRenderer(slow).renderList(target, result, form({ encoding: 'protobuf' }));
    const sizes = [...chunks].map((c) => c.length);
    expect(sizes[0]).toBe(0);
    expect(sizes.at(-1)).toBeGreaterThan(0);
  });

  it('as Tables have a row for each object', async () => {
    const [b, target, result] = await listed(2);
    for (const includeObject of ['None', 'Metadata', 'Object'] as const) {
      const r = form({ form: 'table', includeObject });
      const json = bodyOf(b, target, result, r);
      const table = JSON.parse(json.toString()) as JsonObject & { rows: JsonObject[] };
      expect(table).toMatchObject({
        kind: 'Table',
        apiVersion: 'meta.k8s.io/v1',
        metadata: { resourceVersion: String(result.revision) },
      });
      expect(table.rows.map((row) => (row['cells'] as unknown[])[0])).toEqual(['a0', 'a1']);
      const kinds = { None: undefined, Metadata: 'PartialObjectMetadata', Object: 'ConfigMap' };
      expect((table.rows[0]!['object'] as JsonObject | null)?.['kind']).toBe(kinds[includeObject]);
      expect(readCbor(bodyOf(b, target, result, { ...r, encoding: 'cbor' }))).toEqual({ ok: true, value: table });
      const yaml = bodyOf(b, target, result, { ...r, encoding: 'yaml' });
      expect(yaml.toString()).toBe(encodeAnswer(table, 'yaml')!.toString());
      const none = { ...result, items: [] };
      const empty = JSON.parse(bodyOf(b, target, none, r).toString()) as JsonObject;
      expect(bodyOf(b, target, none, { ...r, encoding: 'yaml' }).toString()).toBe(
        encodeAnswer(empty, 'yaml')!.toString(),
      );
      expect(readCbor(bodyOf(b, target, none, { ...r, encoding: 'cbor' }))).toEqual({ ok: true, value: empty });
      expect(bodyOf(b, target, result, { ...r, pretty: true }).toString()).toBe(laidOut(json));
    }
  });

  it.each([0, 2])('of %d computed objects have every form', async (n) => {
    const down = { status: 'False', message: 'refused', error: '' } as const;
    const odd = { status: 'Unknown', message: '', error: 'unexpected EOF' } as const;
    const probed: string[] = [];
    const probe = async (url: string) => {
      probed.push(url);
      return url.includes(':10257') ? down : odd;
    };
    const b = await Bench.open([], undefined, { probe });
    const target = b.target('componentstatuses', '');
    const items = ['scheduler', 'store'].slice(0, n).map((name) => ({
      metadata: { name },
      conditions: HEALTHY,
    }));
    const value = { kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {}, items };
    const listing = await b.registry.list({ target, options: EVERYTHING }, b.context);
    const store = { metadata: { name: 'etcd-0' }, conditions: HEALTHY };
    const manager = {
      metadata: { name: 'controller-manager' },
      conditions: [{ type: 'Healthy', status: 'False', message: 'refused' }],
    };
    const scheduler = {
      metadata: { name: 'scheduler' },
      conditions: [{ type: 'Healthy', status: 'Unknown', error: 'unexpected EOF' }],
    };
    expect(listing.value).toEqual({ ...value, items: [manager, scheduler, store] });
    expect(probed).toEqual(['https://127.0.0.1:10257/healthz', 'https://127.0.0.1:10259/healthz']);
    for (const [options, found] of [
      [{ fieldSelector: 'metadata.name=etcd-0' }, [store]],
      [{ fieldSelector: 'metadata.name!=etcd-0' }, [manager, scheduler]],
      [{ fieldSelector: 'metadata.namespace=x' }, []],
      [{ labelSelector: 'a=b' }, []],
      [{ labelSelector: '!a' }, [manager, scheduler, store]],
    ] as const)
      expect(
        (await b.registry.list({ target, options: { ...EVERYTHING, ...options } }, b.context)).value?.['items'],
      ).toEqual(found);
    const one = b.target('componentstatuses', '', 'x');
    expect(await refusal(b.registry.get({ target: one, resourceVersion: '' }, b.context))).toBe(
      '404 componentstatus "x" not found',
    );
    const rendered = (more: Partial<Representation>) => bodyOf(b, target, { ...listing, value }, form(more));
    const plain = (more: Partial<Representation>) => JSON.parse(rendered(more).toString()) as JsonObject;

    expect(plain({})).toEqual(value);
    const table = plain({ form: 'table', includeObject: 'Object' });
    expect(table).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {} });
    expect((table['columnDefinitions'] as JsonObject[]).map((c) => c['name'])).toEqual([
      'Name',
      'Status',
      'Message',
      'Error',
    ]);
    expect(table['rows']).toEqual(
      items.map((o) => ({
        cells: [o.metadata.name, 'Healthy', 'ok', ''],
        object: { kind: 'ComponentStatus', apiVersion: 'v1', ...o },
      })),
    );
    const bare = plain({ form: 'metadata' });
    expect(bare).toEqual({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: {},
      items:
        n === 0
          ? null
          : items.map(({ metadata }) => ({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata })),
    });
    for (const encoding of OTHERS)
      expect(rendered({ encoding, form: 'metadata' }).equals(encodeAnswer(bare, encoding)!), encoding).toBe(true);
  });
});

describe('single objects', () => {
  it('that are not stored have rows like stored ones, in every version', async () => {
    const b = await Bench.open();
    const what = 'horizontalpodautoscalers.autoscaling/v1';
    const scaled = {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a' },
      spec: {
        maxReplicas: 2,
        targetCPUUtilizationPercentage: 70,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      },
    };
    const value = await b.create(what, 'default', scaled, { dryRun: true });
    const target = b.target(what, 'default', 'a');
    const bytes = finish(b.renderer.renderAnswer(target, { kind: 'value', value }, form({ form: 'table' })));
    const { rows } = JSON.parse(bytes.toString()) as { rows: { cells: unknown[] }[] };
    expect(rows[0]!.cells[2]).toBe('cpu: <unknown>/70%');
  });

  it('have the same content in every encoding', async () => {
    const [b, target, result] = await listed(2);
    const answer = { kind: 'stored', stored: result.items[1]! } as const;
    const rendered = (more: Partial<Representation>): Buffer =>
      finish(b.renderer.renderAnswer(target, answer, form(more)));
    const value = JSON.parse(rendered({}).toString()) as JsonObject;
    expect(rendered({}).at(-1)).toBe(0x0a);
    for (const encoding of OTHERS)
      expect(rendered({ encoding }).equals(encodeAnswer(value, encoding)!), encoding).toBe(true);
    expect(rendered({ pretty: true }).toString()).toBe(laidOut(rendered({})));
    const metadata = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: value['metadata']! };
    expect(JSON.parse(rendered({ form: 'metadata' }).toString())).toEqual(metadata);
    for (const encoding of OTHERS)
      expect(rendered({ encoding, form: 'metadata' }).equals(encodeAnswer(metadata, encoding)!), encoding).toBe(true);
  });

  it('that are computed are rendered like stored ones', async () => {
    const [b, target, result] = await listed(1);
    const stored = { kind: 'stored', stored: result.items[0]! } as const;
    const value = JSON.parse(finish(b.renderer.renderAnswer(target, stored, JSON_FORM)).toString()) as JsonObject;
    for (const encoding of OTHERS)
      for (const as of ['object', 'metadata'] as const) {
        const r = form({ encoding, form: as });
        const once = finish(b.renderer.renderAnswer(target, stored, r));
        expect(finish(b.renderer.renderAnswer(target, { kind: 'value', value }, r)).equals(once), encoding).toBe(true);
      }
  });
});

describe('rows of Tables', () => {
  it.each([
    ['Succeeded', [expect.objectContaining({ type: 'Completed', status: 'True', reason: 'Succeeded' })]],
    ['Failed', [expect.objectContaining({ type: 'Completed', status: 'True', reason: 'Failed' })]],
    ['constructor', undefined],
    ['Running', undefined],
  ])('of a pod that is %s', async (phase, conditions) => {
    const b = await Bench.open();
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await b.create('pods', 'default', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });
    await b.patch('pods/status', ['default', 'p'], { status: { phase } });
    const target = b.target('pods', 'default');
    const result = await b.registry.list({ target, options: EVERYTHING }, b.context);
    for (const encoding of ['json', 'cbor'] as const) {
      const bytes = bodyOf(b, target, result, form({ form: 'table', encoding }));
      const read =
        encoding === 'json' ? JSON.parse(bytes.toString()) : (readCbor(bytes) as { value: JsonObject }).value;
      expect((read as { rows: JsonObject[] }).rows[0]!['conditions']).toEqual(conditions);
    }
  });
});

describe('metadata without the object', () => {
  it('lack the annotations with which v1 of an autoscaler has the fields of v2', async () => {
    const b = await Bench.open();
    await b.create('horizontalpodautoscalers.autoscaling/v2', 'default', {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'a', annotations: { x: 'y' } },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
        behavior: { scaleDown: { stabilizationWindowSeconds: 3 } },
      },
    });
    const target = b.target('horizontalpodautoscalers.autoscaling/v1', 'default');
    const result = await b.registry.list({ target, options: EVERYTHING }, b.context);
    const annotationsIn = (as: 'object' | 'metadata'): string[] => {
      const { items } = JSON.parse(bodyOf(b, target, result, form({ form: as })).toString()) as {
        items: { metadata: { annotations: JsonObject } }[];
      };
      return Object.keys(items[0]!.metadata.annotations);
    };
    expect(annotationsIn('object')).toContain('autoscaling.alpha.kubernetes.io/behavior');
    expect(annotationsIn('metadata')).toEqual(['x']);
  });
});

describe('events', () => {
  it('of a Table have the columns once, and one row each, including bookmarks', async () => {
    const b = await Bench.open();
    const target = b.target('configmaps', 'default');
    const options = {
      ...EVERYTHING,
      allowBookmarks: true,
      name: '',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
    };
    await b.create('configmaps', 'default', map('a', '1'));
    const stream = await b.registry.watch({ target, options, representation: form({ form: 'table' }) }, b.context);
    await b.create('configmaps', 'default', map('b', '1'));
    const tables = drain(stream).map(({ type, object }) => {
      const row = (object['rows'] as JsonObject[])[0]!;
      const metadata = (row['object'] as JsonObject)['metadata'] as JsonObject;
      return [type, object['columnDefinitions'] === null, (row['cells'] as unknown[])[0], metadata['annotations']];
    });
    expect(tables).toEqual([
      ['ADDED', false, 'a', undefined],
      ['BOOKMARK', true, '', { 'k8s.io/initial-events-end': 'true' }],
      ['ADDED', true, 'b', undefined],
    ]);
  });

  it('of a Table of API services all have the columns', async () => {
    const b = await Bench.open();
    const what = 'apiservices.apiregistration.k8s.io/v1';
    for (const version of ['v1', 'v2'])
      await b.create(what, '', {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: `${version}.example.com` },
        spec: { group: 'example.com', version, groupPriorityMinimum: 1, versionPriority: 1 },
      });
    const options = { ...EVERYTHING, allowBookmarks: true, name: '' };
    const request = { target: b.target(what, ''), options, representation: form({ form: 'table' }) };
    const tables = drain(await b.registry.watch(request, b.context));
    expect(tables.map(({ object }) => (object['columnDefinitions'] as JsonObject[] | null)?.length)).toEqual([4, 4, 4]);
  });

  it('end with a bookmark of an empty object, which has what its version adds', async () => {
    const b = await Bench.open();
    const options = { ...EVERYTHING, allowBookmarks: true, name: '', labelSelector: 'none' };
    const bookmark = async (what: string): Promise<JsonObject> => {
      const request = { target: b.target(what, ''), options, representation: form({}) };
      return drain(await b.registry.watch(request, b.context)).at(-1)!.object;
    };
    expect(await bookmark('daemonsets.apps/v1')).toMatchObject({
      metadata: { annotations: { 'deprecated.daemonset.template.generation': '0' } },
    });
    expect((await bookmark('replicationcontrollers'))['spec']).toEqual({});
  });

  it.each([
    ['customresourcedefinitions.apiextensions.k8s.io/v1', ['', '', '', '0001-01-01T00:00:00Z', '', '', '', false]],
    ['priorityclasses.scheduling.k8s.io/v1', ['', 0, false, '<unknown>', '']],
    ['replicationcontrollers', ['', 0, 0, 0, '<unknown>', '', '', '<none>']],
    ['cronjobs.batch/v1', ['', '', '<none>', '<unset>', 0, '<none>', '<unknown>', '', '', '<none>']],
    ['ipaddresses.networking.k8s.io/v1', ['', '<none>', '<unknown>']],
    ['limitranges', ['', '0001-01-01T00:00:00Z']],
    ['roles.rbac.authorization.k8s.io/v1', ['', '0001-01-01T00:00:00Z']],
    ['services', ['', '', '<none>', '<unknown>', '<none>', '<unknown>', '<none>']],
  ])('of a Table of %s end with a bookmark that has the cells of an empty object', async (what, cells) => {
    const b = await Bench.open();
    const options = { ...EVERYTHING, allowBookmarks: true, name: '', labelSelector: 'none' };
    const request = { target: b.target(what, ''), options, representation: form({ form: 'table' }) };
    const stream = await b.registry.watch(request, b.context);
    const [row] = drain(stream).at(-1)!.object['rows'] as JsonObject[];
    expect(row!['cells']).toEqual(cells);
  });

  it('share WebSocket frames among all watches of the same form, separate from HTTP', async () => {
    const b = await Bench.open();
    const request = {
      target: b.target('configmaps', 'default'),
      options: { ...EVERYTHING, allowBookmarks: false, name: '' },
      representation: JSON_FORM,
    };
    const streams = await Promise.all(
      [true, true, false].map((websocket) => b.registry.watch({ ...request, websocket }, b.context)),
    );
    // No watch has received an event yet, so both have the same position.
    for (const stream of streams) expect(stream.take(10_000)).toBeUndefined();
    await b.create('configmaps', 'default', map('a', '1'));
    await b.create('configmaps', 'default', map('b', 'x'.repeat(300)));
    const [one, two, plain] = streams.map((stream) => stream.take(10_000)!);
    expect(one!.payload).toBe(two!.payload);
    expect([one!.events, plain!.events]).toEqual([2, 2]);
    const messages: string[] = [];
    for (let at = 0; at < one!.payload.length; ) {
      // Both are longer than 125 bytes and shorter than 64 KiB, so they have the same header size.
      expect(one!.payload.readUInt16BE(at)).toBe(0x81_7e);
      const end = at + 4 + one!.payload.readUInt16BE(at + 2);
      messages.push(one!.payload.toString('utf8', at + 4, end));
      at = end;
    }
    expect(messages.length).toBe(2);
    expect(messages.join('')).toBe(plain!.payload.toString());
    for (const stream of streams) stream.close();
  });

  it('that end a watch have the framing of other events', () => {
    const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, code: 410 };
    const plain = failureFrame({ representation: JSON_FORM, websocket: false }, status);
    expect(JSON.parse(plain.toString())).toEqual({ type: 'ERROR', object: status });
    const message = failureFrame({ representation: JSON_FORM, websocket: true }, status);
    expect([message[0], message[1]]).toEqual([0x81, plain.length]);
    expect(message.subarray(2).equals(plain)).toBe(true);
  });

  type Read = { readonly type: unknown; readonly object: JsonObject };

  /** Reads a protobuf stream: length, then WatchEvent{type 1, object 2 {raw 1}}, where raw is a complete body. */
  function protobufEvents(stream: Buffer): Read[] {
    const out: Read[] = [];
    for (let at = 0; at < stream.length; ) {
      const end = at + 4 + stream.readUInt32BE(at);
      const message = stream.subarray(at + 4, end);
      const type = message.toString('latin1', 2, 2 + message[1]!);
      const opened = openEnvelope(message.subarray(message.indexOf(Buffer.from([0x6b, 0x38, 0x73, 0x00]))));
      if (!opened.ok) throw new Error(opened.message);
      const { raw, apiVersion, kind } = opened.envelope;
      const known = kind === 'ConfigMap' ? 'core/v1' : 'meta/v1';
      const decoded = decodeProtobuf(structByName(`${known}.${kind}`), raw);
      if (!decoded.ok) throw new Error(decoded.message);
      out.push({ type, object: { ...decoded.object, apiVersion, kind } });
      at = end;
    }
    return out;
  }

  /** Reads a sequence: the length of each item is that of its encoding. */
  function cborEvents(stream: Buffer): Read[] {
    const out: Read[] = [];
    const tag = Buffer.from([0xd9, 0xd9, 0xf7, 0xa2, 0x44]);
    for (let at = 0; at < stream.length; ) {
      const next = stream.indexOf(tag, at + 1);
      const end = next < 0 ? stream.length : next;
      const read = readCbor(stream.subarray(at, end));
      if (!read.ok) throw new Error(read.message);
      out.push(read.value as unknown as Read);
      at = end;
    }
    return out;
  }

  it.each(['object', 'metadata'] as const)('of %s have the same content in every encoding', async (as) => {
    const b = await Bench.open();
    const target = b.target('configmaps', 'default');
    const options = {
      ...EVERYTHING,
      allowBookmarks: true,
      name: '',
      sendInitialEvents: true,
      resourceVersionMatch: 'NotOlderThan',
    };
    await b.create('configmaps', 'default', map('a', '1'));
    const streams = await Promise.all(
      (['json', 'protobuf', 'cbor'] as const).map((encoding) =>
        b.registry.watch({ target, options, representation: form({ encoding, form: as }) }, b.context),
      ),
    );
    await b.create('configmaps', 'default', map('b', 'x'.repeat(300)));
    await b.patch('configmaps', ['default', 'a'], { data: { k: '2' } });
    await b.delete('configmaps', 'default', 'b');
    const [json, protobuf, cbor] = streams.map((stream) => {
      const all: Buffer[] = [];
      for (let f = stream.take(10_000); f !== undefined; f = stream.take(10_000)) all.push(f.payload);
      return Buffer.concat(all);
    });
    const lines = json!.toString().trimEnd().split('\n');
    const expected = lines.map((line) => JSON.parse(line) as Read);
    expect(expected.map((e) => e.type)).toEqual(
      expect.arrayContaining(['ADDED', 'BOOKMARK', 'ADDED', 'MODIFIED', 'DELETED']),
    );
    expect(cborEvents(cbor!)).toEqual(expected);
    // Protobuf does not distinguish absent from empty, so objects are compared in their protobuf form.
    const raw = (o: JsonObject): Buffer =>
      encodeCbor(structByName(as === 'object' ? 'core/v1.ConfigMap' : 'meta/v1.PartialObjectMetadata'), o);
    const read = protobufEvents(protobuf!);
    expect(read.map((e) => e.type)).toEqual(expected.map((e) => e.type));
    for (const [i, e] of read.entries()) expect(raw(e.object).equals(raw(expected[i]!.object))).toBe(true);
  });
});
