import { describe, expect, it } from 'vitest';
import { MalformedPath, Query, requestInfo } from './requestinfo.js';

function info(method: string, url: string) {
  const { query: _query, ...rest } = requestInfo(method, url);
  return rest;
}

const none = {
  kind: 'resource',
  group: '',
  version: 'v1',
  namespace: '',
  name: '',
  subresource: '',
  rest: [],
  legacyWatch: false,
};

describe('requestInfo', () => {
  it.each([
    ['GET', '/api/v1/pods', { ...none, resource: 'pods', verb: 'list' }],
    ['GET', '/api/v1/pods/', { ...none, path: '/api/v1/pods/', resource: 'pods', verb: 'list' }],
    [
      'GET',
      '/api/v1/namespaces/a/pods/p?watch=true',
      { ...none, path: '/api/v1/namespaces/a/pods/p', namespace: 'a', resource: 'pods', name: 'p', verb: 'get' },
    ],
    [
      'GET',
      '/api/v1/namespaces/a/pods/p/log?watch=true',
      {
        ...none,
        path: '/api/v1/namespaces/a/pods/p/log',
        namespace: 'a',
        resource: 'pods',
        name: 'p',
        subresource: 'log',
        verb: 'get',
      },
    ],
    ['GET', '/api/v1/pods?watch=1', { ...none, path: '/api/v1/pods', resource: 'pods', verb: 'watch' }],
    ['HEAD', '/api/v1/nodes/n', { ...none, resource: 'nodes', name: 'n', verb: 'get' }],
    ['POST', '/api/v1/namespaces/a/pods', { ...none, namespace: 'a', resource: 'pods', verb: 'create' }],
    [
      'PUT',
      '/api/v1/namespaces/a/pods/p/status',
      { ...none, namespace: 'a', resource: 'pods', name: 'p', subresource: 'status', verb: 'update' },
    ],
    ['GET', '/api/v1/namespaces', { ...none, resource: 'namespaces', verb: 'list' }],
    ['DELETE', '/api/v1/namespaces/a', { ...none, namespace: 'a', resource: 'namespaces', name: 'a', verb: 'delete' }],
    [
      'PUT',
      '/api/v1/namespaces/a/finalize',
      { ...none, namespace: 'a', resource: 'namespaces', name: 'a', subresource: 'finalize', verb: 'update' },
    ],
    [
      'DELETE',
      '/apis/apps/v1/namespaces/a/deployments',
      { ...none, group: 'apps', namespace: 'a', resource: 'deployments', verb: 'deletecollection' },
    ],
    [
      'PATCH',
      '/apis/apps/v1/namespaces/a/deployments/d/scale',
      {
        ...none,
        group: 'apps',
        namespace: 'a',
        resource: 'deployments',
        name: 'd',
        subresource: 'scale',
        verb: 'patch',
      },
    ],
    [
      'GET',
      '/api/v1/watch/namespaces/a/pods/p',
      { ...none, namespace: 'a', resource: 'pods', name: 'p', legacyWatch: true, verb: 'watch' },
    ],
    [
      'GET',
      '/api/v1/watch/pods?watch=false',
      { ...none, path: '/api/v1/watch/pods', resource: 'pods', legacyWatch: true, verb: 'watch' },
    ],
    ['POST', '/api/v1/watch/pods', { ...none, resource: 'pods', legacyWatch: true, verb: 'watch' }],
    [
      'DELETE',
      '/api/v1/proxy/namespaces/a/pods/p/x',
      { ...none, namespace: 'a', resource: 'pods', name: 'p', verb: 'proxy' },
    ],
    ['GET', '/api/v1/proxy', { ...none, resource: 'proxy', verb: 'list' }],
    ['GET', '/api/v1/watch', { ...none, resource: 'watch', verb: 'list' }],
    [
      'GET',
      '/api/v1/namespaces/a/services/s/proxy/x/y',
      { ...none, namespace: 'a', resource: 'services', name: 's', subresource: 'proxy', rest: ['x', 'y'], verb: 'get' },
    ],
    ['FROB', '/api/v1/pods', { ...none, resource: 'pods', verb: '' }],
    [
      'DELETE',
      '/api/v1/namespaces/a/configmaps/A%20B',
      {
        ...none,
        path: '/api/v1/namespaces/a/configmaps/A B',
        namespace: 'a',
        resource: 'configmaps',
        name: 'A B',
        verb: 'delete',
      },
    ],
    [
      'PUT',
      '/api/v1/namespaces/a/configmaps/a%2Fb',
      {
        ...none,
        path: '/api/v1/namespaces/a/configmaps/a/b',
        namespace: 'a',
        resource: 'configmaps',
        name: 'a',
        subresource: 'b',
        verb: 'update',
      },
    ],
  ])('%s %s', (method, url, expected) => {
    expect(info(method, url)).toEqual({ path: url, ...expected });
  });

  it.each([
    '/',
    '/api',
    '/api/v1',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/apis/apps/v1/',
    '/version',
    '/apiary/v1/pods/x',
    '/API/v1/pods',
  ])('%s is a path', (path) => {
    expect(info('GET', path)).toEqual({ kind: 'path', path });
  });

  it('rejects broken percent encoding', () => {
    expect(() => requestInfo('GET', '/api/v1/pods/%zz')).toThrow(MalformedPath);
  });
});

describe('Query', () => {
  it('returns the first value, and ignores broken encoding', () => {
    const q = new Query('a=1&a=2&b&c=x+y%20z&d=%zz&&=e');
    expect([q.text('a'), q.all('a'), q.text('b'), q.has('b'), q.text('c'), q.has('d'), q.text('x')]).toEqual([
      '1',
      ['1', '2'],
      '',
      true,
      'x y z',
      false,
      '',
    ]);
  });

  it.each([
    ['watch', true],
    ['watch=', true],
    ['watch=yes', true],
    ['watch=f', true],
    ['watch=0', false],
    ['watch=False', false],
    ['x=1', false],
  ])('flag of %s', (text, expected) => {
    expect(new Query(text).flag('watch')).toBe(expected);
  });

  it.each([
    ['', 'strconv.ParseInt: parsing "": invalid syntax'],
    ['1.5', 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    [' 1', 'strconv.ParseInt: parsing " 1": invalid syntax'],
    ['0x1', 'strconv.ParseInt: parsing "0x1": invalid syntax'],
    ['9223372036854775808', 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
  ])('integer %j is refused', (text, message) => {
    expect(() => new Query(`limit=${encodeURIComponent(text)}`).integer('limit')).toThrow(message);
  });

  it('reads integers of either sign', () => {
    expect([new Query('n=-5').integer('n'), new Query('n=%2B5').integer('n'), new Query('').integer('n')]).toEqual([
      -5,
      5,
      undefined,
    ]);
  });

  it('keeps a value that is no UTF-8: a selector of it must not count as absent', () => {
    const q = new Query('labelSelector=%ffa+%C3%A9&fieldSelector=%f');
    expect([q.text('labelSelector'), q.has('fieldSelector')]).toEqual(['\ufffda \u00e9', false]);
  });
});
