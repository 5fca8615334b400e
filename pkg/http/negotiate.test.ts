import { describe, expect, it } from 'vitest';
import {
  allowsMeta,
  bodyEncoding,
  negotiate,
  patchTypeOf,
  representationOf,
  type Shape,
  supportedEncodings,
  wantsPretty,
} from './negotiate.js';
import { Query } from './requestinfo.js';

const server = supportedEncodings(false);

function form(accept: string | undefined, shape: Shape = 'list', query = '') {
  return representationOf({ accept, query: new Query(query), userAgent: 'x' }, server, shape, '*core.Secret');
}

describe('the Accept header', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['*/*', 'json'],
    ['application/*', 'json'],
    ['application/yaml', 'yaml'],
    ['application/vnd.kubernetes.protobuf,application/json', 'protobuf'],
    ['application/json;q=0.5, application/yaml;q=0.9', 'yaml'],
    ['*/*;q=0.1,application/yaml', 'yaml'],
    ['*/*,application/yaml', 'yaml'],
    ['text/nope, application/yaml', 'yaml'],
    ['application/json;;', 'json'],
    ['application/json;as', 'json'],
    ['application/cbor,application/json', 'json'],
  ])('%s selects %s', (accept, encoding) => {
    expect(negotiate(accept, server, allowsMeta)?.encoding).toBe(encoding);
  });

  it.each([
    'text/html',
    'json',
    '/',
    ';',
    ',',
    'a/b/c',
    'application/cbor',
    'application/json;stream=other',
    'application/yaml;stream=watch',
    'application/json;as=Nope;g=meta.k8s.io;v=v1',
  ])('%s cannot be satisfied', (accept) => {
    expect(negotiate(accept, server, allowsMeta)).toBeUndefined();
  });

  it('may select tables and partial metadata', () => {
    const table = 'application/json;as=Table;g=meta.k8s.io;v=v1';
    expect(form(table)).toEqual({
      encoding: 'json',
      form: 'table',
      metaVersion: 'v1',
      includeObject: 'Metadata',
      pretty: false,
    });
    expect(form(`${table},application/json`, 'object', 'includeObject=None').includeObject).toBe('None');
    expect(form('application/json;as=Table;g=meta.k8s.io;v=v2,application/json').form).toBe('object');
    expect(
      form('application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io'),
    ).toMatchObject({ encoding: 'protobuf', form: 'metadata', metaVersion: 'v1beta1', ofLists: true });
    expect(() => form('application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1')).toThrow(
      'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
    const cbor = supportedEncodings(true);
    expect(negotiate('application/cbor;as=Table;g=meta.k8s.io;v=v1', cbor, allowsMeta)).toBeUndefined();
    expect(() => form('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1')).toThrow(
      'you requested PartialObjectMetadata, but the requested object is a list (*core.SecretList)',
    );
    expect(() => form('application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1', 'object')).toThrow(
      'you requested PartialObjectMetadataList, but the requested object is not a list (*core.Secret)',
    );
    expect(() => form(table, 'list', 'includeObject=Bad')).toThrow(
      `Unable to convert to Table as requested: includeObject: Invalid value: "Bad": must be 'Metadata', 'Object', 'None', or empty`,
    );
  });

  it('may select streams, which matters for watches only', () => {
    for (const shape of ['object', 'list', 'watch'] as const)
      expect(form('application/json;stream=watch', shape).encoding).toBe('json');
    expect(() => form('application/json;stream=other', 'watch')).toThrow('only the following media types');
  });

  it('may select CBOR with the feature gate, but not a sequence by name', () => {
    const cbor = supportedEncodings(true);
    expect(negotiate('application/cbor', cbor, allowsMeta)?.encoding).toBe('cbor');
    const watched = (accept: string) =>
      representationOf({ accept, query: new Query(''), userAgent: 'x' }, cbor, 'watch', '*core.Secret');
    expect(watched('application/cbor').encoding).toBe('cbor');
    expect(watched('application/cbor-seq,application/json').encoding).toBe('json');
    expect(() => watched('application/cbor-seq')).toThrow('only the following media types');
    expect(negotiate('application/cbor', server, allowsMeta)).toBeUndefined();
  });

  it('excludes YAML for watches', () => {
    expect(form('application/yaml').encoding).toBe('yaml');
    for (const accept of ['application/yaml', 'application/yaml,application/json', 'application/yaml;stream=watch'])
      expect(() => form(accept, 'watch')).toThrow('only the following media types');
    expect(() => form('application/yaml', 'watch')).toThrow(
      'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
    );
    expect(form('application/yaml;q=0.5,application/json', 'watch').encoding).toBe('json');
  });
});

describe('a response without columns', () => {
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const review = (accept: string) =>
    representationOf(
      { accept, query: new Query(''), userAgent: 'x', withoutTable: true },
      server,
      'object',
      '*authorization.SelfSubjectAccessReview',
    );

  it('is not a Table', () => {
    expect(() => review(table)).toThrow(expect.objectContaining({ status: expect.objectContaining({ code: 406 }) }));
  });

  it('has the next type of the header', () => {
    expect(review(`${table},application/yaml`)).toMatchObject({ form: 'object', encoding: 'yaml' });
  });
});

describe('indentation', () => {
  it.each([
    ['pretty=true', 'x', true],
    ['pretty=1', 'x', true],
    ['pretty=odd', 'curl/8', false],
    ['pretty=0', 'curl/8', false],
    ['', 'curl/8', true],
    ['', 'Mozilla/5.0 (X11)', true],
    ['', 'kubectl/v1', false],
  ])('query %j, user agent %s: %s', (query, userAgent, expected) => {
    expect(wantsPretty({ accept: undefined, query: new Query(query), userAgent }, false)).toBe(expected);
  });
});

describe('the encoding of a body', () => {
  it.each([
    [undefined, 'json'],
    ['', 'json'],
    ['application/json; charset=utf-8', 'json'],
    ['Application/YAML', 'yaml'],
    ['application/vnd.kubernetes.protobuf', 'protobuf'],
  ])('%s is %s', (type, encoding) => {
    expect(bodyEncoding(type, server)).toBe(encoding);
  });

  it.each(['text/plain', 'application/json; charset', '*/*', 'application/cbor', 'application/merge-patch+json'])(
    '%s is unknown',
    (type) => {
      expect(() => bodyEncoding(type, server)).toThrow('the body of the request was in an unknown format');
    },
  );

  it('may be CBOR if the feature gate is on', () => {
    expect(bodyEncoding('application/cbor', supportedEncodings(true))).toBe('cbor');
  });
});

describe('the content type of a patch', () => {
  const server = { encodings: ['json', 'yaml'], types: [] } as unknown as Parameters<typeof patchTypeOf>[1];

  it('is an error of the route for a built-in kind, and lists the accepted types for a custom resource', () => {
    expect(() => patchTypeOf('text/plain', server, true)).toThrow('415: Unsupported Media Type');
    // The route finds one of the types, but the handler reads the whole header as one.
    expect(() => patchTypeOf('application/json, text/plain', server, true)).toThrow('415: Unsupported Media Type');
    for (const type of ['application/merge-patch+json, text/plain', 'a, application/merge-patch+json; b'])
      expect(() => patchTypeOf(type, server, true)).toThrow('accepted media types include');
    expect(patchTypeOf('application/merge-patch+json; a, b', server, true).type).toBe('merge');
    for (const type of ['text/plain', 'application/strategic-merge-patch+json'])
      expect(() => patchTypeOf(type, server, false)).toThrow(
        'accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      );
  });
});
