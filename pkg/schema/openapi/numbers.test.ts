import { expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import type { ApiResource } from './served.js';
import { createOpenApi } from './service.js';

const BIG = 9007199254740993n;

it('has the integers beyond 2^53 of a custom resource', async () => {
  const schema = (): JsonObject => ({
    type: 'object',
    properties: {
      a: { type: 'integer', default: BIG, enum: [BIG, 1], example: { x: [BIG] } },
      b: { type: 'string', maxLength: BIG },
    },
  });
  const custom = { listKind: 'BigList', schema };
  const resource: ApiResource = {
    name: 'bigs',
    kind: 'Big',
    namespaced: true,
    verbs: ['get'],
    subresources: [],
    custom,
  };
  const groupVersions = [{ group: 'big.io', version: 'v1', resources: [resource] }];
  const api = { version: 'v1', groupVersions };
  const openapi = createOpenApi({ now: () => 0, api, pause: () => Promise.resolve() });

  const v3 = (await openapi.v3('apis/big.io/v1'))!.bytes.toString();
  expect(v3).toContain(
    `"a":{"type":"integer","default":${BIG},"enum":[${BIG},1],"example":{"x":[${BIG}]}},"b":{"type":"string","maxLength":${BIG}}`,
  );
  // kube-apiserver reads these two as doubles.
  expect((await openapi.v2('json')).bytes.toString()).toContain(
    `"a":{"type":"integer","enum":[9007199254740992,1],"example":{"x":[9007199254740992]}},"b":{"type":"string","maxLength":${BIG}}`,
  );
  expect((await openapi.v3('apis/big.io/v1', 'protobuf'))!.bytes.includes(`${BIG}`)).toBe(true);
  // maxLength: field 11, the bytes of 2^53 + 1
  const length = Buffer.from([11 << 3, 0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10]);
  expect((await openapi.v2('protobuf')).bytes.includes(length)).toBe(true);
});
