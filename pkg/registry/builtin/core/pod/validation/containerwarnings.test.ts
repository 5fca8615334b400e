import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonObject, Shaped } from '../../../../../api/index.js';
import { finish } from '../../../../../base/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { portWarnings } from './containerwarnings.js';

function warningsOf(ports: readonly JsonObject[]): readonly string[] {
  const found: string[] = [];
  const spec = { containers: [{ ports }] } as unknown as Shaped<shapes.CoreV1PodSpec>;
  finish(portWarnings(spec, 'spec', (text) => found.push(text)));
  return found;
}

/** The rule, by comparison of every two ports. */
function overlapsOf(ports: readonly { hostPort: number; hostIP: string }[]): readonly string[] {
  const found: string[] = [];
  for (const [i, a] of ports.entries())
    for (const [j, b] of ports.slice(0, i).entries()) {
      const sort =
        a.hostIP === b.hostIP && a.hostPort === b.hostPort
          ? 'duplicate'
          : a.hostPort === 0 || b.hostPort === 0
            ? 'overlapping'
            : a.hostPort === b.hostPort && (a.hostIP === '' || b.hostIP === '')
              ? 'dangerously ambiguous'
              : undefined;
      if (sort !== undefined)
        found.push(`spec.containers[0].ports[${i}]: ${sort} port definition with spec.containers[0].ports[${j}]`);
    }
  return found;
}

it('warns about ports that overlap, in their order', () => {
  const port = fc.record({
    hostPort: fc.integer({ min: 0, max: 3 }),
    hostIP: fc.constantFrom('', '10.0.0.1', '10.0.0.2'),
  });
  fc.assert(
    fc.property(fc.array(port, { maxLength: 12 }), (ports) => {
      const given = ports.map((p) => ({ containerPort: 80, protocol: 'TCP', ...p }));
      const overlaps = warningsOf(given).filter((text) => !text.includes('hostIP set without'));
      expect(overlaps).toEqual(overlapsOf(ports));
    }),
  );
});

it('stops after a thousand', () => {
  const alike = Array.from({ length: 9999 }, () => ({ containerPort: 80, protocol: 'TCP', hostPort: 80 }));
  expect(warningsOf(alike)).toHaveLength(1000);
});
