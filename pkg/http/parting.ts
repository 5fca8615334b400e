import type { Http2Session } from 'node:http2';
import type { World } from '../base/index.js';

const parting = new WeakSet<Http2Session>();

/** Whether the session ends. A stream that begins now gets no response: the GOAWAY tells the client that it was not processed. */
export const isParting = (session: Http2Session): boolean => parting.has(session);

/**
 * Ends a session gracefully (GOAWAY): open streams are served.
 *
 * `Http2Session.close` must not be called before the GOAWAY is written. If a stream begins between the two, Node 20 refuses it at once, while it
 * still reads the frame. This writes the GOAWAY, which frees the stream that is being read: the memory of the process is corrupted. Node writes
 * the GOAWAY at the end of this turn, or after the write in progress, before it reads again.
 */
export function part(session: Http2Session, { timers }: World): void {
  if (session.destroyed || parting.has(session)) return;
  parting.add(session);
  session.goaway();
  timers.immediate(() => timers.immediate(() => session.close()));
}
