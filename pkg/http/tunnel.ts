import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { UpgradeReply } from '../outbound/index.js';
import type { Call } from './call.js';
import type { Exchange } from './exchange.js';
import { limits } from './limits.js';
import type { HttpServices } from './services.js';

/**
 * Connects a client with the server that accepted its upgrade, until one of them closes its connection. Each side is read as fast as
 * the other accepts the bytes. The request holds no seat meanwhile.
 */
export async function tunnel(
  call: Call,
  takeOver: NonNullable<Exchange['takeOver']>,
  { rawHeaders, socket: server }: UpgradeReply & { readonly kind: 'upgraded' },
  { watches, metrics }: HttpServices,
): Promise<void> {
  const client = takeOver(headerOf(rawHeaders));
  call.status = 101;
  call.responseStarted?.();
  call.initialized();
  const open = call.series === undefined ? undefined : metrics.longRunning(call.series.kind);
  if (open !== undefined) open.value++;
  const sides: readonly Duplex[] = [client, server];
  let cancel: (() => void) | undefined;
  /** Ends both connections after what was read has been written. */
  const end = (): void => {
    if (cancel !== undefined) return;
    cancel = call.timers.after(limits.partingTime, () => {
      for (const side of sides) side.destroy();
    });
    for (const side of sides) side.end(() => side.destroy());
  };
  watches.add(end);
  try {
    await new Promise<void>((resolve) => {
      let left = sides.length;
      for (const side of sides) {
        side.on('error', () => side.destroy());
        side.once('end', end);
        const closed = (): void => {
          end();
          if (--left === 0) resolve();
        };
        if (side.closed) closed();
        else side.once('close', closed);
      }
      client.pipe(server, { end: false });
      server.on('data', (piece: Buffer) => {
        call.bytes += piece.length;
      });
      server.pipe(client, { end: false });
    });
  } finally {
    cancel?.();
    watches.delete(end);
    if (open !== undefined) open.value--;
  }
}

/** The header of the response, as the server sent it. */
function headerOf(rawHeaders: readonly string[]): Buffer {
  let text = 'HTTP/1.1 101 Switching Protocols\r\n';
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  return Buffer.from(`${text}\r\n`, 'latin1');
}
