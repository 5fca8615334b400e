import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../pkg/api/index.js';
import { startApiServer, type TestApiServer } from '../../pkg/server/index.js';
import { Client, type Reply } from '../e2e/client.js';
import { bases, changed, valueAt } from './resourceobjects.js';
import { type Statement, statements } from './statements/index.js';

/**
 * Plays the statements of the resource reference. With REFERENCE, REFERENCE_CERT and REFERENCE_KEY (as `make difffuzz` takes them)
 * a running kube-apiserver is asked instead; statements where it is known to differ are left out.
 */
const { REFERENCE = '', REFERENCE_CERT = '', REFERENCE_KEY = '' } = process.env;
const ofReference = REFERENCE !== '';

let server: TestApiServer | undefined;
let client: Client;

beforeAll(async () => {
  if (!ofReference) server = await startApiServer({ runtimeConfig: { 'api/all': true }, controllers: [] });
  client = new Client(
    server ?? {
      url: REFERENCE,
      ca: readFileSync(process.env['REFERENCE_CA'] ?? '', 'utf8'),
      cert: readFileSync(REFERENCE_CERT, 'utf8'),
      key: readFileSync(REFERENCE_KEY, 'utf8'),
    },
  );
  const made = await client.ask('/api/v1/namespaces', {
    body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'rules' } },
  });
  expect([201, 409]).toContain(made.status);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  await client.ask('/api/v1/namespaces/rules/serviceaccounts', { body: account });
}, 60_000);
afterAll(() => server?.close());

/** Creates the base, if the statement is about an existing object; `remove` deletes it. */
async function existing(s: Statement): Promise<{ readonly object: JsonObject; remove(): Promise<void> }> {
  const { path, object } = bases[s.of];
  const made = await client.ask(path, { body: changed(object, s.given ?? {}) });
  expect(made.status, made.body.toString()).toBe(201);
  const own = `${path}/${String(valueAt(object, 'metadata.name'))}`;
  let stored: JsonObject = made.json();
  if (s.status !== undefined) {
    const written = await client.ask(`${own}/status`, { method: 'PUT', body: changed(stored, { status: s.status }) });
    expect(written.status, written.body.toString()).toBe(200);
    stored = written.json();
  }
  return {
    object: stored,
    remove: async () => {
      await client.ask(own, {
        method: 'PATCH',
        headers: { 'content-type': 'application/merge-patch+json' },
        body: { metadata: { finalizers: null } },
      });
      await client.ask(own, { method: 'DELETE', body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } });
    },
  };
}

async function play(s: Statement): Promise<Reply> {
  const { path, object } = bases[s.of];
  const json = { 'content-type': 'application/json' };
  if (s.on === 'create')
    return client.ask(`${path}?dryRun=All`, { method: 'POST', headers: json, body: changed(object, s.changes) });
  const before = await existing(s);
  const own = `${path}/${String(valueAt(object, 'metadata.name'))}`;
  try {
    switch (s.on) {
      case 'update':
      case 'status': {
        const at = s.on === 'status' ? `${own}/status` : own;
        return await client.ask(`${at}?dryRun=All`, {
          method: 'PUT',
          headers: json,
          body: changed(before.object, s.changes),
        });
      }
      case 'merge':
      case 'strategic':
        return await client.ask(`${s.below === undefined ? own : `${own}/${s.below}`}?dryRun=All`, {
          method: 'PATCH',
          headers: { 'content-type': `application/${s.on === 'merge' ? 'merge' : 'strategic-merge'}-patch+json` },
          body: changed({}, s.changes),
        });
      case 'delete':
        return await client.ask(own, { method: 'DELETE', headers: json, body: changed({}, s.changes) });
      case 'get':
        return await client.ask(s.below === undefined ? own : `${own}/${s.below}`);
      case 'list':
        return await client.ask(path);
    }
  } finally {
    await before.remove();
  }
}

const played = statements.filter((s) => !ofReference || s.differs === undefined);

describe('the resource reference', () => {
  it.each(played.map((s) => [`${s.section}: ${s.text}`, s] as const))('%s', async (_title, s) => {
    const reply = await play(s);
    const body = reply.json() as JsonObject;
    const causes = (valueAt(body, 'details.causes') ?? []) as readonly { readonly field?: string }[];
    const told = `${reply.status} ${reply.body.toString().slice(0, 2000)}`;
    expect(reply.status, told).toBe(s.code);
    if (s.field !== undefined)
      expect(causes.map((c) => c.field).filter((f) => f === s.field).length, told).toBeGreaterThan(0);
    for (const [path, value] of Object.entries(s.shows ?? {})) expect(valueAt(body, path), told).toEqual(value);
  });

  it('is stated once for each rule', () => {
    const titles = statements.map((s) => `${s.section}: ${s.text}`);
    expect(titles.filter((t, i) => titles.indexOf(t) !== i)).toEqual([]);
    expect(statements.length).toBeGreaterThan(100);
  });
});
