import type { Shaped } from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { objectsAt } from '../access.js';
import { fill } from '../core/pod/defaults.js';
import { whenAbsent } from '../defaults.js';
import { defaultTemplate } from '../workloads.js';

/** A job with neither completions nor parallelism runs one pod. */
export function defaultJob(o: Shaped<shapes.BatchV1Job>): void {
  const spec = o['spec'];
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return;
  if (spec['completions'] === undefined && spec['parallelism'] === undefined) {
    spec['completions'] = 1;
    spec['parallelism'] = 1;
  }
  whenAbsent(spec, 'parallelism', 1);
  whenAbsent(spec, 'completionMode', 'NonIndexed');
  whenAbsent(spec, 'suspend', false);
  // with backoffLimitPerIndex the job's own backoffLimit defaults to the maximum
  whenAbsent(spec, 'backoffLimit', spec['backoffLimitPerIndex'] === undefined ? 6 : 2147483647);
  for (const rule of objectsAt(spec, 'podFailurePolicy', 'rules')) {
    for (const pattern of objectsAt(rule, 'onPodConditions')) fill(pattern, 'status', 'True');
  }
  whenAbsent(spec, 'podReplacementPolicy', spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed');
  whenAbsent(spec, 'manualSelector', false);
  defaultTemplate(spec);
}
