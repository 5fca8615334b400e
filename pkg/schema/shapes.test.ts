import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FieldPath, isObject, type JsonObject, objectAt, objectsAt, type Shaped, textAt } from '../api/index.js';
import type { shapes } from './index.js';
import { shapesText } from './shapestext.js';

describe('shapes', () => {
  it('gen/shapes.d.ts matches the schemas; node scripts/generate-shapes.mjs writes it', () => {
    const file = fileURLToPath(new URL('./gen/shapes.d.ts', import.meta.url));
    expect(readFileSync(file, 'utf8') === shapesText()).toBe(true);
  });

  it('let the compiler reject misspelt field names', () => {
    const pod: Shaped<shapes.CoreV1Pod> = { spec: { nodeName: 'n', containers: [{ name: 'c' }] } };
    expect(textAt(pod, 'spec', 'nodeName')).toBe('n');
    expect(objectsAt(pod, 'spec', 'containers').map((c) => textAt(c, 'name'))).toEqual(['c']);
    // @ts-expect-error: nodeName
    expect(textAt(pod, 'spec', 'nodename')).toBe('');
    // @ts-expect-error: containers
    expect(objectsAt(pod, 'spec', 'container')).toEqual([]);
    // @ts-expect-error: name
    expect(objectsAt(pod, 'spec', 'containers').map((c) => textAt(c, 'nam'))).toEqual(['']);
    // @ts-expect-error: spec
    expect(objectAt(pod, 'specs')).toEqual({});
  });

  it('check names in brackets, in assigned values, and after narrowing', () => {
    const pod: Shaped<shapes.CoreV1Pod> = { spec: { nodeName: 'n' } };
    const spec = pod['spec'];
    expect(isObject(spec) && spec['nodeName']).toBe('n');
    // @ts-expect-error: nodeName
    expect(isObject(spec) && spec['nodename']).toBe(undefined);
    // @ts-expect-error: status
    pod['stauts'] = {};
    // @ts-expect-error: phase
    pod['status'] = { fase: 'Pending' };
    const any: JsonObject = pod; // a shaped object is assignable to any object, and any object to a shaped one
    const again: Shaped<shapes.CoreV1Pod> = any;
    expect(again).toBe(pod);
  });

  it('check the names in field paths', () => {
    const spec = FieldPath.in<shapes.CoreV1Pod>().child('spec');
    expect(String(spec.child('containers').index(0).child('ports'))).toBe('spec.containers[0].ports');
    // @ts-expect-error: containers
    expect(String(spec.child('container'))).toBe('spec.container');
    // @ts-expect-error: ports
    expect(String(spec.child('containers').index(0).child('port'))).toBe('spec.containers[0].port');
  });
});
