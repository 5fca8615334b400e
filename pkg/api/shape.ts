import type { JsonObject, JsonValue } from './json.js';

/*
 * Field names that the compiler checks. A `Shaped<Pod>` is a plain JSON object at run time; its type says which fields it has, and the
 * readers in `access.ts` and the builders of field paths accept no others. The shapes are generated from the schemas.
 */

declare const SHAPE: unique symbol;

/** A JSON object with the fields of `T`. Any JSON object may be used as one. */
export type Shaped<T> = JsonObject & { readonly [SHAPE]?: T };

/** A JSON value of unknown shape. */
export type Unshaped = Exclude<JsonValue, JsonObject> | Shaped<never>;

/** Marks a field path with the shape of the value that it leads to. */
export interface HasShape<T> {
  readonly [SHAPE]?: T;
}

type Leaf = string | number | bigint | boolean | null;

/** The names of the fields of `T`; any name where `T` is not known. */
export type FieldName<T> = unknown extends T ? string : T extends Leaf | readonly unknown[] ? never : keyof T & string;

/** The shape of a field. */
export type FieldShape<T, K> = unknown extends T ? unknown : K extends keyof T ? NonNullable<T[K]> : never;

/** The shape of the items of a list. */
export type ItemShape<T> = T extends readonly (infer Item)[] ? Item : unknown;

/** Reads a value at a path of field names, and returns an `R` whatever the path. */
export interface FieldReader<R> {
  (o: Unshaped | undefined, ...path: readonly string[]): R;
  <T, A extends FieldName<T>>(o: Shaped<T> | undefined, a: A): R;
  <T, A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(o: Shaped<T> | undefined, a: A, b: B): R;
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
  >(
    o: Shaped<T> | undefined,
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
    o: Shaped<T> | undefined,
    a: A,
    b: B,
    c: C,
    d: D,
  ): R;
}

/** Reads an object, which has the shape that the path leads to. */
export interface ObjectReader {
  (o: Unshaped | undefined, ...path: readonly string[]): JsonObject;
  <T, A extends FieldName<T>>(o: Shaped<T> | undefined, a: A): Shaped<FieldShape<T, A>>;
  <T, A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(
    o: Shaped<T> | undefined,
    a: A,
    b: B,
  ): Shaped<FieldShape<FieldShape<T, A>, B>>;
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
  >(
    o: Shaped<T> | undefined,
    a: A,
    b: B,
    c: C,
  ): Shaped<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>;
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
    D extends FieldName<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>,
  >(
    o: Shaped<T> | undefined,
    a: A,
    b: B,
    c: C,
    d: D,
  ): Shaped<FieldShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>, D>>;
}

/** Reads a list of objects, which have the shape of its items. */
export interface ObjectsReader {
  (o: Unshaped | undefined, ...path: readonly string[]): readonly JsonObject[];
  <T, A extends FieldName<T>>(o: Shaped<T> | undefined, a: A): readonly Shaped<ItemShape<FieldShape<T, A>>>[];
  <T, A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(
    o: Shaped<T> | undefined,
    a: A,
    b: B,
  ): readonly Shaped<ItemShape<FieldShape<FieldShape<T, A>, B>>>[];
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
  >(
    o: Shaped<T> | undefined,
    a: A,
    b: B,
    c: C,
  ): readonly Shaped<ItemShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>>[];
  <
    T,
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
    D extends FieldName<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>,
  >(
    o: Shaped<T> | undefined,
    a: A,
    b: B,
    c: C,
    d: D,
  ): readonly Shaped<ItemShape<FieldShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>, D>>>[];
}
