import type { JsonArray, JsonObject, JsonValue } from './json.js';

/**
 * Field names that the compiler checks. A `Shaped<Pod>` is a plain JSON object at run time. Its type lists its fields,
 * so `pod['spce']` does not compile, and the accessors in `access.ts` and the builders of field paths accept no other
 * names either. The shapes are generated from the schemas. They do not include the types of scalars: a value is
 * narrowed before it is used.
 */

declare const SHAPE: unique symbol;

type Leaf = string | number | bigint | boolean | null;

/** The fields of an object of unknown shape. */
export type AnyFields = { readonly [field: string]: unknown };

/** A JSON object with the fields of `T`. It is assignable to and from any JSON object. */
export type Shaped<T> = { -readonly [K in keyof T]: Value<T[K]> } & HasShape<T>;

/** A JSON value that has the shape of `T` if it is an object or a list of objects. */
export type Value<T> = unknown extends T
  ? JsonValue
  : T extends Leaf
    ? JsonValue
    : T extends readonly (infer Item)[]
      ? Leaf | JsonObject | Value<Item>[]
      : Leaf | JsonArray | Shaped<T>;

/** A JSON value of unknown shape. */
export type Unshaped = Exclude<JsonValue, JsonObject> | (JsonObject & HasShape<never>);

/** The names of the fields of `T`; any name if `T` is not known. */
export type FieldName<T> = unknown extends T ? string : T extends Leaf | readonly unknown[] ? never : keyof T & string;

/** The names of the fields of an object: of all its shapes, if it has one of several. */
export type FieldOf<O> = O extends unknown ? keyof O & string : never;

/** The shape of a field. */
export type FieldShape<T, K> = unknown extends T
  ? unknown
  : T extends unknown
    ? K extends keyof T
      ? unknown extends T[K]
        ? unknown
        : NonNullable<T[K]>
      : never
    : never;

/** The shape of the items of a list. */
export type ItemShape<T> = T extends readonly (infer Item)[] ? Item : unknown;

/** The shape of the values of a map. */
export type EntryShape<T> = T extends { readonly [key: string]: infer Entry } ? Entry : unknown;

export type ObjectOf<T> = Shaped<unknown extends T ? AnyFields : T>;

/** The argument of the accessors: an object of a known shape, or any other value, which reads as empty. */
export type Readable<T> = Leaf | JsonArray | HasShape<T> | undefined;

/** Marks an object, or a field path, with the shape of the value. */
export type HasShape<T> = { readonly [SHAPE]?: T };

/** Reads a value at a path of field names, and returns an `R` for any path. */
export interface FieldReader<R> {
  (o: Unshaped | undefined, ...path: readonly string[]): R;
  <T>(o: Readable<T>): R;
  <T, A extends FieldName<T>>(o: Readable<T>, a: A): R;
  <T, A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(o: Readable<T>, a: A, b: B): R;
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
  ): R;
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
    D extends FieldName<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
    d: D,
  ): R;
}

/** Reads a value, with the shape at the end of the path. */
export interface ValueReader {
  (o: Unshaped | undefined, ...path: readonly string[]): JsonValue | undefined;
  <T>(o: Readable<T>): Value<T> | undefined;
  <T, A extends FieldName<T>>(o: Readable<T>, a: A): Value<FieldShape<T, A>> | undefined;
  <T, A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(
    o: Readable<T>,
    a: A,
    b: B,
  ): Value<FieldShape<FieldShape<T, A>, B>> | undefined;
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
  ): Value<FieldShape<FieldShape<FieldShape<T, A>, B>, C>> | undefined;
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
    D extends FieldName<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
    d: D,
  ): Value<FieldShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>, D>> | undefined;
}

/** Reads an object, with the shape at the end of the path. */
export interface ObjectReader {
  (o: Unshaped | undefined, ...path: readonly string[]): JsonObject;
  <T>(o: Readable<T>): ObjectOf<T>;
  <T, A extends FieldName<T>>(o: Readable<T>, a: A): ObjectOf<FieldShape<T, A>>;
  <T, A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(
    o: Readable<T>,
    a: A,
    b: B,
  ): ObjectOf<FieldShape<FieldShape<T, A>, B>>;
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
  ): ObjectOf<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>;
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
    D extends FieldName<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
    d: D,
  ): ObjectOf<FieldShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>, D>>;
}

/** Reads a list, whose items have the shape at the end of the path. */
export interface ListReader {
  (o: Unshaped | undefined, ...path: readonly string[]): JsonArray;
  <T>(o: Readable<T>): Value<ItemShape<T>>[];
  <T, A extends FieldName<T>>(o: Readable<T>, a: A): Value<ItemShape<FieldShape<T, A>>>[];
  <T, A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(
    o: Readable<T>,
    a: A,
    b: B,
  ): Value<ItemShape<FieldShape<FieldShape<T, A>, B>>>[];
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
  ): Value<ItemShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>>[];
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
    D extends FieldName<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
    d: D,
  ): Value<ItemShape<FieldShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>, D>>>[];
}

/** Reads the objects of a list, which have the shape of its items. */
export interface ObjectsReader {
  (o: Unshaped | undefined, ...path: readonly string[]): readonly JsonObject[];
  <T>(o: Readable<T>): readonly ObjectOf<ItemShape<T>>[];
  <T, A extends FieldName<T>>(o: Readable<T>, a: A): readonly ObjectOf<ItemShape<FieldShape<T, A>>>[];
  <T, A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(
    o: Readable<T>,
    a: A,
    b: B,
  ): readonly ObjectOf<ItemShape<FieldShape<FieldShape<T, A>, B>>>[];
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
  ): readonly ObjectOf<ItemShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>>[];
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
    D extends FieldName<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>,
  >(
    o: Readable<T>,
    a: A,
    b: B,
    c: C,
    d: D,
  ): readonly ObjectOf<ItemShape<FieldShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>, D>>>[];
}
