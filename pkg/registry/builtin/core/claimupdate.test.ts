import { describe, expect, it } from 'vitest';
import { FieldErrors, type JsonObject } from '../../../api/index.js';
import { claimUpdate } from './claimupdate.js';

const CLASS = 'volume.beta.kubernetes.io/storage-class';
const claim = (spec: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  metadata: { name: 'c', annotations },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
});

function told(now: JsonObject, before: JsonObject): readonly string[] {
  const errors = new FieldErrors();
  claimUpdate(now, before, errors);
  return errors.list.map((e) => `${e.field}: ${e.message.split('\n')[0]}`);
}

const FIXED =
  'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

describe('the class of a claim', () => {
  it('may be given to one that has none', () => {
    expect(told(claim({ storageClassName: 'fast' }), claim({}))).toEqual([]);
  });

  it('may not be changed or taken away', () => {
    const named = claim({ storageClassName: 'slow' });
    expect(told(claim({ storageClassName: 'fast' }), named)).toEqual([FIXED]);
    expect(told(claim({}), named)).toEqual([FIXED]);
  });

  it('may move from the annotation to the field', () => {
    const annotated = claim({}, { [CLASS]: 'slow' });
    expect(told(claim({ storageClassName: 'slow' }, { [CLASS]: 'slow' }), annotated)).toEqual([]);
    expect(told(claim({ storageClassName: 'slow' }), annotated)).toEqual([]);
    expect(told(claim({ storageClassName: 'fast' }, { [CLASS]: 'slow' }), annotated)).toEqual([FIXED]);
  });

  it('is immutable when the annotation differs', () => {
    expect(told(claim({}, { [CLASS]: 'fast' }), claim({}, { [CLASS]: 'slow' }))).toEqual([
      `metadata.annotations[${CLASS}]: Invalid value: "fast": field is immutable`,
    ]);
  });
});

describe('what changed', () => {
  it('is reported by lines', () => {
    const errors = new FieldErrors();
    claimUpdate(claim({ volumeMode: 'Block' }), claim({}), errors);
    expect(errors.list[0]?.message).toContain('\n- "VolumeMode": null,\n+ "VolumeMode": "Block",\n');
  });
});
