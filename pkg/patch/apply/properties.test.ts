import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cloneJson, isObject, type JsonArray, type JsonObject, type JsonValue } from '../../api/index.js';
import { finish, PutOff } from '../../base/index.js';
import { PatchError } from '../errors.js';
import { difference, type FieldSet, setOfNames, sortedSet, union, withNamedFields } from './field-set.js';
import { applyObject, updateManagedFields } from './manager.js';
import { thing, things, Written } from './testing.js';
import { everythingIn, fieldsOf } from './to-set.js';

/**
 * Configurations with all types of fields. Every manager uses the same value for a field, so any two configurations
 * agree.
 */
function configuration(choices: 1 | 2): fc.Arbitrary<JsonObject> {
  const some = <T>(first: T, second: T) => (choices === 1 ? fc.constant(first) : fc.constantFrom(first, second));
  const word = some('v', 'w');
  const optional = { requiredKeys: [] };
  const item = fc.record(
    {
      name: fc.constantFrom('i', 'j'),
      protocol: fc.constantFrom('TCP', 'UDP'),
      value: word,
      list: fc.subarray(['p', 'q']),
      inner: fc.record({ a: word, b: word }, optional),
    },
    { requiredKeys: ['name'] },
  );
  const all = fc.record(
    {
      number: some(1, 2),
      inner: fc.record({ a: word, b: word, deep: fc.record({ x: word }, optional) }, optional),
      map: fc.dictionary(fc.constantFrom('k', 'l'), word),
      set: fc.subarray(['x', 'y', 'z']),
      numbers: fc.subarray([1, 2, 10]),
      whole_list: some(['v'], ['v', 'w']),
      whole: some({ a: 'v' }, { b: 'v' }),
      items: fc.uniqueArray(item, { selector: (i) => `${i.name} ${i.protocol ?? 'TCP'}`, maxLength: 3 }),
      any: fc.record({ l: some([1], [2]), n: word }, optional),
      open: fc.record({ known: word, other: some(1, 2) }, optional),
      // A manager that applies an entry of a map of maps also owns the inner map, and keeps it after others empty it.
      // The generated values avoid this case.
      ...(choices === 1
        ? { maps: fc.dictionary(fc.constantFrom('k', 'l'), fc.dictionary(fc.constantFrom('k', 'l'), word)) }
        : {}),
    },
    optional,
  );
  return all.map((c) => dropEmpty(JSON.parse(JSON.stringify(c)) as JsonObject) as JsonObject);
}

function dropEmpty(v: JsonValue): JsonValue {
  if (Array.isArray(v)) return v.map(dropEmpty);
  if (!isObject(v)) return v;
  const out: JsonObject = {};
  for (const k of Object.keys(v)) {
    const kept = dropEmpty(v[k]!);
    if (!(typeof kept === 'object' && kept !== null && Object.keys(kept).length === 0)) out[k] = kept;
  }
  return out;
}

/** Text of a value without the orders that have no meaning; an absent protocol is added. */
function canonical(v: JsonValue, place = ''): string {
  if (Array.isArray(v)) {
    const list = v.map((x) => canonical(x, place === 'items' ? 'item' : ''));
    return `[${(place === 'whole_list' || place === 'l' ? list : list.sort()).join()}]`;
  }
  if (!isObject(v)) return JSON.stringify(v);
  const o = place === 'item' ? { protocol: 'TCP', ...v } : v;
  const keys = Object.keys(o).sort();
  return `{${keys.map((k) => `${k}:${canonical(o[k]!, k)}`).join()}}`;
}

/** Applies each configuration with its own manager: m0, m1, ... */
function applied(configs: readonly JsonObject[], order = configs.map((_, i) => i)): Written {
  const w = new Written();
  for (const i of order) expect(w.apply(`m${i}`, configs[i]!)).toBe('ok');
  return w;
}

/** The fields that the applier of a configuration owns. */
function ownedOf(config: JsonObject): FieldSet {
  return sortedSet(fieldsOf(config, thing));
}

describe('applied configurations that agree', () => {
  const configs = fc.array(configuration(1), { minLength: 1, maxLength: 4 });

  it('have the same result in any order, and own what they applied', () => {
    const dice = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(configs, dice, (all, at) => {
        const one = applied(all);
        const order = all.map((_, i) => i).sort((x, y) => at[x]! - at[y]!);
        const other = applied(all, order);
        expect(canonical(other.value)).toBe(canonical(one.value));
        expect(other.owners).toEqual(one.owners);
        for (const [i, config] of all.entries()) expect(one.owners[`m${i}`] ?? {}).toEqual(ownedOf(config));
      }),
      { numRuns: 100 },
    );
  });

  it('change nothing when applied again', () => {
    fc.assert(
      fc.property(configs, (all) => {
        const w = applied(all);
        const before = cloneJson(w.object!);
        const last = all.length - 1;
        expect(w.apply(`m${last}`, all[last]!)).toBe('ok');
        expect(w.object).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });

  it('leave nothing behind when all are removed', () => {
    fc.assert(
      fc.property(configs, (all) => {
        const w = applied(all);
        for (const i of all.keys()) expect(w.apply(`m${i}`, {})).toBe('ok');
        expect(w.value).toEqual({});
        expect(w.entries).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  it('keep exactly what the others own when one is removed', () => {
    fc.assert(
      fc.property(configs, (all) => {
        const w = applied(all);
        w.apply('m0', {});
        const { m0: _, ...others } = applied(all).owners;
        expect(w.owners).toEqual(others);
        const owned = withNamedFields(
          Object.values(others).reduce<FieldSet>((a, b) => union(a, b as FieldSet), {}),
          thing,
        );
        const there = withNamedFields(fieldsOf(w.value, thing), thing);
        expect(sortedSet(difference(owned, there))).toEqual({});
        expect(sortedSet(difference(there, owned))).toEqual({});
      }),
      { numRuns: 100 },
    );
  });
});

describe('applied configurations that conflict', () => {
  const write = fc.record({
    manager: fc.constantFrom('a', 'b', 'c'),
    force: fc.boolean(),
    update: fc.boolean(),
    what: configuration(2),
  });

  it('own only existing fields with the applied values, after any forced applies and updates', () => {
    fc.assert(
      fc.property(fc.array(write, { maxLength: 8 }), (writes) => {
        const w = new Written();
        for (const { manager, force, update, what } of writes) {
          const before = w.object === undefined ? undefined : canonical(w.object);
          let outcome: unknown = 'ok';
          if (update) w.update(manager, what);
          else outcome = w.apply(manager, what, { force });
          if (outcome !== 'ok') {
            // A refused apply changed nothing, and succeeds if forced.
            expect(force).toBe(false);
            expect(w.object === undefined ? undefined : canonical(w.object)).toBe(before);
            expect(w.apply(manager, what, { force: true })).toBe('ok');
          }
          if (!update) expect(w.owners[manager] ?? {}).toEqual(ownedOf(what));
          const later = new PutOff();
          const there = everythingIn(w.value, thing, later);
          finish(later.steps());
          for (const [name, set] of Object.entries(w.owners)) {
            // An updater keeps the containers that it created, even if empty; the fields in them must exist.
            const missing = difference(set as FieldSet, there);
            if (!name.endsWith('*')) expect(sortedSet(missing)).toEqual({});
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});

/** Any value that a client could send. */
const wild: fc.Arbitrary<JsonObject> = fc
  .record(
    Object.fromEntries([
      ...thing.fields
        .filter((f) => !['apiVersion', 'kind', 'metadata'].includes(f.name))
        .map((f) => [f.name, fc.jsonValue({ maxDepth: 3 })]),
      ['nosuch', fc.jsonValue()],
    ]),
    { requiredKeys: [] },
  )
  .map((v) => JSON.parse(JSON.stringify(v)) as JsonObject);

describe('arbitrary requests', () => {
  it('an apply succeeds or is refused', () => {
    const mixed = fc.oneof({ arbitrary: configuration(2), weight: 1 }, { arbitrary: wild, weight: 2 });
    const outcomes = new Set<string>();
    fc.assert(
      fc.property(
        fc.array(fc.record({ manager: fc.constantFrom('a', 'b'), what: mixed }), { maxLength: 6 }),
        (writes) => {
          const w = new Written();
          for (const { manager, what } of writes) {
            try {
              outcomes.add(typeof w.apply(manager, what));
            } catch (e) {
              expect(e).toBeInstanceOf(PatchError);
              outcomes.add('refused');
            }
          }
        },
      ),
      { numRuns: 200 },
    );
    expect([...outcomes].sort()).toEqual(['object', 'refused', 'string']);
  });

  it('entries of any form never fail a write', () => {
    const object = (entries: unknown, number: number): JsonObject =>
      JSON.parse(
        JSON.stringify({ ...typed, metadata: { name: 'x', uid: 'u', managedFields: entries }, number }),
      ) as JsonObject;
    const typed = { apiVersion: 't.io/v1', kind: 'Thing' };
    const entry = (fieldsV1: unknown) => [
      { manager: 'z', operation: 'Apply', apiVersion: 't.io/v1', fieldsType: 'FieldsV1', fieldsV1 },
    ];
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.jsonValue({ maxDepth: 5 }), (sent, stored) => {
        for (const entries of [sent, [sent], entry(sent)]) {
          const next = object(entries, 2);
          updateManagedFields({ resource: things, live: object([stored], 1), object: next, manager: 'u', now: 0 });
          const list = ((next['metadata'] as JsonObject)['managedFields'] ?? []) as JsonArray;
          expect(Array.isArray(list)).toBe(true);
          const config = { ...typed, metadata: { name: 'x' }, number: 3 };
          const result = applyObject({
            resource: things,
            live: next,
            applied: config,
            manager: 'a',
            force: true,
            now: 0,
          });
          expect(result).toMatchObject({ kind: 'merged', object: { number: 3 } });
        }
      }),
      { numRuns: 150 },
    );
  });
});

it('a set of field names keeps its paths', () => {
  expect(
    setOfNames([
      ['a', 'b'],
      ['a', 'c'],
    ]),
  ).toEqual({ 'f:a': { 'f:b': {}, 'f:c': {} } });
});
