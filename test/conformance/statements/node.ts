import { rows, type Statement } from './statement.js';

export const runtimeClass: readonly Statement[] = [
  ...rows(
    'RuntimeClass',
    'runtimeclass',
    'create',
    ['the handler is required', { handler: undefined }, 'handler'],
    ['the handler is in lower case', { handler: 'Runc' }, 'handler'],
    ['the handler is a DNS label', { handler: 'a.b' }, 'handler'],
    [
      'the overhead has resources',
      { 'overhead.podFixed': { cpu: '250m' } },
      { shows: { 'overhead.podFixed.cpu': '250m' } },
    ],
    ['the handler has at most 63 characters', { handler: 'a'.repeat(64) }, 'handler'],
    ['the overhead is not negative', { 'overhead.podFixed': { cpu: '-1' } }, 'overhead.limits[cpu]'],
    ['scheduling has labels of nodes', { 'scheduling.nodeSelector': { a: 'b' } }, 201],
    ['the labels of nodes are labels', { 'scheduling.nodeSelector': { 'not valid!': 'b' } }, 'scheduling.nodeSelector'],
    ['scheduling has tolerations', { 'scheduling.tolerations': [{ key: 'a', operator: 'Exists' }] }, 201],
    [
      'scheduling has each toleration once',
      { 'scheduling.tolerations': [{ key: 'a' }, { key: 'a' }] },
      'scheduling.tolerations[1]',
    ],
  ),
  ...rows('RuntimeClass', 'runtimeclass', 'update', ['the handler does not change', { handler: 'kata' }, 'handler']),
];
