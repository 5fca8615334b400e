import { connect, type TLSSocket } from 'node:tls';
import type { World } from '../../base/index.js';
import { makePki, type Pki, serverNames } from '../../server/pki.js';
import { type Listener, openListener } from '../listener.js';
import { type TestServices, testServices, testWorld } from '../testing.js';

/** For tests of the door: a listener on a real port, before services whose registry is a map. */
export class TestDoor {
  readonly services: TestServices;
  readonly listener: Listener;
  readonly ca: string;

  private constructor(services: TestServices, listener: Listener, ca: string) {
    this.services = services;
    this.listener = listener;
    this.ca = ca;
  }

  static async open(world: World = testWorld, options: Parameters<typeof testServices>[1] = {}): Promise<TestDoor> {
    const services = testServices(world, options);
    keys ??= makePki(serverNames(['127.0.0.1'], '10.96.0.1'), testWorld.clock.now());
    const { serving, ca } = await keys;
    const tls = { ...serving, clientCa: ca.cert };
    return new TestDoor(services, await openListener(services, { host: '127.0.0.1', port: 0, tls }), ca.cert);
  }

  /** A bare HTTP/1.1 connection. */
  dial(): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const { port } = this.listener;
      const socket = connect({ host: '127.0.0.1', port, ca: this.ca, ALPNProtocols: ['http/1.1'] }, () =>
        resolve(socket),
      );
      socket.on('error', reject);
    });
  }
}

let keys: Promise<Pki> | undefined;

/** What a connection has sent, once there is `enough` of it. */
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
