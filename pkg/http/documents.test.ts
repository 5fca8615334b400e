import { expect, it } from 'vitest';
import { encodeDocument } from './documents.js';

it.each([true, false])('escapes in JSON what kube-apiserver escapes: indented %s', (pretty) => {
  const document = { kind: 'Status', apiVersion: 'v1', message: '<a>&\u2028\u2029é"' };
  const text = encodeDocument(document, 'json', pretty).toString();
  expect(text).toContain('"\\u003ca\\u003e\\u0026\\u2028\\u2029é\\""');
  expect(JSON.parse(text)).toEqual(document);
});
