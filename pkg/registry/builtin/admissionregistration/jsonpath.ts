/**
 * The message of kube-apiserver about a text that is no JSONPath, or undefined if it is one. The text is what stands between braces in a
 * template of kubectl: `spec.validations[0].expression`. Linear in the length.
 */
export function jsonPathProblem(text: string): string | undefined {
  for (let at = 0; at < text.length; ) {
    const c = text[at]!;
    let end: number;
    if (text.startsWith('[?(', at)) {
      end = text.indexOf(')]', at);
      if (end < 0) return 'unterminated filter';
      end += 2;
    } else if (c === '[') {
      end = text.indexOf(']', at) + 1;
      if (end === 0) return 'unterminated array';
      const problem = indexProblem(text.slice(at + 1, end - 1));
      if (problem !== undefined) return problem;
    } else if (c === '"' || c === "'") {
      end = quoteEnd(text, at);
      if (end < 0) return 'unterminated quoted string';
    } else if (c === '.') end = text[at + 1] === '.' ? at + 2 : wordEnd(text, at + 1);
    else if (c === ' ' || c === '@' || c === '$') end = at + 1;
    else if (c === '}') return undefined;
    else if (/[-+0-9]/.test(c)) {
      const [number] = /^[-+]?[0-9.]*/.exec(text.slice(at)) as unknown as [string];
      if (!/^[-+]?(\d+(\.\d*)?|\.\d+)$/.test(number)) return `cannot parse number ${number}`;
      end = at + number.length;
    } else if (/[\p{L}\p{Nd}_]/u.test(c)) end = wordEnd(text, at);
    else return `unrecognized character in action: ${codePoint(text, at)}`;
    at = end;
  }
  return undefined;
}

/** An index, a range, a list of both, or quoted keys. */
function indexProblem(inner: string): string | undefined {
  if (inner === '*' || /^'[^']*'$/.test(inner)) return undefined;
  const parts = inner.split(',').map((part) => part.trim());
  const wrong = parts.find((part) => part !== '*' && !/^'[^']*'$/.test(part) && !/^(-?\d*)(:-?\d*){0,2}$/.test(part));
  return wrong === undefined ? undefined : `invalid array index ${wrong}`;
}

function quoteEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[from]) return at + 1;
  }
  return -1;
}

function wordEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (/[\s.,[\]$@{}]/.test(text[at]!)) return at;
  }
  return text.length;
}

function codePoint(text: string, at: number): string {
  const code = text.codePointAt(at)!;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} '${String.fromCodePoint(code)}'`;
}
