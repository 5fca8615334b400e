import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import { cronJob } from './batch/cronjob.js';
import { node } from './core/node.js';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const META = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };

/** The cell of a column in the row of an object. */
function cell(declaration: typeof node | typeof cronJob, object: JsonObject, column: string): unknown {
  const { columns, cells } = declaration.table!;
  return cells(object as never, NOW)[columns.findIndex((c) => c.name === column)];
}

describe('the rows of kinds, as kube-apiserver prints them', () => {
  it('of a CronJob say whether it is suspended in words', () => {
    for (const [suspend, text] of [
      [true, 'True'],
      [false, 'False'],
    ] as const)
      expect(cell(cronJob, { metadata: META, spec: { suspend, jobTemplate: {} } }, 'Suspend')).toBe(text);
  });

  it('of a node have the architecture behind the version of the kernel', () => {
    const row = (nodeInfo: JsonObject): unknown =>
      cell(node, { metadata: META, status: { nodeInfo } }, 'Kernel-Version');
    expect(row({ kernelVersion: '6.1', architecture: 'arm64' })).toBe('6.1 (arm64)');
    expect(row({ architecture: 'arm64' })).toBe('<unknown> (arm64)');
    expect(row({ kernelVersion: '6.1' })).toBe('6.1');
  });
});
