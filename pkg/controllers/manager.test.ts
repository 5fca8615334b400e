import { describe, expect, it } from 'vitest';
import { controllersElsewhere, isWanted, unknownControllers } from './manager.js';

const RC = 'replicationcontroller-controller';
const CLEANER = 'token-cleaner-controller';

describe('--controllers', () => {
  it.each<[string, readonly string[], string, boolean]>([
    ['* enables', ['*'], RC, true],
    ['* does not enable what is disabled by default', ['*'], CLEANER, false],
    ['a name enables', [CLEANER], CLEANER, true],
    ['a name enables only that', [CLEANER], RC, false],
    ['-name disables', ['*', `-${RC}`], RC, false],
    ['the first of name and -name decides', [RC, `-${RC}`], RC, true],
    ['an old name is the same', ['*', '-replicationcontroller'], RC, false],
    ['-* disables all', ['-*'], RC, false],
    ['-* disables what * enables', ['*', '-*'], RC, false],
    ['-* leaves what is named', ['-*', RC], RC, true],
    ['nothing enables nothing', [], RC, false],
  ])('%s', (_, wanted, name, expected) => {
    expect(isWanted(name, wanted)).toBe(expected);
  });

  it('accepts the names of kube-controller-manager, and no others', () => {
    const wanted = ['*', '-*', 'deployment-controller', '-deployment', 'gone', '-constructor'];
    expect(unknownControllers(wanted)).toEqual(['gone', '-constructor']);
    expect(controllersElsewhere(wanted)).toEqual(['deployment-controller']);
  });
});
