import { EOF, type TokenKind } from './lexer.js';
import { EPSILON } from './syntax.js';

/** Sets of tokens with which a part of the grammar may begin or continue, for messages and recovery. */

/** Words that cannot be identifiers. */
export const RESERVED_WORDS: ReadonlySet<string> = new Set([
  ...['as', 'break', 'const', 'continue', 'else', 'for', 'function', 'if', 'import', 'let', 'loop', 'package'],
  ...['namespace', 'return', 'var', 'void', 'while', 'true', 'false', 'null', 'in'],
]);

export const kinds = (...k: readonly TokenKind[]): ReadonlySet<TokenKind> => new Set(k);
export const LITERALS = kinds('true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES');
export const MEMBER = kinds('[', '{', '(', '.', '-', ...LITERALS, 'IDENTIFIER');
export const EXPR = kinds(...MEMBER, '!');
export const OPT_EXPR = kinds(...EXPR, '?');
export const MEMBER_NEXT = kinds('.', '[', EPSILON);
export const CALC_NEXT = kinds('+', '-', '*', '/', '%', EPSILON);
export const RELATIONS = kinds('==', '!=', 'in', '<', '<=', '>=', '>');
export const SUM = kinds('+', '-');
export const PRODUCT = kinds('*', '/', '%');
export const RELATION_NEXT = kinds(...RELATIONS, EPSILON);
export const NEGATED = kinds(...MEMBER, '-');
export const ARGUMENTS = kinds(...EXPR, ')');
export const ELEMENTS = kinds(...OPT_EXPR, ',', ']');
export const ENTRIES = kinds(...OPT_EXPR, ',', '}');
export const NEXT = kinds(EPSILON);
export const OR_NEXT = kinds('||', EPSILON);
export const AND_NEXT = kinds('&&', EPSILON);
export const QUESTION_NEXT = kinds('?', EPSILON);
export const COLON = kinds(':');
export const PAREN = kinds(')');
export const BRACKET = kinds(']');
export const COMMA_PAREN = kinds(',', ')');
export const COMMA_BRACKET = kinds(',', ']');
export const COMMA_BRACE = kinds(',', '}');
export const FILE_END = kinds(EOF);
export const END = () => kinds(EPSILON);

/** What ends an expression, an operand of `||`, one of `&&`, and one of an operation. */
export const EXPR_ENDS = kinds(',', ')', ']', '}', ':', EOF);
export const OR_ENDS = kinds(...EXPR_ENDS, '?', '||');
export const AND_ENDS = kinds(...OR_ENDS, '&&');
export const UNARY_ENDS = kinds(...AND_ENDS, ...RELATIONS, ...SUM, ...PRODUCT);
export const PART_BEGINS = kinds('.', '[');
