import { goQuote, type JsonValue } from '../../api/index.js';

/** Formats a value in Go's syntax, as the YAML errors of kube-apiserver show keys and values. */
export function goSyntax(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (typeof value === 'string') return goQuote(value);
  if (typeof value !== 'object') return String(value);
  return describeKey(value);
}

/** Formats a collection in Go's syntax, with the types of Go's YAML decoder. */
export function describeKey(value: JsonValue): string {
  const inner = (v: JsonValue): string => (v === null ? 'interface {}(nil)' : goSyntax(v));
  if (Array.isArray(value)) return `[]interface {}{${value.map(inner).join(', ')}}`;
  if (typeof value !== 'object' || value === null) return goSyntax(value);
  const members = Object.keys(value).map((key) => `${goQuote(key)}:${inner(value[key]!)}`);
  return `map[interface {}]interface {}{${members.join(', ')}}`;
}

/** Formats a float key: the shortest decimal of the nearest 32-bit float, with an exponent outside 1e-4 to 1e21. */
export function floatKey(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value > 0 ? '.inf' : '-.inf';
  const nearest = Math.fround(value);
  if (!Number.isFinite(nearest)) return value > 0 ? '.inf' : '-.inf';
  let shortest = nearest;
  for (let digits = 1; digits <= 9; digits++) {
    shortest = Number(nearest.toPrecision(digits));
    if (Math.fround(shortest) === nearest) break;
  }
  const size = Math.abs(shortest);
  if (size === 0 || (size >= 1e-4 && size < 1e21)) return String(shortest);
  return shortest.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
