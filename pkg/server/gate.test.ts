import { expect, it } from 'vitest';
import type { World } from '../base/index.js';
import { type GateParts, openGate } from './gate.js';

it('measures requests over time without priority and fairness, too', async () => {
  let now = 0;
  const world = { clock: { monotonic: () => now } } as unknown as World;
  const config = { limits: { requestsInFlight: 2, mutatingInFlight: 4, fairness: false } };
  const { gate, families } = openGate({ world, config } as unknown as GateParts);
  const call = { info: { kind: 'path' }, exchange: { method: 'POST' }, user: { name: 'a' } };
  const ticket = await gate.enter(call as unknown as Parameters<typeof gate.enter>[0], false);
  now = 1;
  ticket?.leave();
  now = 2;
  expect(families.map(({ name }) => name)).toEqual(['apiserver_flowcontrol_read_vs_write_current_requests']);
  const { values } = families[0]!.get() as unknown as {
    readonly values: readonly { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
  };
  const at = (kind: string, le: string | number): number | undefined =>
    values.find(({ labels: l }) => l['request_kind'] === kind && String(l['le']) === String(le))?.value;
  // One of four for a millisecond, and none for another.
  expect([at('mutating', 0), at('mutating', 0.2), at('mutating', 0.3)]).toEqual([1e6, 1e6, 2e6]);
  expect(at('readOnly', 0)).toBe(2e6);
  expect(values.some(({ labels }) => labels['phase'] === 'waiting')).toBe(false);
});
