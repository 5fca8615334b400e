import { connect as connectTcp } from 'node:net';
import { Duplex } from 'node:stream';
import { connect, type TLSSocket } from 'node:tls';
import type { World } from '../../base/index.js';
import { makePki, type Pki, serverNames } from '../../server/pki.js';
import { type Listener, openListener } from '../listener.js';
import { type TestServices, testServices, testWorld } from '../testing.js';

/** A listener on a real port for tests, with services whose registry is a map. */
export class TestDoor {
  readonly services: TestServices;
  readonly listener: Listener;
  readonly ca: string;

  private constructor(services: TestServices, listener: Listener, ca: string) {
    this.services = services;
    this.listener = listener;
    this.ca = ca;
  }

  static async open(
    world: World = testWorld,
    options: Parameters<typeof testServices>[1] = {},
    more: { readonly connectionsMax?: number; readonly goawayChance?: number } = {},
  ): Promise<TestDoor> {
    const services = testServices(world, options);
    keys ??= makePki(serverNames(['127.0.0.1'], '10.96.0.1'), testWorld.clock.now());
    const { serving, ca } = await keys;
    const tls = { ...serving, clientCa: ca.cert };
    return new TestDoor(
      services,
      await openListener(services, {
        host: '127.0.0.1',
        port: 0,
        tls,
        ...more,
      }),
      ca.cert,
    );
  }

  /** Opens a plain HTTP/1.1 connection, over `beneath` if present. */
  dial(beneath?: Duplex): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const { port } = this.listener;
      const over = beneath === undefined ? { host: '127.0.0.1', port } : { socket: beneath, servername: 'localhost' };
      const socket = connect({ ...over, ca: this.ca, ALPNProtocols: ['http/1.1'] }, () => resolve(socket));
      socket.on('error', reject);
    });
  }
}

/**
 * A duplex stream over a TCP connection. It can hold back written bytes and send them at once, so that several TLS records arrive
 * in one read.
 */
export class HeldConnection extends Duplex {
  readonly #socket: ReturnType<typeof connectTcp>;
  #held: Buffer[] | undefined;

  constructor(port: number) {
    super();
    this.#socket = connectTcp(port, '127.0.0.1');
    this.#socket.on('data', (piece) => {
      if (!this.push(piece)) this.#socket.pause();
    });
    this.#socket.on('end', () => this.push(null));
    this.#socket.on('error', (error) => this.destroy(error));
  }

  hold(): void {
    this.#held = [];
  }

  /** Sends the bytes that were held back. */
  release(): void {
    this.#socket.write(Buffer.concat(this.#held ?? []));
    this.#held = undefined;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    if (this.#held !== undefined) this.#held.push(piece);
    else this.#socket.write(piece);
    done();
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}

let keys: Promise<Pki> | undefined;

/** Resolves to the received text as soon as `enough` accepts it. */
export function until(socket: TLSSocket, enough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const closed = (): void => reject(new Error(`closed after ${JSON.stringify(text)}`));
    const more = (piece: Buffer): void => {
      text += piece.toString('latin1');
      if (!enough(text)) return;
      socket.off('data', more).off('close', closed);
      resolve(text);
    };
    socket.on('data', more).on('close', closed);
  });
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
