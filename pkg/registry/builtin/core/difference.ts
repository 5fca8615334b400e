import { equalJson, isObject, type JsonObject, type JsonValue } from '../../../api/index.js';

/** The fields that differ, a line each: a client should not have to look for them. */
export function difference(before: JsonObject, now: JsonObject): string {
  const lines: string[] = [];
  const walk = (a: JsonValue | undefined, b: JsonValue | undefined, path: string): void => {
    if (equalJson(a, b)) return;
    if (isObject(a) && isObject(b)) {
      for (const k of new Set([...Object.keys(a), ...Object.keys(b)])) walk(a[k], b[k], `${path}.${k}`);
    } else if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) {
      for (const [i, x] of a.entries()) walk(x, b[i], `${path}[${i}]`);
    } else lines.push(`  ${path}: ${JSON.stringify(a ?? null)} -> ${JSON.stringify(b ?? null)}`);
  };
  walk(before, now, 'spec');
  return lines.join('\n');
}
