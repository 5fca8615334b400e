import { expect, it } from 'vitest';
import { CONTROLLERS } from './names.js';
import { runResumed } from './testing/resume.js';
import { API } from './testing/resumeapi.js';
import { SYSTEM } from './testing/resumesystem.js';
import { WORKLOADS } from './testing/resumeworkloads.js';
import { openScene } from './testing/scene.js';

/**
 * The leader dies before or after each write of a controller, and the next leader starts a new one. The end state is
 * the same as without a failure: nothing is missing, and nothing was done twice.
 */

const cases = [...WORKLOADS, ...SYSTEM, ...API];

it.each(cases.map((of) => [of.name, of] as const))('%s: a new leader finishes the work', async (_, of) => {
  const whole = await runResumed(of, Number.POSITIVE_INFINITY, 'before');
  expect(whole.writes).toBeGreaterThan(0);
  for (let at = 1; at <= whole.writes; at++)
    for (const when of ['before', 'after'] as const)
      expect((await runResumed(of, at, when)).state, `death ${when} write ${at} of ${whole.writes}`).toEqual(
        whole.state,
      );
});

it('every controller of --controllers has a case', async () => {
  const { context, bench } = await openScene();
  const tried = new Set(cases.map(({ make }) => make(context, bench.keyspace).name));
  expect([...CONTROLLERS].filter((name) => !tried.has(name))).toEqual([]);
});
