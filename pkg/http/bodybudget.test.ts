import { describe, expect, it } from 'vitest';
import { BodyBudget } from './bodybudget.js';
import { limits } from './limits.js';
import { TestDoor, until } from './testing/door.js';

const CMS = '/api/v1/namespaces/n/configmaps';

describe('request bodies in flight', () => {
  it('are limited in total', () => {
    const budget = new BodyBudget();
    expect(budget.take(limits.bodiesBytesMax)).toBe(true);
    expect([budget.hasRoom(1), budget.take(1)]).toEqual([false, false]);
    budget.release(limits.bodiesBytesMax);
    expect([budget.bytes, budget.take(1)]).toEqual([0, true]);
  });

  it('beyond the limit are rejected with 429 and Retry-After; small ones are accepted', async () => {
    const door = await TestDoor.open();
    const { bodies } = door.services.stages;
    expect(bodies.take(limits.bodiesBytesMax)).toBe(true);
    const post = (name: string, value: string): string => {
      const body = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { value } });
      return `POST ${CMS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const socket = await door.dial();
    const refused = until(socket, (text) => text.endsWith('}\n'));
    socket.write(post('large', 'x'.repeat(limits.smallBodyBytes)));
    expect((await refused).toLowerCase()).toMatch(/^http\/1\.1 429 [\s\S]*retry-after: 1\r\n/);
    const created = until(socket, (text) => text.includes('"name":"small"'));
    socket.write(post('small', 'x'));
    expect(await created).toMatch(/^HTTP\/1\.1 201 /);
    bodies.release(limits.bodiesBytesMax);
    const later = until(socket, (text) => text.includes('"name":"later"'));
    socket.write(post('later', 'x'.repeat(limits.smallBodyBytes)));
    expect(await later).toMatch(/^HTTP\/1\.1 201 /);
    socket.destroy();
    await door.listener.drain(1000);
    expect(bodies.bytes).toBe(0);
  });
});
