import { describe, expect, it } from 'vitest';
import { FieldErrors, type JsonObject } from '../../../api/index.js';
import { Bench, causesOf } from '../../testing.js';
import { volumeUpdate } from './volumerules.js';

const volume = (csi: JsonObject): JsonObject => ({
  metadata: { name: 'v' },
  spec: { csi: { driver: 'd.example.com', volumeHandle: 'h', ...csi } },
});

function told(now: JsonObject, before: JsonObject): readonly string[] {
  const errors = new FieldErrors();
  volumeUpdate(volume(now), volume(before), errors);
  return errors.list.map((e) => `${e.field}: ${e.message}`);
}

describe('the node expansion secret of a volume', () => {
  const a = { controllerExpandSecretRef: { name: 'a', namespace: 'n' } };
  const b = { controllerExpandSecretRef: { name: 'b', namespace: 'n' } };

  it('may be set on a volume that has none', () => {
    expect(told(a, {})).toEqual([]);
  });

  it('is immutable once set', () => {
    const fixed = expect.stringContaining('spec.persistentvolumesource is immutable after creation');
    expect(told(b, a)).toEqual([fixed]);
    expect(told({}, a)).toEqual([fixed]);
  });

  it('does not hide other changes, and is not reported as one', () => {
    const [sentence = ''] = told({ ...a, readOnly: true }, {});
    expect(sentence).toContain('"ReadOnly": true');
    expect(sentence).not.toContain('"Name": "a"');
  });
});

describe('an empty class of attributes', () => {
  const spec: JsonObject = {
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'd.example.com', volumeHandle: 'h' },
    volumeAttributesClassName: '',
  };

  it('is an error of a volume, and not of one inside an attachment', async () => {
    const b = await Bench.open();
    const volume = {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'v' },
      spec: { ...spec, capacity: { storage: '1' } },
    };
    expect(await causesOf(b.create('persistentvolumes', '', volume))).toEqual([
      expect.stringContaining('spec.volumeAttributesClassName'),
    ]);
    const attachment = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'a' },
      spec: { attacher: 'd.example.com', nodeName: 'n', source: { inlineVolumeSpec: spec } },
    };
    await b.create('volumeattachments.storage.k8s.io', '', attachment);
  });
});
