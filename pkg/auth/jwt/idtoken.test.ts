import { describe, expect, it } from 'vitest';
import { idTokenOf } from './idtoken.js';

const problem = (payload: string): string => {
  try {
    idTokenOf(payload);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('an ID token', () => {
  it('has its claims in any case, and the last of several', () => {
    expect(idTokenOf('{"iss":"a","aud":"x","exp":"2","ISS":"b","AUD":["y",null],"Exp":3.9,"nbf":null}')).toEqual({
      issuer: 'b',
      audiences: ['y', ''],
      expiry: 3n,
      notBefore: undefined,
    });
    expect(idTokenOf('{"exp":9223372036854775807}').expiry).toBe(2n ** 63n - 1n);
    expect(idTokenOf('{"exp":9223372036854775808}').expiry).toBe(-(2n ** 63n));
    expect(idTokenOf('{}').expiry).toBe(-62_135_596_800n);
  });

  it.each([
    ['{"sub":true}', 'json: cannot unmarshal bool into Go struct field idToken.sub of type string'],
    ['{"aud":1}', 'json: cannot unmarshal number into Go struct field idToken.aud of type []string'],
    ['{"aud":[{}]}', 'json: cannot unmarshal object into Go struct field idToken.aud of type string'],
    ['{"IAT":[]}', 'json: cannot unmarshal array into Go struct field idToken.iat of type json.Number'],
    ['{"exp":null}', 'strconv.ParseFloat: parsing "": invalid syntax'],
    ['{"exp":1e400}', 'strconv.ParseFloat: parsing "1e400": value out of range'],
    ['{"nbf":"x"}', 'json: invalid number literal, trying to unmarshal "\\"x\\"" into Number'],
  ])('is refused as by kube-apiserver: %s', (payload, expected) => {
    expect(problem(payload)).toBe(expected);
  });
});
