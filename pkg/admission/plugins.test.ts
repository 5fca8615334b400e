import { describe, expect, it } from 'vitest';
import { choiceProblem, choiceWarnings, chosenSteps } from './plugins.js';

describe('the choice of plugins', () => {
  it('names what the reference has, each on one side', () => {
    expect(choiceProblem({ enabled: ['NodeRestriction'], disabled: ['ServiceAccount'] })).toBeUndefined();
    expect(choiceProblem({ enabled: [], disabled: ['Nope'] })).toContain('"Nope"');
    expect(choiceProblem({ enabled: ['Priority'], disabled: ['Priority'] })).toContain('Priority');
  });

  const steps = [{ name: 'Priority' }, { name: 'LimitRanger' }];

  it('takes away what is disabled', () => {
    expect(chosenSteps(steps, { enabled: [], disabled: ['Priority', 'PodSecurity'] })).toEqual([steps[1]]);
  });

  it('says what was enabled and checks nothing, once each', () => {
    const enabled = ['NodeRestriction', 'Priority', 'PodSecurity', 'NamespaceLifecycle', 'AlwaysAdmit', 'PodSecurity'];
    const warnings = choiceWarnings(steps, { enabled, disabled: ['ResourceQuota'] });
    expect(warnings).toEqual([
      expect.stringMatching(/^--enable-admission-plugins: .* NodeRestriction, PodSecurity yet/),
    ]);
  });

  it('says what is disabled and goes on', () => {
    const warnings = choiceWarnings(steps, { enabled: [], disabled: ['NamespaceLifecycle', 'LimitRanger'] });
    expect(warnings).toEqual([expect.stringMatching(/^--disable-admission-plugins: NamespaceLifecycle cannot/)]);
  });

  it('has nothing to say of a choice that is followed', () => {
    expect(choiceWarnings(steps, { enabled: ['Priority'], disabled: ['LimitRanger'] })).toEqual([]);
  });
});
