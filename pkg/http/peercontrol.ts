import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, errors } from '../api/index.js';
import { readBody } from './body.js';
import type { Call } from './call.js';
import { sendBytes } from './responses.js';
import type { HttpServices } from './services.js';
import { Pace } from './streaming.js';

/**
 * The control API, for `triremectl`: the peer behind this server, and through it the cluster's members. Paths below `/peer/v1` are
 * not resources, so only `system:masters` may use them. Members are identified by their ids in hexadecimal, as in etcd's tools.
 *
 *     GET    /peer/v1/status               the status of this peer and, if it leads, of the others
 *     GET    /peer/v1/members              the members; 503 without a leader, except with ?linearizable=false: as this peer knows them
 *                                          POST adds a learner: {"peerUrls": [...], "name": "...", "staysLearner": false}
 *     PUT    /peer/v1/members/{id}         other peer URLs for a member: {"peerUrls": [...]}
 *     DELETE /peer/v1/members/{id}         POST /peer/v1/members/{id}/promote
 *     POST   /peer/v1/leader               {"id": "..."}, '' or absent for the best of the others
 *     GET    /peer/v1/snapshot             the state as of now, as a file
 */
export interface ControlDesk {
  readonly peer: PeerDesk;
  /** The directory of snapshots until they are sent. */
  readonly folder: string;
}

/** The operations of the peer. Their JSON results are sent unchanged. */
export interface PeerDesk {
  report(): Promise<object>;
  members(request: { readonly linearizable: boolean }): Promise<Outcome<readonly object[]>>;
  addMember(request: {
    readonly peerUrls: readonly string[];
    readonly name?: string;
    readonly staysLearner?: boolean;
  }): Promise<Outcome<object>>;
  updateMember(request: { readonly id: number; readonly peerUrls: readonly string[] }): Promise<Outcome<object>>;
  promoteMember(id: number): Promise<Outcome<null>>;
  removeMember(id: number): Promise<Outcome<null>>;
  moveLeader(id: number): Promise<Outcome<null>>;
  saveSnapshot(file: string): Promise<Outcome<{ readonly file: string; readonly bytes: number }>>;
}

type Outcome<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused' | 'unknown'; readonly message: string };

export async function serveControl(call: Call, services: HttpServices): Promise<void> {
  const { control } = services;
  if (control === undefined) throw errors.noSuchPath();
  const { peer } = control;
  const { method } = call.exchange;
  const [what = '', ...rest] = call.info.path.slice('/peer/v1/'.length).split('/');
  const route = `${method} ${what}${'/*'.repeat(rest.length)}`;
  switch (route) {
    case 'GET status':
      return sendJson(call, await peer.report());
    case 'GET members':
      return sendJson(call, { members: await listMembers(call, peer) });
    case 'POST members':
      return sendJson(call, done(await peer.addMember(addition(await bodyOf(call)))));
    case 'PUT members/*': {
      const { peerUrls } = addition(await bodyOf(call));
      return sendJson(call, done(await peer.updateMember({ id: memberId(rest[0]), peerUrls })));
    }
    case 'DELETE members/*':
      return sendJson(call, { done: done(await peer.removeMember(memberId(rest[0]))) === null });
    case 'POST members/*/*':
      if (rest[1] !== 'promote') throw errors.noSuchPath();
      return sendJson(call, { done: done(await peer.promoteMember(memberId(rest[0]))) === null });
    case 'POST leader': {
      const { id } = await bodyOf(call);
      return sendJson(call, { done: done(await peer.moveLeader(id === undefined ? 0 : memberId(id))) === null });
    }
    case 'GET snapshot':
      return sendSnapshot(call, control);
    default:
      throw KNOWN.has(what) ? errors.methodNotAllowed() : errors.noSuchPath();
  }
}

async function listMembers(call: Call, peer: PeerDesk): Promise<readonly object[]> {
  const listed = await peer.members({ linearizable: call.info.query.text('linearizable') !== 'false' });
  if (listed.kind === 'ok') return listed.value;
  throw errors.serviceUnavailable(listed.message);
}

const KNOWN: ReadonlySet<string> = new Set(['status', 'members', 'leader', 'snapshot']);

/** Returns the value. Throws 409 with the peer's reason if the peer refuses the request in its current state. */
function done<T>(outcome: Outcome<T>): T {
  if (outcome.kind === 'ok') return outcome.value;
  if (outcome.kind === 'unknown') throw errors.timeout(`the outcome is unknown: ${outcome.message}`);
  throw new ApiError(409, 'Conflict', outcome.message);
}

function memberId(text: unknown): number {
  if (typeof text === 'string' && /^[0-9a-f]{1,12}$/.test(text)) return Number.parseInt(text, 16);
  if (text === '') return 0;
  throw errors.badRequest('a member must be identified by its id, up to 12 hexadecimal digits');
}

async function bodyOf(call: Call): Promise<Readonly<Record<string, unknown>>> {
  const text = (await readBody(call)).toString();
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw errors.badRequest(`the body is not valid JSON: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw errors.badRequest('the body must be a JSON object');
  return value as Readonly<Record<string, unknown>>;
}

function addition(body: Readonly<Record<string, unknown>>): Parameters<PeerDesk['addMember']>[0] {
  const { peerUrls, name = '', staysLearner = false } = body;
  if (!Array.isArray(peerUrls) || peerUrls.length === 0 || peerUrls.length > URLS_MAX || !peerUrls.every(isPeerUrl))
    throw errors.badRequest('peerUrls must be a list of URLs such as https://10.0.0.4:2380');
  if (typeof name !== 'string' || name.length > NAME_MAX || typeof staysLearner !== 'boolean')
    throw errors.badRequest('name must be a string, and staysLearner true or false');
  return { peerUrls: peerUrls as string[], name, staysLearner };
}

const URLS_MAX = 8;
const NAME_MAX = 253;

function isPeerUrl(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, port, pathname, search } = new URL(url);
  return protocol === 'https:' && port !== '' && pathname === '/' && search === '';
}

function sendJson(call: Call, value: object): void | Promise<void> {
  return sendBytes(call, 200, 'application/json', Buffer.from(`${JSON.stringify(value)}\n`));
}

async function sendSnapshot(call: Call, { peer, folder }: ControlDesk): Promise<void> {
  const file = join(folder, `snapshot-${call.id}-${call.started}`);
  try {
    const { bytes } = done(await peer.saveSnapshot(file));
    call.status = 200;
    const answer = call.exchange.stream(200, {
      'audit-id': call.id,
      'cache-control': 'no-cache, private',
      'content-type': 'application/octet-stream',
      'content-length': bytes,
    });
    const pace = new Pace(call, answer);
    for await (const piece of createReadStream(file, { highWaterMark: PIECE_BYTES })) {
      if (call.exchange.gone) return;
      call.bytes += (piece as Buffer).length;
      if (!answer.write(piece as Buffer) && !(await pace.drained())) {
        if (!call.exchange.gone) call.exchange.abort();
        return;
      }
    }
    answer.end();
  } finally {
    await rm(file, { force: true });
  }
}

const PIECE_BYTES = 256 * 1024;
