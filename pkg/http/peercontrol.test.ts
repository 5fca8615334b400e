import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PeerDesk } from './peercontrol.js';
import { createRouter } from './router.js';
import { testServices, testWorld } from './testing.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(`${tmpdir()}/trireme-control-`);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function app(desk: Partial<PeerDesk>, user?: { readonly name: string; readonly groups: readonly string[] }) {
  const services = testServices(testWorld, user === undefined ? {} : { user: () => user });
  return createRouter({ ...services, control: { peer: desk as PeerDesk, folder } });
}

const ok = async <T>(value: T) => ({ kind: 'ok', value }) as const;

describe('the control API', () => {
  it('is restricted to system:masters', async () => {
    const jane = { name: 'jane', groups: ['system:authenticated'] };
    const answer = await app({ report: async () => ({}) }, jane).inject({ url: '/peer/v1/status' });
    expect([answer.statusCode, answer.json().message]).toEqual([
      403,
      'forbidden: User "jane" cannot get path "/peer/v1/status"',
    ]);
  });

  it('does not exist without a peer', async () => {
    expect((await createRouter(testServices(testWorld)).inject({ url: '/peer/v1/status' })).statusCode).toBe(404);
  });

  it('returns the result of the peer', async () => {
    const router = app({ report: async () => ({ role: 'leader' }), members: async () => ok([{ id: 1 }]) });
    expect((await router.inject({ url: '/peer/v1/status' })).json()).toEqual({ role: 'leader' });
    expect((await router.inject({ url: '/peer/v1/members' })).json()).toEqual({ members: [{ id: 1 }] });
  });

  it('lists the members by a linearizable read, unless asked for what this peer knows', async () => {
    const router = app({
      members: async ({ linearizable }) =>
        linearizable ? { kind: 'refused', message: 'no leader answered the read' } : { kind: 'ok', value: [{ id: 1 }] },
    });
    const answer = await router.inject({ url: '/peer/v1/members' });
    expect([answer.statusCode, answer.json().message]).toEqual([503, 'no leader answered the read']);
    const local = await router.inject({ url: '/peer/v1/members?linearizable=false' });
    expect([local.statusCode, local.json()]).toEqual([200, { members: [{ id: 1 }] }]);
  });

  it('names members in hexadecimal', async () => {
    const asked: unknown[] = [];
    const note = (what: string) => (id: number) => {
      asked.push([what, id]);
      return ok(null);
    };
    const router = app({ removeMember: note('remove'), promoteMember: note('promote'), moveLeader: note('move') });
    await router.inject({ method: 'DELETE', url: '/peer/v1/members/ff' });
    await router.inject({ method: 'POST', url: '/peer/v1/members/10/promote' });
    await router.inject({ method: 'POST', url: '/peer/v1/leader', payload: { id: 'a' } });
    const done = await router.inject({ method: 'POST', url: '/peer/v1/leader' });
    expect(asked).toEqual([
      ['remove', 255],
      ['promote', 16],
      ['move', 10],
      ['move', 0],
    ]);
    expect([done.statusCode, done.json()]).toEqual([200, { done: true }]);
  });

  it('replaces the URLs of a member', async () => {
    const asked: unknown[] = [];
    const router = app({
      updateMember: async (request) => {
        asked.push(request);
        return { kind: 'ok', value: { id: 255 } };
      },
    });
    const url = '/peer/v1/members/ff';
    const put = (peerUrls: unknown) => router.inject({ method: 'PUT', url, payload: { peerUrls } as object });
    expect((await put(['https://a:1'])).statusCode).toBe(200);
    expect((await put(['a:1'])).statusCode).toBe(400);
    expect(asked).toEqual([{ id: 255, peerUrls: ['https://a:1'] }]);
  });

  it('returns the reason of a rejection', async () => {
    const router = app({ removeMember: async () => ({ kind: 'refused', message: 'quorum at risk' }) });
    const answer = await router.inject({ method: 'DELETE', url: '/peer/v1/members/1' });
    expect([answer.statusCode, answer.json().reason, answer.json().message]).toEqual([
      409,
      'Conflict',
      'quorum at risk',
    ]);
  });

  it.each([
    ['POST', '/peer/v1/members', '{"peerUrls":[]}', 400],
    ['POST', '/peer/v1/members', '{"peerUrls":["http://a:1"]}', 400],
    ['POST', '/peer/v1/members', '{"peerUrls":["https://a"]}', 400],
    ['POST', '/peer/v1/members', '{"peerUrls":["https://a:1"],"name":7}', 400],
    ['POST', '/peer/v1/members', '[', 400],
    ['POST', '/peer/v1/members', '[]', 400],
    ['DELETE', '/peer/v1/members/xyz', '', 400],
    ['DELETE', '/peer/v1/members/1234567890123', '', 400],
    ['POST', '/peer/v1/members/1/demote', '', 404],
    ['PUT', '/peer/v1/members', '', 405],
    ['DELETE', '/peer/v1/status', '', 405],
    ['GET', '/peer/v1/nothing', '', 404],
  ] as const)('refuses %s %s %s', async (method, url, payload, code) => {
    const answer = await app({}).inject({ method, url, ...(payload === '' ? {} : { payload }) });
    expect([answer.statusCode, answer.json().kind]).toEqual([code, 'Status']);
  });

  it('sends a snapshot and removes the file', async () => {
    const bytes = Buffer.alloc(700_000, 'x');
    const router = app({
      saveSnapshot: (file) => {
        writeFileSync(file, bytes);
        return ok({ file, bytes: bytes.length });
      },
    });
    const answer = await router.inject({ url: '/peer/v1/snapshot' });
    expect([answer.statusCode, answer.headers['content-length'], answer.rawPayload.equals(bytes)]).toEqual([
      200,
      String(bytes.length),
      true,
    ]);
    // It is removed asynchronously after the response.
    while (readdirSync(folder).length > 0) await new Promise((resolve) => setImmediate(resolve));
  });
});
