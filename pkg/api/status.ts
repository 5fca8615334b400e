import type { FieldError } from './field.js';
import { goQuote } from './go-format.js';

/** `Status` of the API conventions: the form of every failure (and of a successful delete) in a response. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: StatusListMeta;
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Whether an object is a Status: the result of a binding or an eviction is one. */
export function isStatus(object: object): object is Status {
  const { kind, apiVersion } = object as Partial<Status>;
  return kind === 'Status' && apiVersion === 'v1';
}

export interface StatusListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

export type StatusReason =
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'ServerTimeout'
  | 'StorageReadError'
  | 'Timeout'
  | 'TooManyRequests'
  | 'BadRequest'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError'
  | 'ServiceUnavailable';

/**
 * A failure that a client receives. The registry and the layers above throw it; it is caught once, where the response
 * is written. Create one with the catalogue below, never directly.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status & { readonly code: number };

  constructor(
    code: number,
    reason: StatusReason | undefined,
    message: string,
    details?: StatusDetails,
    metadata: StatusListMeta = {},
  ) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === undefined ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

/** Group and resource as errors name them: `deployments.apps`, `configmaps`. */
export interface GroupResourceName {
  readonly group: string;
  readonly resource: string;
}

export interface GroupKindName {
  readonly group: string;
  readonly kind: string;
}

function qualified(gr: GroupResourceName): string {
  return gr.group === '' ? gr.resource : `${gr.resource}.${gr.group}`;
}

function about(gr: GroupResourceName, name: string): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(gr.group === '' ? {} : { group: gr.group }),
    ...(gr.resource === '' ? {} : { kind: gr.resource }),
  };
}

export const errors = {
  badRequest: (message: string): ApiError => new ApiError(400, 'BadRequest', message),

  headersTooLarge: (message: string): ApiError => new ApiError(431, 'BadRequest', `request headers: ${message}`),

  unsupportedTransferEncoding: (coding: string): ApiError =>
    new ApiError(501, 'BadRequest', `unsupported transfer encoding: ${JSON.stringify(coding)}`),

  unauthorized: (message = 'Unauthorized'): ApiError => new ApiError(401, 'Unauthorized', message),

  forbidden: (gr: GroupResourceName, name: string, why: string): ApiError =>
    new ApiError(
      403,
      'Forbidden',
      gr.resource === ''
        ? `forbidden: ${why}`
        : name === ''
          ? `${qualified(gr)} is forbidden: ${why}`
          : `${qualified(gr)} ${goQuote(name)} is forbidden: ${why}`,
      about(gr, name),
    ),

  /** Nothing is created in a namespace that is being deleted. */
  namespaceTerminating: (gr: GroupResourceName, name: string, namespace: string): ApiError => {
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    const message =
      name === '' ? `${qualified(gr)} is forbidden: ${why}` : `${qualified(gr)} ${goQuote(name)} is forbidden: ${why}`;
    return new ApiError(403, 'Forbidden', message, {
      ...about(gr, name),
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    });
  },

  notFound: (gr: GroupResourceName, name: string): ApiError =>
    new ApiError(404, 'NotFound', `${qualified(gr)} ${goQuote(name)} not found`, about(gr, name)),

  /** The path does not exist. */
  noSuchPath: (): ApiError => new ApiError(404, 'NotFound', 'the server could not find the requested resource', {}),

  /** `deleting`: the existing object waits for its removal. */
  alreadyExists: (gr: GroupResourceName, name: string, deleting = false): ApiError =>
    new ApiError(
      409,
      'AlreadyExists',
      `${deleting ? 'object is being deleted: ' : ''}${qualified(gr)} ${goQuote(name)} already exists`,
      about(gr, name),
    ),

  /** Every generated name was already in use. */
  noUniqueName: (gr: GroupResourceName, name: string): ApiError =>
    new ApiError(
      409,
      'AlreadyExists',
      `${qualified(gr)} ${goQuote(name)} already exists, the server was not able to generate a unique name for the object`,
      { ...about(gr, name), retryAfterSeconds: 1 },
    ),

  conflict: (gr: GroupResourceName, name: string, why: string): ApiError =>
    new ApiError(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${qualified(gr)} ${goQuote(name)}: ${why}`,
      about(gr, name),
    ),

  /** Server-side apply conflicts; `causes` have reason FieldManagerConflict. */
  applyConflict: (causes: readonly StatusCause[], message: string): ApiError =>
    new ApiError(409, 'Conflict', message, { causes }),

  /** A watch or list at a version that is no longer kept. */
  expired: (message: string, metadata: StatusListMeta = {}): ApiError =>
    new ApiError(410, 'Expired', message, undefined, metadata),

  gone: (message: string): ApiError => new ApiError(410, 'Gone', message),

  /** All field errors of an object. */
  invalid: (gk: GroupKindName, name: string, found: readonly FieldError[]): ApiError => {
    const texts = [...new Set(found.map((e) => `${e.field}: ${e.message}`))];
    const kind = gk.group === '' ? gk.kind : `${gk.kind}.${gk.group}`;
    const list = texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]`;
    return new ApiError(
      422,
      'Invalid',
      texts.length === 0 ? `${kind} ${goQuote(name)} is invalid` : `${kind} ${goQuote(name)} is invalid: ${list}`,
      {
        ...(name === '' ? {} : { name }),
        ...(gk.group === '' ? {} : { group: gk.group }),
        ...(gk.kind === '' ? {} : { kind: gk.kind }),
        ...(found.length === 0
          ? {}
          : { causes: found.map((e) => ({ reason: e.type, message: e.message, field: e.field })) }),
      },
    );
  },

  /** A JSON patch that does not apply. */
  rejected: (): ApiError =>
    new ApiError(422, 'Invalid', 'the server rejected our request due to an error in our request', {}),

  methodNotSupported: (gr: GroupResourceName, action: string): ApiError =>
    new ApiError(
      405,
      'MethodNotAllowed',
      `${action} is not supported on resources of kind "${qualified(gr)}"`,
      about(gr, ''),
    ),

  /** The path does not support the method. */
  methodNotAllowed: (): ApiError =>
    new ApiError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {}),

  /** The route supports none of the media types in `Accept`, regardless of parameters. */
  noRepresentation: (available: readonly string[]): ApiError =>
    new ApiError(406, 'NotAcceptable', `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`, {}),

  /** The route does not support the `Content-Type`. */
  unsupportedContentType: (): ApiError => new ApiError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {}),

  notAcceptable: (accepted: readonly string[]): ApiError =>
    new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`),

  /** The media type is supported, but not for this response. */
  notAcceptableBecause: (message: string): ApiError => new ApiError(406, 'NotAcceptable', message),

  unsupportedMediaType: (accepted: readonly string[]): ApiError =>
    new ApiError(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    ),

  tooLarge: (message: string): ApiError => new ApiError(413, 'RequestEntityTooLarge', message),

  tooManyRequests: (message: string, retryAfterSeconds: number): ApiError =>
    new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds }),

  /** The change may or may not have happened; the client must check before it retries. */
  timeout: (message: string, retryAfterSeconds = 0): ApiError =>
    new ApiError(504, 'Timeout', `Timeout: ${message}`, retryAfterSeconds > 0 ? { retryAfterSeconds } : {}),

  /** The server did not reach the requested resource version in time. */
  tooLargeResourceVersion: (wanted: number, current: number, retry: boolean): ApiError =>
    new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      ...(retry ? { retryAfterSeconds: 1 } : {}),
    }),

  serviceUnavailable: (message: string): ApiError => new ApiError(503, 'ServiceUnavailable', message),

  internal: (message: string): ApiError =>
    new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] }),

  /** An error without a reason, as kube-apiserver reports those that it did not classify: of its connections, for example. */
  unexpected: (message: string): ApiError => new ApiError(500, undefined, message),

  storeRead: (message: string, details?: StatusDetails): ApiError =>
    new ApiError(500, 'StorageReadError', message, details),
} as const;
