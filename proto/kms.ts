// Types for the contract of KMS plug-ins: the input and output of gen/kms.ts (generated code without types).
import { trireme } from './gen/kms.js';
import type { WireCodec } from './peer.js';

export type WireAnnotations = Readonly<Record<string, Uint8Array>>;

export interface WireKmsStatus {
  readonly version: string;
  readonly healthz: string;
  readonly keyId: string;
}

export interface WireKmsDecryptRequest {
  readonly ciphertext: Uint8Array;
  readonly uid: string;
  readonly keyId: string;
  readonly annotations: WireAnnotations;
}

export interface WireKmsDecryptResponse {
  readonly plaintext: Uint8Array;
}

export interface WireKmsEncryptRequest {
  readonly plaintext: Uint8Array;
  readonly uid: string;
}

export interface WireKmsEncryptResponse {
  readonly ciphertext: Uint8Array;
  readonly keyId: string;
  readonly annotations: WireAnnotations;
}

/** A stored value that was encrypted with a key of a KMS plug-in. */
export interface WireEncryptedObject {
  readonly encryptedData: Uint8Array;
  readonly keyId: string;
  readonly encryptedDekSource: Uint8Array;
  readonly annotations: WireAnnotations;
  /** 0: the source is an AES-GCM key. 1: it is a seed for HKDF. */
  readonly encryptedDekSourceType: number;
}

interface Generated {
  encode(value: unknown): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

type TypeName =
  | 'StatusRequest'
  | 'StatusResponse'
  | 'DecryptRequest'
  | 'DecryptResponse'
  | 'EncryptRequest'
  | 'EncryptResponse'
  | 'EncryptedObject';

const types = (trireme as unknown as { readonly kms: Readonly<Record<TypeName, Generated>> }).kms;

function codec<T>(type: Generated): WireCodec<T> {
  return {
    encode: (value) => type.encode(value).finish() as Buffer,
    decode: (bytes) => type.decode(bytes) as T,
  };
}

export const kmsStatusRequestCodec: WireCodec<object> = codec(types.StatusRequest);
export const kmsStatusCodec: WireCodec<WireKmsStatus> = codec(types.StatusResponse);
export const kmsDecryptRequestCodec: WireCodec<WireKmsDecryptRequest> = codec(types.DecryptRequest);
export const kmsDecryptResponseCodec: WireCodec<WireKmsDecryptResponse> = codec(types.DecryptResponse);
export const kmsEncryptRequestCodec: WireCodec<WireKmsEncryptRequest> = codec(types.EncryptRequest);
export const kmsEncryptResponseCodec: WireCodec<WireKmsEncryptResponse> = codec(types.EncryptResponse);
export const encryptedObjectCodec: WireCodec<WireEncryptedObject> = codec(types.EncryptedObject);

/** Full names of the methods of a plug-in in gRPC. */
export const KMS_METHODS = {
  status: '/v2.KeyManagementService/Status',
  decrypt: '/v2.KeyManagementService/Decrypt',
  encrypt: '/v2.KeyManagementService/Encrypt',
} as const;
