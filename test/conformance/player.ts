import type { JsonObject, JsonValue } from '../../pkg/api/index.js';
import type { Client, Reply } from '../e2e/client.js';
import { bases, changed, valueAt } from './resourceobjects.js';
import type { Expected, Sequence, Step } from './statements/sequence.js';
import type { Statement } from './statements/statement.js';

const PATIENCE_MS = 60_000;
const PAUSE_MS = 100;

/** Plays a sequence on a server. Throws an error with the response that was not as expected. */
export async function playSequence(client: Client, sequence: Sequence): Promise<void> {
  const made: string[] = [];
  try {
    for (const step of sequence.steps) await playStep(client, step, made);
  } finally {
    for (const path of made.reverse()) await removed(client, path);
  }
}

async function playStep(client: Client, step: Step, made: string[]): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const reply = await ask(client, step);
    if (reply.status === 201 && !step.path.includes('dryRun')) made.push(itemOf(step, reply));
    const problem = problemOf(step, reply);
    if (problem === undefined) return;
    if (step.soon !== true || performance.now() > end)
      throw new Error(
        `${step.method} ${step.path}: ${problem}\n${reply.status} ${reply.body.toString().slice(0, 1500)}`,
      );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

async function ask(client: Client, step: Step): Promise<Reply> {
  if (step.method === 'WATCH') return firstEvent(client, step.path);
  const path = step.path.split('?')[0]!;
  const body = step.changes === undefined ? step.body : changed((await client.ask(path)).json(), step.changes);
  return client.ask(step.path, {
    method: step.method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...step.headers },
    ...(body === undefined ? {} : { body: body as object }),
  });
}

async function firstEvent(client: Client, path: string): Promise<Reply> {
  const lines = client.watch(path);
  try {
    await lines.until((l) => l.events.length > 0 || l.ended);
    const event = lines.events[0] as JsonObject | undefined;
    if (event === undefined) throw new Error(`the watch of ${path} ended without an event`);
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(event)), json: () => event };
  } finally {
    lines.close();
  }
}

/** Returns what in a response is not as expected. */
export function problemOf(expected: Expected, reply: Reply): string | undefined {
  if (reply.status !== expected.code) return `the code is not ${expected.code}`;
  const text = reply.body.toString();
  if (expected.begins !== undefined && !text.startsWith(expected.begins))
    return `does not begin with ${expected.begins}`;
  const warning = String(reply.headers['warning'] ?? '');
  if (
    expected.warning !== undefined &&
    (expected.warning === '' ? warning !== '' : !warning.includes(expected.warning))
  )
    return `the warning is ${JSON.stringify(warning)}`;
  if (expected.field === undefined && expected.shows === undefined && expected.message === undefined) return undefined;
  const body = reply.json() as JsonObject;
  const causes = (valueAt(body, 'details.causes') ?? []) as readonly { readonly field?: string }[];
  if (expected.field !== undefined && !causes.some((c) => c.field === expected.field))
    return `no cause names ${expected.field}`;
  if (expected.message !== undefined && !String(body['message']).includes(expected.message))
    return `the message does not contain ${expected.message}`;
  for (const [path, value] of Object.entries(expected.shows ?? {}))
    if (JSON.stringify(sorted(valueAt(body, path))) !== JSON.stringify(sorted(value)))
      return `${path} is not ${JSON.stringify(value)}`;
  return undefined;
}

function sorted(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((v) => sorted(v)!);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v as JsonValue)!]),
  );
}

/** The path of the object that a request created. */
function itemOf(step: Step, reply: Reply): string {
  const path = step.path.split('?')[0]!;
  return step.method === 'POST' ? `${path}/${String(valueAt(reply.json(), 'metadata.name'))}` : path;
}

async function removed(client: Client, path: string): Promise<void> {
  await client.ask(path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: { metadata: { finalizers: null } },
  });
  await client.ask(path, { method: 'DELETE', body: { gracePeriodSeconds: 0, propagationPolicy: 'Background' } });
}

/** Creates the base, if the statement is about an existing object; `remove` deletes it. */
async function existing(
  client: Client,
  s: Statement,
): Promise<{ readonly object: JsonObject; remove(): Promise<void> }> {
  const { path, object } = bases[s.of];
  const made = await client.ask(path, { body: changed(object, s.given ?? {}) });
  if (made.status !== 201) throw new Error(`the object was not created: ${made.body.toString()}`);
  const own = `${path}/${String(valueAt(object, 'metadata.name'))}`;
  let stored: JsonObject = made.json();
  if (s.status !== undefined) {
    const written = await client.ask(`${own}/status`, { method: 'PUT', body: changed(stored, { status: s.status }) });
    if (written.status !== 200) throw new Error(`the status was not written: ${written.body.toString()}`);
    stored = written.json();
  }
  return {
    object: stored,
    remove: () => removed(client, own),
  };
}

/** Plays a statement of one request, and returns the response. */
export async function playStatement(client: Client, s: Statement): Promise<Reply> {
  const { path, object } = bases[s.of];
  const json = { 'content-type': 'application/json' };
  if (s.on === 'create')
    return client.ask(`${path}?dryRun=All`, { method: 'POST', headers: json, body: changed(object, s.changes) });
  const before = await existing(client, s);
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
