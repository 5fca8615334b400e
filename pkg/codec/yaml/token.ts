/** A position in the text: line and column from 0. */
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
  /** Whether the scalar is plain: neither quoted nor a block. */
  readonly plain?: boolean;
}

/**
 * The error for a text that is not valid YAML. It is thrown inside this folder and returned as a value by `readYaml`.
 */
export class YamlFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** `line` counts from 1; 0 means unknown. */
export function yamlFailure(problem: string, line = 0): YamlFailure {
  return new YamlFailure(line === 0 ? `yaml: ${problem}` : `yaml: line ${line}: ${problem}`);
}

/**
 * Returns the line for an error. As in kube-apiserver, it is the line of the error, counted from 1 by the scanner and
 * from 0 by the parser; if that is 0, the line where the construct began; if that is 0 too, no line.
 */

export function scannerFailure(context: Mark, problem: string, at: Mark): YamlFailure {
  return yamlFailure(problem, at.line === 0 ? context.line : at.line + 1);
}

export function parserFailure(context: Mark | undefined, problem: string, at: Mark): YamlFailure {
  return yamlFailure(problem, at.line === 0 ? (context?.line ?? 0) : at.line);
}
