/** Where the text inside `"metadata":{` begins in canonical JSON, or -1. The prefix holds kind and apiVersion only, both short. */
const MARK = Buffer.from('"metadata":{');
const PREFIX_MAX = 512;

/**
 * Canonical JSON (of `encodeStored`) with `"resourceVersion":"<revision>"` as the first member of its metadata. One allocation, one
 * copy; `lineEnd` adds the line break that ends a response body.
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

/** The `{...}` of an object's metadata, as a part of its canonical JSON; undefined when there is none. */
export function metadataSlice(json: Buffer): Buffer | undefined {
  const inside = metadataStart(json);
  if (inside < 0) return undefined;
  let depth = 1;
  for (let i = inside; i < json.length; i++) {
    const c = json[i];
    if (c === 0x22) {
      for (i++; i < json.length && json[i] !== 0x22; i++) if (json[i] === 0x5c) i++;
    } else if (c === 0x7b || c === 0x5b) depth++;
    else if ((c === 0x7d || c === 0x5d) && --depth === 0) return json.subarray(inside - 1, i + 1);
  }
  return undefined;
}
