import { describe, expect, it } from 'vitest';
import { choiceProblem, choiceWarnings, chosenSteps } from './plugins.js';

describe('the choice of plug-ins', () => {
  it('reports unknown names, and names that are both enabled and disabled, as kube-apiserver does', () => {
    expect(choiceProblem({ enabled: ['NodeRestriction'], disabled: ['ServiceAccount'] })).toBeUndefined();
    expect(choiceProblem({ enabled: ['Baz'], disabled: ['Foo'] })).toBe(
      '[enable-admission-plugins plugin "Baz" is unknown, disable-admission-plugins plugin "Foo" is unknown]',
    );
    expect(choiceProblem({ enabled: ['Priority'], disabled: ['Priority'] })).toBe(
      '[Priority] in enable-admission-plugins and disable-admission-plugins overlapped',
    );
    const both = ['PodSecurity', 'LimitRanger'];
    expect(choiceProblem({ enabled: both, disabled: both })).toBe(
      '[LimitRanger PodSecurity] in enable-admission-plugins and disable-admission-plugins overlapped',
    );
  });

  const steps = [{ name: 'Priority' }, { name: 'LimitRanger' }];

  it('leaves out disabled steps and those that are off by default, and orders the rest', () => {
    const all = [...steps, { name: 'AlwaysPullImages' }, { name: 'ResourceQuota' }];
    const names = (enabled: string[], disabled: string[]): string[] =>
      chosenSteps(all, { enabled, disabled }).map((s) => s.name);
    expect(names([], ['Priority', 'PodSecurity'])).toEqual(['LimitRanger', 'ResourceQuota']);
    expect(names(['AlwaysPullImages'], [])).toEqual(['LimitRanger', 'AlwaysPullImages', 'Priority', 'ResourceQuota']);
  });

  it('warns about enabled plug-ins that are missing, once each', () => {
    const enabled = ['NodeRestriction', 'Priority', 'PodSecurity', 'NamespaceLifecycle', 'AlwaysAdmit', 'PodSecurity'];
    const warnings = choiceWarnings(steps, { enabled, disabled: ['ResourceQuota'] });
    expect(warnings).toEqual([expect.stringMatching(/^--enable-admission-plugins: .*: NodeRestriction, PodSecurity$/)]);
  });

  it('warns about plug-ins that cannot be disabled', () => {
    const warnings = choiceWarnings(steps, { enabled: [], disabled: ['NamespaceLifecycle', 'LimitRanger'] });
    expect(warnings).toEqual([expect.stringMatching(/^--disable-admission-plugins: .*: NamespaceLifecycle$/)]);
  });

  it('does not warn about other choices', () => {
    expect(choiceWarnings(steps, { enabled: ['Priority'], disabled: ['LimitRanger'] })).toEqual([]);
  });
});
