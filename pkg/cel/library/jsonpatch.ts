import { declare, type Library } from '../environment.js';
import { noOverload } from '../values.js';

/** `jsonpatch.escapeKey(s)`: a key as one token of a JSON pointer (RFC 6901). */
export const jsonPatchLibrary: Library = {
  functions: [
    declare('jsonpatch.escapeKey', ['string_jsonpatch_escapeKey_string: (string): string'], (key) =>
      typeof key === 'string'
        ? key.replaceAll('~', '~0').replaceAll('/', '~1')
        : noOverload('jsonpatch.escapeKey', key),
    ),
  ],
};
