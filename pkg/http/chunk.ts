import type { Frames } from '../registry/index.js';

const CRLF = '\r\n';

/**
 * The payload of `frames` as one HTTP/1.1 chunk: size line, payload, CRLF (RFC 9112, 7.1). It is built once and kept
 * with the frames, which all watches at the same position share: each watch costs one socket write without copying.
 */
export function chunkOf(frames: Frames): Buffer {
  return frames.framed ?? frame(frames);
}

function frame(frames: Frames): Buffer {
  const { payload } = frames;
  const head = payload.length.toString(16) + CRLF;
  const chunk = Buffer.allocUnsafe(head.length + payload.length + CRLF.length);
  const at = chunk.write(head, 0, 'latin1');
  payload.copy(chunk, at);
  chunk.write(CRLF, at + payload.length, 'latin1');
  frames.framed = chunk;
  frames.payload = chunk.subarray(at, at + payload.length);
  return chunk;
}
