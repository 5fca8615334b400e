/** Where something stands: both from 0. */
export interface Mark {
  readonly line: number;
  readonly column: number;
}

export type TokenType =
  | 'streamEnd'
  | 'directive'
  | 'documentStart'
  | 'documentEnd'
  | 'blockSequenceStart'
  | 'blockMappingStart'
  | 'blockEnd'
  | 'flowSequenceStart'
  | 'flowSequenceEnd'
  | 'flowMappingStart'
  | 'flowMappingEnd'
  | 'blockEntry'
  | 'flowEntry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

export interface Token {
  readonly type: TokenType;
  readonly mark: Mark;
  /** Scalar, alias and anchor: the text. Tag: its suffix. Directive: its words. */
  readonly value: string;
  /** Tag: its handle. */
  readonly handle?: string;
  /** Scalar: written without quotes and not as a block. */
  readonly plain?: boolean;
}

/** A text that is no YAML, or means nothing. Thrown inside this folder, turned into a value at its door. */
export class YamlFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** `line` counts from 1; 0 is not said. */
export function yamlFailure(problem: string, line = 0): YamlFailure {
  return new YamlFailure(line === 0 ? `yaml: ${problem}` : `yaml: line ${line}: ${problem}`);
}

/*
 * The reference says the line where a construct broke, counted from 1 by its scanner and from 0 by its parser; when that is 0, the
 * line where the construct began; and no line when that is 0 too.
 */

export function scannerFailure(context: Mark, problem: string, at: Mark): YamlFailure {
  return yamlFailure(problem, at.line === 0 ? context.line : at.line + 1);
}

export function parserFailure(context: Mark | undefined, problem: string, at: Mark): YamlFailure {
  return yamlFailure(problem, at.line === 0 ? (context?.line ?? 0) : at.line);
}
