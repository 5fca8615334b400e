import { Opaque, type Value } from './values.js';

export const FORMAT_TYPE = 'kubernetes.NamedFormat';

export type Validate = (text: string) => readonly string[];

/** A named format of strings. `cost` is the cost of validating ten characters. */
export class FormatValue extends Opaque {
  readonly name: string;
  readonly validate: Validate;
  readonly cost: number;

  constructor(name: string, validate: Validate, cost: number) {
    super();
    this.name = name;
    this.validate = validate;
    this.cost = cost;
  }

  get typeName(): string {
    return FORMAT_TYPE;
  }

  equals(other: Value): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}
