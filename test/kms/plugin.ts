import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';
import {
  KMS_METHODS,
  kmsDecryptRequestCodec,
  kmsDecryptResponseCodec,
  kmsEncryptRequestCodec,
  kmsEncryptResponseCodec,
  kmsStatusCodec,
  kmsStatusRequestCodec,
  type WireCodec,
} from '../../proto/index.js';

const ANNOTATION = 'version.kms.trireme.test';

/**
 * A KMS v2 plug-in for tests: AES-GCM with keys in memory, on a UNIX socket. `use` changes the key for writing, as a rotation in a real key
 * service does; values of former keys still decrypt until `forget`.
 */
export class KmsPlugin {
  readonly socket: string;
  readonly #keys = new Map<string, Buffer>();
  #keyId = '';
  #server: Server | undefined;
  /** Counts of the calls by name. */
  readonly calls = { status: 0, encrypt: 0, decrypt: 0 };
  /** The health that Status reports. */
  healthz = 'ok';

  constructor(socket: string) {
    this.socket = socket;
    this.use('key-1');
  }

  get endpoint(): string {
    return `unix://${this.socket}`;
  }

  /** Encrypts with the key of this id from now on; creates it if it is new. */
  use(keyId: string): void {
    if (!this.#keys.has(keyId)) this.#keys.set(keyId, randomBytes(32));
    this.#keyId = keyId;
  }

  forget(keyId: string): void {
    this.#keys.delete(keyId);
  }

  async start(): Promise<void> {
    rmSync(this.socket, { force: true });
    const server = new Server();
    const method = <Q, A>(path: string, request: WireCodec<Q>, response: WireCodec<A>) => ({
      path,
      requestStream: false,
      responseStream: false,
      requestSerialize: (q: Q) => request.encode(q as object),
      requestDeserialize: (bytes: Buffer) => request.decode(bytes),
      responseSerialize: (a: A) => response.encode(a as object),
      responseDeserialize: (bytes: Buffer) => response.decode(bytes),
    });
    const answer =
      <Q, A>(f: (request: Q) => A) =>
      (call: ServerUnaryCall<Q, A>, done: sendUnaryData<A>): void => {
        try {
          done(null, f(call.request));
        } catch (error) {
          done({ code: status.UNKNOWN, details: (error as Error).message });
        }
      };
    server.addService(
      {
        Status: method(KMS_METHODS.status, kmsStatusRequestCodec, kmsStatusCodec),
        Encrypt: method(KMS_METHODS.encrypt, kmsEncryptRequestCodec, kmsEncryptResponseCodec),
        Decrypt: method(KMS_METHODS.decrypt, kmsDecryptRequestCodec, kmsDecryptResponseCodec),
      },
      {
        Status: answer(() => {
          this.calls.status++;
          return { version: 'v2', healthz: this.healthz, keyId: this.#keyId };
        }),
        Encrypt: answer(({ plaintext }: { readonly plaintext: Uint8Array }) => {
          this.calls.encrypt++;
          const nonce = randomBytes(12);
          const cipher = createCipheriv('aes-256-gcm', this.#keys.get(this.#keyId)!, nonce);
          const body = Buffer.concat([cipher.update(plaintext), cipher.final()]);
          const ciphertext = Buffer.concat([nonce, body, cipher.getAuthTag()]);
          return { ciphertext, keyId: this.#keyId, annotations: { [ANNOTATION]: Buffer.from('1') } };
        }),
        Decrypt: answer(
          ({
            ciphertext,
            keyId,
            annotations,
          }: {
            readonly ciphertext: Uint8Array;
            readonly keyId: string;
            readonly annotations: Readonly<Record<string, Uint8Array>>;
          }) => {
            this.calls.decrypt++;
            const key = this.#keys.get(keyId);
            if (key === undefined) throw new Error(`there is no key ${keyId}`);
            if (Buffer.from(annotations[ANNOTATION] ?? []).toString() !== '1') throw new Error('annotation is missing');
            const bytes = Buffer.from(ciphertext);
            const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
            decipher.setAuthTag(bytes.subarray(-16));
            return { plaintext: Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]) };
          },
        ),
      },
    );
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(`unix:${this.socket}`, ServerCredentials.createInsecure(), (error) =>
        error === null ? resolve() : reject(error),
      ),
    );
    this.#server = server;
  }

  async stop(): Promise<void> {
    this.#server?.forceShutdown();
    this.#server = undefined;
    rmSync(this.socket, { force: true });
  }
}
