import { createHash } from 'node:crypto';
import type { GroupVersion } from '../api/index.js';
import { type Pace, runSteps, type World } from '../base/index.js';
import { readJsonBody } from '../codec/index.js';
import { headerOf, OutboundError, type OutboundRequest, type OutboundResponse } from '../outbound/index.js';
import { type RemoteDocument, remoteDocument } from '../schema/index.js';

/** Milliseconds, as in kube-apiserver: for a download, between two, and the longest wait after failures. */
const DOWNLOAD_TIME = 60_000;
const AGAIN = 60_000;
const AGAIN_MAX = 3_600_000;

export interface RemoteSwaggerParts {
  readonly world: World;
  readonly pace: Pace;
  /** Asks the server. Throws `OutboundError`. */
  readonly send: (request: OutboundRequest) => Promise<OutboundResponse>;
  /** Called when the document has changed. */
  readonly changed: () => void;
}

/**
 * The OpenAPI v2 document of an aggregated server. While the server is available it is asked every minute, less often after failures.
 * The last document is kept when the server is unavailable.
 */
export class RemoteSwagger {
  readonly #version: GroupVersion;
  readonly #parts: RemoteSwaggerParts;
  #document: RemoteDocument | undefined;
  #etag = '';
  /** The hash of the last response: not all servers send an ETag. */
  #hash = '';
  #isAvailable = false;
  #failures = 0;
  /** Incremented to ignore the response to an earlier request. */
  #round = 0;
  #cancel = (): void => {};

  /** `known`: the document of the server that served the group version before. */
  constructor(version: GroupVersion, parts: RemoteSwaggerParts, known?: RemoteDocument) {
    this.#version = version;
    this.#parts = parts;
    this.#document = known;
  }

  /** Undefined if the server has none, or has not responded yet. */
  get document(): RemoteDocument | undefined {
    return this.#document;
  }

  /** A server that has become available is asked at once. */
  setAvailable(isAvailable: boolean): void {
    if (isAvailable === this.#isAvailable) return;
    this.#isAvailable = isAvailable;
    this.#round++;
    this.#cancel();
    this.#failures = 0;
    if (isAvailable) void this.#refresh();
  }

  close(): void {
    this.setAvailable(false);
  }

  async #refresh(): Promise<void> {
    const round = this.#round;
    const found = await this.#download();
    if (round !== this.#round) return;
    this.#failures = found === 'failed' ? this.#failures + 1 : 0;
    const wait = Math.min(AGAIN * 2 ** Math.max(this.#failures - 1, 0), AGAIN_MAX);
    this.#cancel = this.#parts.world.timers.after(wait, () => void this.#refresh());
    if (typeof found === 'string') return;
    this.#etag = found.etag;
    this.#hash = found.hash;
    if (found.document === this.#document) return;
    this.#document = found.document;
    this.#parts.changed();
  }

  /** A server without the path has no document. Any other failure says nothing about it. */
  async #download(): Promise<Downloaded | 'unchanged' | 'failed'> {
    const { send, pace } = this.#parts;
    const headers = { 'x-remote-user': 'system:aggregator', accept: 'application/json' };
    const known = this.#etag === '' ? {} : { 'if-none-match': this.#etag };
    try {
      const request = { path: '/openapi/v2', headers: { ...headers, ...known }, timeout: DOWNLOAD_TIME };
      const response = await send({ method: 'GET', ...request });
      if (response.status === 304) return 'unchanged';
      if (response.status === 404) return { etag: '', hash: '', document: undefined };
      if (response.status !== 200) return 'failed';
      const hash = createHash('sha256').update(response.body).digest('base64');
      if (hash === this.#hash) return 'unchanged';
      const read = await runSteps(readJsonBody(response.body), pace);
      const document = read.ok ? await runSteps(remoteDocument(read.value, this.#version), pace) : undefined;
      return document === undefined ? 'failed' : { etag: headerOf(response, 'etag'), hash, document };
    } catch (error) {
      if (error instanceof OutboundError) return 'failed';
      throw error;
    }
  }
}

interface Downloaded {
  /** '' if the server sent none. */
  readonly etag: string;
  readonly hash: string;
  readonly document: RemoteDocument | undefined;
}
