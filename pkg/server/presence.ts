import { createHash, X509Certificate } from 'node:crypto';
import { hostname } from 'node:os';
import type { World } from '../base/index.js';
import type { Config } from '../config/index.js';
import {
  type AuthenticationTrust,
  announceServer,
  authenticationTrust,
  type ControllerContext,
  keepIdentityLease,
  type LiveServer,
  type ServerAddress,
  type TrustedAuthorities,
} from '../controllers/index.js';
import type { Keyspace } from '../storage/index.js';

/**
 * The objects by which each peer announces itself to the cluster: its entry in the list of live servers, its identity,
 * its trusted authorities.
 */
export interface Presence {
  /** Adds this server to the list, after its port is open. */
  announce(server: ServerAddress | undefined): void;
  begin(): void;
  /** Stops until `begin`. */
  pause(): void;
  /** The files of authorities have changed. */
  refresh(): void;
  /** Removes this server from the list before it stops serving. */
  withdraw(): Promise<void>;
}

export interface PresenceParts {
  readonly world: World;
  readonly config: Config;
  readonly keyspace: Keyspace;
  readonly context: ControllerContext;
  readonly trusted: () => TrustedAuthorities;
}

export function createPresence({ world, config, keyspace, context, trusted }: PresenceParts): Presence {
  const identity = { name: serverName(config.cluster.name), hostname: hostname() };
  let trust: AuthenticationTrust | undefined;
  let server: ServerAddress | undefined;
  let live: LiveServer | undefined;
  let stopLease: (() => void) | undefined;
  const enter = (): void => {
    live?.stop();
    live = undefined;
    if (stopLease !== undefined && server !== undefined && config.controllerSettings.keepsOwnEndpoints)
      live = announceServer(keyspace, world, server, context.log);
  };
  return {
    announce(at) {
      server = at;
      enter();
    },
    begin() {
      stopLease ??= keepIdentityLease(context, identity);
      enter();
      trust ??= authenticationTrust(context, { trusted, validCertificates: (pem) => validCertificates(pem, world) });
      trust.start().catch((error: unknown) => context.log('could not start', { error: String(error) }));
    },
    pause() {
      stopLease?.();
      stopLease = undefined;
      live?.stop();
      trust?.stop();
      trust = undefined;
    },
    refresh: () => trust?.refresh(),
    withdraw: async () => live?.withdraw(),
  };
}

/** The same after every restart, and different for each peer of a machine. */
export function serverName(peer: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([hostname(), 'kube-apiserver', peer]))
    .digest();
  return `apiserver-${base32(hash.subarray(0, 16))}`;
}

const DIGITS = 'abcdefghijklmnopqrstuvwxyz234567';

/** RFC 4648 without padding, in lower case. */
function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value & 0xff) << 8) | byte;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += DIGITS[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + DIGITS[(value << (5 - bits)) & 31];
}

const BEGIN = '-----BEGIN CERTIFICATE-----';
const END = '-----END CERTIFICATE-----';

function validCertificates(pem: string, world: World): readonly string[] {
  const parts = pem.split(BEGIN).slice(1);
  return parts.flatMap((part) => {
    try {
      const certificate = new X509Certificate(`${BEGIN}${part.split(END)[0]}${END}`);
      return Date.parse(certificate.validTo) > world.clock.now() ? [certificate.toString()] : [];
    } catch {
      // Not a certificate: it is ignored.
      return [];
    }
  });
}
