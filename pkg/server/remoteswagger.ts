import { createHash } from 'node:crypto';
import type { GroupVersion } from '../api/index.js';
import { runSteps, type Steps } from '../base/index.js';
import { readJsonBody } from '../codec/index.js';
import { headerOf } from '../outbound/index.js';
import { type RemoteDocument, remoteDocument } from '../schema/index.js';
import { type RemoteParts, RemotePoll } from './remotepoll.js';

/** Milliseconds, as in kube-apiserver: for a download, between two, and the longest wait after failures. */
const DOWNLOAD_TIME = 60_000;
const TIMES = { every: 60_000, again: 60_000, againMax: 3_600_000 };

/**
 * The OpenAPI v2 document of an aggregated server. While the server is available it is asked every minute, less often after failures.
 * The last document is kept when the server is unavailable.
 */
export class RemoteSwagger {
  readonly #version: GroupVersion;
  readonly #parts: RemoteParts;
  readonly #poll: RemotePoll;
  #document: RemoteDocument | undefined;
  #etag = '';
  /** The hash of the last response: not all servers send an ETag. */
  #hash = '';

  /** `known`: the document of the server that served the group version before. */
  constructor(version: GroupVersion, parts: RemoteParts, known?: RemoteDocument) {
    this.#version = version;
    this.#parts = parts;
    this.#document = known;
    const { world, unusable } = parts;
    const ask = (isCurrent: () => boolean): Promise<boolean> => this.#refresh(isCurrent);
    this.#poll = new RemotePoll({ timers: world.timers, ask, unusable, ...TIMES });
  }

  /** Undefined if the server has none, or has not responded yet. */
  get document(): RemoteDocument | undefined {
    return this.#document;
  }

  /** A server that has become available is asked at once. */
  setAvailable(isAvailable: boolean): void {
    this.#poll.setAvailable(isAvailable);
  }

  close(): void {
    this.setAvailable(false);
  }

  async #refresh(isCurrent: () => boolean): Promise<boolean> {
    const found = await this.#download();
    if (found === 'failed') return false;
    if (found === 'unchanged' || !isCurrent()) return true;
    this.#etag = found.etag;
    this.#hash = found.hash;
    if (found.document === this.#document) return true;
    this.#document = found.document;
    this.#parts.changed();
    return true;
  }

  /** A server without the path has no document. Any other failure says nothing about it. */
  async #download(): Promise<Downloaded | 'unchanged' | 'failed'> {
    const { send, pace } = this.#parts;
    const headers = { 'x-remote-user': 'system:aggregator', accept: 'application/json' };
    const known = this.#etag === '' ? {} : { 'if-none-match': this.#etag };
    const request = { path: '/openapi/v2', headers: { ...headers, ...known }, timeout: DOWNLOAD_TIME };
    const response = await send({ method: 'GET', ...request });
    if (response.status === 304) return 'unchanged';
    if (response.status === 404) return { etag: '', hash: '', document: undefined };
    if (response.status !== 200) return 'failed';
    const hash = await runSteps(hashSteps(response.body), pace);
    if (hash === this.#hash) return 'unchanged';
    const read = await runSteps(readJsonBody(response.body), pace);
    const document = read.ok ? await runSteps(remoteDocument(read.value, this.#version), pace) : undefined;
    return document === undefined ? 'failed' : { etag: headerOf(response, 'etag'), hash, document };
  }
}

interface Downloaded {
  /** '' if the server sent none. */
  readonly etag: string;
  readonly hash: string;
  readonly document: RemoteDocument | undefined;
}

/** Bytes that are hashed between two yields: one or two milliseconds. */
const PIECE_BYTES = 512 * 1024;

function* hashSteps(bytes: Buffer): Steps<string> {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    hash.update(bytes.subarray(at, at + PIECE_BYTES));
    yield;
  }
  return hash.digest('base64');
}
