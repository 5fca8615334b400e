import { readFileSync } from 'node:fs';
import type { Config } from '../config/index.js';
import type { NamedPair } from '../http/index.js';
import { certDirFiles, givenAuthorities, givenPair, pairInCertDir, refuseOverlap } from './given.js';
import type { KeyPair } from './issue.js';

/** What the files of flags have: certificates and authorities, PEM. Undefined without the flag. */
export interface GivenTls {
  readonly pair: KeyPair | undefined;
  readonly clientCa: string | undefined;
  readonly named: readonly NamedPair[];
  /** The authorities of front proxies. */
  readonly proxyCa: string | undefined;
}

/**
 * The certificates and authorities in the files of flags. Each is read again by itself, as in kube-apiserver: a file that is being replaced,
 * or that has an error, keeps its last good content and does not keep the others from being renewed.
 */
export class GivenCertificates {
  readonly #config: Config;
  #current: GivenTls;
  #problems: ReadonlySet<string> = new Set();
  #texts: string;

  /** Reads the files. Throws `ConfigError` at the first that cannot be used. */
  constructor(config: Config) {
    this.#config = config;
    this.#texts = textsOf(config);
    const { pair, clientCa, named, proxyCa } = readers(config);
    this.#current = { pair: pair(), clientCa: clientCa(), named: named.map((read) => read()), proxyCa: proxyCa() };
    this.#checkAuthorities();
  }

  get current(): GivenTls {
    return this.#current;
  }

  /**
   * Reads the files again, and returns whether something is new. An error is reported once, until it is another or none. This is cheap
   * if no file has changed.
   */
  reload(failed: (error: Error) => void): boolean {
    const texts = textsOf(this.#config);
    if (texts === this.#texts) return false;
    this.#texts = texts;
    const problems = new Set<string>();
    const renewed = <T>(read: () => T, last: T): T => {
      try {
        return read();
      } catch (error) {
        const { message } = error as Error;
        if (!this.#problems.has(message) && !problems.has(message)) failed(error as Error);
        problems.add(message);
        return last;
      }
    };
    const { pair, clientCa, named, proxyCa } = readers(this.#config);
    const before = this.#current;
    const now = {
      pair: renewed(pair, before.pair),
      clientCa: renewed(clientCa, before.clientCa),
      named: named.map((read, i) => renewed(read, before.named[i]!)),
      proxyCa: renewed(proxyCa, before.proxyCa),
    };
    this.#problems = problems;
    this.#current = now;
    return JSON.stringify(now) !== JSON.stringify(before);
  }

  /** Checks the authorities of flags against each other. The authority that this server made is not one of them. */
  #checkAuthorities(): void {
    const { clientCa, proxyCa } = this.#current;
    if (clientCa !== undefined && proxyCa !== undefined)
      refuseOverlap(clientCa, proxyCa, this.#config.access.requestHeader!.allowedNames);
  }
}

/** What is in all files together. */
function textsOf({ serving, access: { requestHeader } }: Config): string {
  const { certFile, keyFile, clientCaFile, certDir, tls } = serving;
  const files = [
    ...(certFile === '' ? certDirFiles(certDir) : [certFile, keyFile]),
    clientCaFile,
    ...tls.named.flatMap((pair) => [pair.certFile, pair.keyFile]),
    requestHeader?.clientCaFile ?? '',
  ];
  return files.map(textOf).join('\0');
}

function textOf(path: string): string {
  if (path === '') return '';
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return (error as Error).message;
  }
}

type Readers = {
  readonly [K in Exclude<keyof GivenTls, 'named'>]: () => GivenTls[K];
} & { readonly named: readonly (() => NamedPair)[] };

function readers({ serving, access: { requestHeader } }: Config): Readers {
  const { certFile, keyFile, clientCaFile, certDir, tls } = serving;
  const flag = 'tls-sni-cert-key';
  return {
    pair: () =>
      certFile === ''
        ? pairInCertDir(certDir)
        : givenPair({ flag: 'tls-cert-file', path: certFile }, { flag: 'tls-private-key-file', path: keyFile }),
    clientCa: () =>
      clientCaFile === '' ? undefined : givenAuthorities({ flag: 'client-ca-file', path: clientCaFile }),
    named: tls.named.map(({ certFile: cert, keyFile: key, names }) => () => ({
      ...givenPair({ flag, path: cert }, { flag, path: key }),
      names,
    })),
    proxyCa: () =>
      requestHeader === undefined
        ? undefined
        : givenAuthorities({ flag: 'requestheader-client-ca-file', path: requestHeader.clientCaFile }),
  };
}
