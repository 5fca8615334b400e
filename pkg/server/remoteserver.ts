import { errors, isObject, type JsonObject } from '../api/index.js';
import { type Pace, runSteps } from '../base/index.js';
import { jsonText, readJsonBody } from '../codec/index.js';
import type { RemoteVersion } from '../http/index.js';
import { OutboundError, type OutboundRequest, type OutboundResponse, outboundLimits } from '../outbound/index.js';

/** Milliseconds. */
const REQUEST_TIME = 30_000;

/** One version that an aggregated server serves, and how to ask it. */
export interface RemoteServer extends Pick<RemoteVersion, 'group' | 'version' | 'isAvailable' | 'discovery'> {
  send(request: OutboundRequest): Promise<OutboundResponse>;
  /** Responses are read in steps. */
  readonly pace: Pace;
}

export interface RemoteRequest {
  readonly method: 'GET' | 'DELETE' | 'PATCH';
  readonly path: string;
  readonly accept: string;
  /**
   * The name of the controller that asks: a service account in kube-system, as in a kube-controller-manager with
   * `--use-service-account-credentials`.
   */
  readonly account: string;
  /** Sent as JSON; that of a PATCH is a merge patch. */
  readonly body?: JsonObject;
}

/** Asks an aggregated server. Returns the object, or undefined if the server says that it was not found. Throws `ApiError` otherwise. */
export async function askRemote(server: RemoteServer, request: RemoteRequest): Promise<JsonObject | undefined> {
  const { method, path, accept, account } = request;
  const headers = {
    'x-remote-user': `system:serviceaccount:kube-system:${account}`,
    'x-remote-group': ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
    accept,
  };
  try {
    const { status, body } = await server.send({
      method,
      path,
      headers: {
        ...headers,
        ...(request.body === undefined
          ? {}
          : { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: Buffer.from(jsonText(request.body)) }),
      timeout: REQUEST_TIME,
    });
    const isSuccess = status >= 200 && status < 300;
    if (status === 409)
      throw errors.conflict({ group: server.group, resource: server.version }, path, 'it has changed');
    if (!isSuccess && status !== 404) throw errors.internal(`${method} ${path}: status ${status}`);
    const read = await runSteps(readJsonBody(body, outboundLimits.valuesMax), server.pace);
    if (!read.ok) throw errors.internal(`${method} ${path}: ${read.message}`);
    const answer = read.value;
    if (!isObject(answer)) throw errors.internal(`${method} ${path}: the response is not an object`);
    if (isSuccess) return answer;
    // A 404 of something else on the way, or of a server that does not serve its paths yet, does not tell that there is no such object.
    if (answer['kind'] === 'Status' && answer['reason'] === 'NotFound') return undefined;
    throw errors.internal(`${method} ${path}: status 404 without the reason NotFound`);
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    throw errors.internal(`${method} ${path}: ${error.message}`);
  }
}
