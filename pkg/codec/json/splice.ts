/** Returns the offset after `"metadata":{` in canonical JSON, or -1. The prefix has kind and apiVersion only, which are short. */
const MARK = Buffer.from('"metadata":{');
const PREFIX_MAX = 512;

/**
 * Returns canonical JSON (of `encodeStored`) with `"resourceVersion":"<revision>"` as the first member of its metadata,
 * in one allocation and one copy. `lineEnd` adds the line break that ends a response body.
 */
export function spliceResourceVersion(stored: Buffer, revision: number | string, lineEnd = false): Buffer {
  const at = metadataStart(stored);
  if (at < 0) throw new Error('codec: no metadata where an object begins');
  const emptyMetadata = stored[at] === 0x7d;
  const member = `"resourceVersion":"${revision}"${emptyMetadata ? '' : ','}`;
  const out = Buffer.allocUnsafe(stored.length + member.length + (lineEnd ? 1 : 0));
  out.set(stored.subarray(0, at), 0);
  out.write(member, at, 'latin1');
  out.set(stored.subarray(at), at + member.length);
  if (lineEnd) out[out.length - 1] = 0x0a;
  return out;
}

function metadataStart(json: Buffer): number {
  const at = json.subarray(0, PREFIX_MAX).indexOf(MARK);
  return at < 0 ? -1 : at + MARK.length;
}

/** Returns the `{...}` of the metadata as a part of the canonical JSON of an object; undefined without metadata. */
export function metadataSlice(json: Buffer): Buffer | undefined {
  const inside = metadataStart(json);
  if (inside < 0) return undefined;
  return json.subarray(inside - 1, endOfContainer(json, inside - 1));
}

const MANAGED = Buffer.from('"managedFields":[');
const FIELD_SET = '"fieldsV1":{';

/**
 * Finds the field sets of the managedFields of an object in its canonical JSON, in order. An unescaped quotation mark
 * is JSON syntax, so no string in the object can be mistaken for a key.
 */
export function fieldSetsOf(json: Buffer): readonly { readonly start: number; readonly end: number }[] {
  const inside = metadataStart(json);
  const list = inside < 0 ? -1 : json.indexOf(MANAGED, inside);
  if (list < 0 || !isMemberAt(json, inside, list)) return [];
  const found: { readonly start: number; readonly end: number }[] = [];
  let depth = 0;
  for (let i = list + MANAGED.length; i < json.length; i++) {
    const c = json[i];
    if (c === 0x22) {
      if (depth === 1 && json[i + 1] === 0x66 && json.toString('latin1', i, i + FIELD_SET.length) === FIELD_SET) {
        const start = i + FIELD_SET.length - 1;
        const end = endOfContainer(json, start);
        found.push({ start, end });
        i = end - 1;
      } else i = endOfString(json, i) - 1;
    } else if (c === 0x7b) depth++;
    else if (c === 0x7d) depth--;
    else if (c === 0x5d && depth === 0) break;
  }
  return found;
}

/** Reports whether the text at `at` is a direct member of the object that begins before `inside`. */
function isMemberAt(json: Buffer, inside: number, at: number): boolean {
  let i = inside;
  while (i < at) {
    const c = json[i];
    if (c === 0x22) i = endOfString(json, i);
    else if (c === 0x7b || c === 0x5b) i = endOfContainer(json, i);
    else if (c === 0x7d) return false;
    else i++;
  }
  return i === at;
}

/** Returns the offset after the string that begins at `at`. */
function endOfString(json: Buffer, at: number): number {
  let i = at + 1;
  for (; i < json.length && json[i] !== 0x22; i++) if (json[i] === 0x5c) i++;
  return i + 1;
}

/** Returns the offset after the object or list that begins at `at`. */
function endOfContainer(json: Buffer, at: number): number {
  let depth = 0;
  for (let i = at; i < json.length; i++) {
    const c = json[i];
    if (c === 0x22) i = endOfString(json, i) - 1;
    else if (c === 0x7b || c === 0x5b) depth++;
    else if ((c === 0x7d || c === 0x5d) && --depth === 0) return i + 1;
  }
  return json.length;
}
