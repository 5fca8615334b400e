import { finish, invariant, type Steps } from '../base/index.js';
import { type BadValue, isLong, Printed, printed, printedInSteps, withDetail } from './badvalue.js';
import { goJson, goQuote } from './go-format.js';
import { apiLimits } from './limits.js';
import type { EntryShape, FieldName, FieldShape, ItemShape } from './shape.js';

/**
 * The path of a field in an object: `spec.containers[0].env[1].name`, `metadata.labels[app]`. Immutable and cheap to
 * extend: it is formatted only when an error is reported.
 */
export class FieldPath<T = unknown> {
  /** The shape of the value at the path, used only by the compiler. */
  declare readonly shape?: T;
  readonly #parent: FieldPath | undefined;
  readonly #text: string;

  private constructor(parent: FieldPath | undefined, text: string) {
    this.#parent = parent;
    this.#text = text;
  }

  /** The path of the object itself. */
  static readonly root: FieldPath = new FieldPath(undefined, '');

  /** The path of the object itself where kube-apiserver prints it as a pointer to nothing. It has no children. */
  static readonly nil: FieldPath = new FieldPath(undefined, '<nil>');

  /** `FieldPath.of('spec', 'template')` is `spec.template`. */
  static of(...names: readonly string[]): FieldPath {
    return FieldPath.root.child(...names);
  }

  /** A path from an object of the shape `T`: the compiler checks the names of its fields. */
  static in<T>(): FieldPath<T> {
    return FieldPath.root as FieldPath<T>;
  }

  child<A extends FieldName<T>>(a: A): FieldPath<FieldShape<T, A>>;
  child<A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(
    a: A,
    b: B,
  ): FieldPath<FieldShape<FieldShape<T, A>, B>>;
  child<
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
  >(a: A, b: B, c: C): FieldPath<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>;
  child<
    A extends FieldName<T>,
    B extends FieldName<FieldShape<T, A>>,
    C extends FieldName<FieldShape<FieldShape<T, A>, B>>,
    D extends FieldName<FieldShape<FieldShape<FieldShape<T, A>, B>, C>>,
  >(a: A, b: B, c: C, d: D): FieldPath<FieldShape<FieldShape<FieldShape<FieldShape<T, A>, B>, C>, D>>;
  child(...names: unknown extends T ? readonly string[] : never): FieldPath;
  child(...names: readonly string[]): FieldPath {
    let at: FieldPath = this;
    for (const name of names) at = new FieldPath(at, at.#parent === undefined && at.#text === '' ? name : `.${name}`);
    return at;
  }

  /** A child with a name in errors that is not a field, where kube-apiserver reports one. */
  childShownAs(name: string): FieldPath {
    return (this as FieldPath).child(name);
  }

  index(i: number): FieldPath<ItemShape<T>> {
    return new FieldPath(this, `[${i}]`);
  }

  key(k: string): FieldPath<EntryShape<T>> {
    return new FieldPath(this, `[${k}]`);
  }

  toString(): string {
    let out = this.#text;
    for (let at = this.#parent; at !== undefined; at = at.#parent) out = at.#text + out;
    return out;
  }
}

/** The kinds of field error; the name is the `reason` of the Status cause (API conventions). */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'FieldValueTooFew'
  | 'FieldValueTypeInvalid'
  | 'InternalError';

/** One error of an object. `message` omits the path: `Invalid value: "x": must be ...`. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly message: string;
}

/** Where the errors of items that are checked later will stand. */
interface Place {
  readonly errors: (FieldError | Place)[];
}

/** Items of one list that are not checked yet, from `at` on. */
interface Checks {
  readonly errors: Place['errors'];
  readonly items: readonly unknown[];
  readonly f: (item: unknown, index: number) => void;
  readonly weight: number;
  at: number;
}

/**
 * Collects all errors of an object, to report them together. Typical calls are
 * `errors.required(path.child('name'))`, `errors.invalid(path, value, 'must be positive')`.
 *
 * A body of megabytes can have a million errors. Errors beyond the limits are dropped without being formatted.
 */
export class FieldErrors {
  #list: (FieldError | Place)[] = [];
  #characters = 0;
  #count = 0;
  /** The list that the next error goes into: that of a place while its items are checked. */
  #sink = this.#list;
  /** Items visited since the validator or the current step began. */
  #visited = 0;
  /** The next check is the last one. */
  #checks: Checks[] = [];
  /** Checks that were put off since the validator or the current item began, in order. */
  #putOff: Checks[] = [];
  #stepping = false;
  #atOnce = 0;

  /** All errors, in the order of the object. Finishes the checks that were put off. */
  get list(): readonly FieldError[] {
    this.finish();
    return this.#list as readonly FieldError[];
  }

  get empty(): boolean {
    this.finish();
    return this.#count === 0;
  }

  /** Whether further errors are dropped. */
  get full(): boolean {
    return this.#count >= apiLimits.fieldErrorsMax || this.#characters >= apiLimits.fieldErrorCharactersMax;
  }

  /**
   * Checks each item. After some hundred items in one validator the rest are put off: `step` checks them in pieces, so a long list does not
   * delay other requests. Their errors stand where `each` was called. Code after it must not depend on what `f` does; `after` is for such
   * code. `weight` is the cost of an item, in items that are cheap to check.
   */
  each<T>(items: readonly T[], f: (item: T, index: number) => void, weight = 1): void {
    const { length } = items;
    let at = 0;
    if (this.#atOnce > 0 || this.#visited + length * weight <= apiLimits.checkedAtOnce) {
      this.#visited += length * weight;
      while (at < length && (this.#atOnce > 0 || this.#visited <= apiLimits.checkedAtOnce)) f(items[at]!, at++);
      if (at === length) return;
    }
    const errors: Place['errors'] = [];
    this.#sink.push({ errors });
    this.#putOff.push({ errors, items, f: f as (item: unknown, index: number) => void, weight, at });
  }

  /** Counts a check as expensive as this many cheap items, so that further items of `each` are put off. */
  charge(items: number): void {
    this.#visited += items;
  }

  /** Runs `f` when the checks put off so far are done. */
  after(f: () => void): void {
    if (this.#putOff.length === 0) {
      f();
      return;
    }
    const errors: Place['errors'] = [];
    this.#sink.push({ errors });
    this.#putOff.push({ errors, items: [undefined], f, weight: 1, at: 0 });
  }

  /** Runs a long check in steps of its own. Its errors stand where `run` was called. */
  run(check: Steps<void>): void {
    if (this.#atOnce > 0) {
      finish(check);
      return;
    }
    const checks: Checks = {
      errors: [],
      items: [undefined],
      f: () => {
        if (check.next().done !== true) checks.at = 0;
      },
      weight: apiLimits.checkedAtOnce,
      at: 0,
    };
    this.#sink.push({ errors: checks.errors });
    this.#putOff.push(checks);
  }

  /** Runs `f` whole, and reports whether it added errors. */
  adds(f: () => void): boolean {
    const before = this.#count;
    this.#atOnce++;
    try {
      f();
    } finally {
      this.#atOnce--;
    }
    return this.#count > before || this.full;
  }

  /** Runs `f`. When its checks are done, also those that it put off, calls `then` with whether they added errors. */
  judge(f: () => void, then: (added: boolean) => void): void {
    let before = 0;
    this.after(() => {
      before = this.#count;
    });
    f();
    this.after(() => then(this.#count > before || this.full));
  }

  /** Whether checks were put off. */
  get pending(): boolean {
    return this.#checks.length > 0 || this.#putOff.length > 0;
  }

  /** Checks some hundred of the items that were put off. */
  step(): void {
    this.#stepping = true;
    this.#visited = 0;
    try {
      while (this.#visited < apiLimits.checkedAtOnce) {
        // Checks put off by one item come before the next item, in their order.
        while (this.#putOff.length > 0) this.#checks.push(this.#putOff.pop()!);
        const checks = this.#checks.at(-1);
        if (checks === undefined) break;
        if (checks.at >= checks.items.length) {
          this.#checks.pop();
          continue;
        }
        this.#sink = checks.errors;
        this.#visited += checks.weight;
        const i = checks.at++;
        checks.f(checks.items[i], i);
      }
    } finally {
      this.#stepping = false;
      this.#sink = this.#list;
    }
    if (!this.pending) this.#flatten();
  }

  /** Finishes the checks that were put off, in steps. */
  *steps(): Steps<void> {
    while (this.pending) {
      this.step();
      yield;
    }
  }

  /** Finishes the checks that were put off. */
  finish(): void {
    invariant(!this.#stepping, 'the errors of one list were read while its items are checked');
    while (this.pending) this.step();
  }

  /** Puts the errors of places into the list, in order. */
  #flatten(): void {
    const flat: FieldError[] = [];
    const add = (list: Place['errors']): void => {
      for (const e of list) {
        if ('errors' in e) add(e.errors);
        else flat.push(e);
      }
    };
    add(this.#list);
    this.#list = flat;
    this.#sink = flat;
  }

  add(type: FieldErrorType, path: FieldPath | string, message: string): this {
    return this.#tell(type, path, () => message);
  }

  addAll(errors: Iterable<FieldError>): this {
    for (const e of errors) this.#keep(e);
    return this;
  }

  #tell(type: FieldErrorType, path: FieldPath | string, message: () => string): this {
    if (!this.full) this.#keep({ type, field: path.toString(), message: message() });
    return this;
  }

  #keep(error: FieldError): void {
    if (this.full) return;
    this.#sink.push(error);
    this.#count++;
    this.#characters += error.field.length + error.message.length;
  }

  /** Adds an error that shows a value. A long value is printed in steps, where other requests may run. */
  #tellOf(
    type: FieldErrorType,
    path: FieldPath,
    value: BadValue | undefined,
    message: (shown: string) => string,
  ): this {
    if (this.full) return this;
    if (this.#atOnce > 0 || !isLong(value)) return this.#tell(type, path, () => message(printed(value)));
    this.run(this.#printing(type, path, value, message));
    return this;
  }

  *#printing(type: FieldErrorType, path: FieldPath, value: BadValue, message: (shown: string) => string): Steps<void> {
    if (this.full) return;
    const shown = yield* printedInSteps(value);
    this.#tell(type, path, () => message(shown));
  }

  notFound(path: FieldPath, value: BadValue): this {
    return this.#tellOf('FieldValueNotFound', path, value, (shown) => `Not found: ${shown}`);
  }

  required(path: FieldPath, detail = ''): this {
    return this.#tell('FieldValueRequired', path, () => withDetail('Required value', detail));
  }

  duplicate(path: FieldPath, value: BadValue): this {
    return this.#tellOf('FieldValueDuplicate', path, value, (shown) => `Duplicate value: ${shown}`);
  }

  invalid(path: FieldPath, value: BadValue | undefined, detail: string): this {
    return this.#tellOf('FieldValueInvalid', path, value, (shown) => withDetail(`Invalid value: ${shown}`, detail));
  }

  /** `supported` is listed in the given order, quoted. */
  /** For a value of a type that lists its values. In Go that type is not `string`, so kube-apiserver prints the value as JSON. */
  notSupported(path: FieldPath, value: BadValue, supported: readonly string[]): this {
    const shown = typeof value === 'string' ? new Printed(() => goJson(value)) : value;
    return this.notSupportedText(path, shown, supported);
  }

  /** The same for a field that is a plain string in Go. */
  notSupportedText(path: FieldPath, value: BadValue, supported: readonly string[]): this {
    const values = (): string => `supported values: ${supported.map(goQuote).join(', ')}`;
    return this.#tellOf('FieldValueNotSupported', path, value, (shown) =>
      withDetail(`Unsupported value: ${shown}`, supported.length > 0 ? values() : ''),
    );
  }

  forbidden(path: FieldPath, detail: string): this {
    return this.add('FieldValueForbidden', path, withDetail('Forbidden', detail));
  }

  /** `max` in bytes; negative if the limit is not known. */
  tooLong(path: FieldPath, max: number): this {
    return this.add(
      'FieldValueTooLong',
      path,
      `Too long: ${max >= 0 ? `may not be more than ${max} byte${max === 1 ? '' : 's'}` : 'value is too long'}`,
    );
  }

  tooMany(path: FieldPath, actual: number, max: number): this {
    return this.add(
      'FieldValueTooMany',
      path,
      `Too many: ${actual}: ${max >= 0 ? `must have at most ${max} item${max === 1 ? '' : 's'}` : 'has too many items'}`,
    );
  }

  typeInvalid(path: FieldPath, value: BadValue, detail: string): this {
    return this.#tellOf('FieldValueTypeInvalid', path, value, (shown) => withDetail(`Invalid value: ${shown}`, detail));
  }

  internal(path: FieldPath, detail: string): this {
    return this.add('InternalError', path, `Internal error: ${detail}`);
  }
}
