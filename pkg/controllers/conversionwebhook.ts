import {
  ApiError,
  apiVersionOf,
  at,
  cloneJson,
  goQuote,
  isLabelKey,
  isLabelValue,
  isObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  parseApiVersion,
  textAt,
} from '../api/index.js';
import { type Pace, runSteps, type Steps, type World } from '../base/index.js';
import { codecLimits, jsonText } from '../codec/index.js';
import {
  ClientConfigError,
  DecodeError,
  OutboundError,
  outboundLimits,
  restError,
  reviewSteps,
  type WebhookClients,
} from '../outbound/index.js';
import type { ConvertBatch, Converted, RemoteConverter } from '../registry/index.js';
import type { ConversionMetrics, ConversionOutcome } from './conversionmetrics.js';

const GROUP = 'apiextensions.k8s.io';

/** Milliseconds for one call. */
const CALL_TIME = 30_000;
/** The same with the repetitions that the webhook asks for: the time that a request may take by default in kube-apiserver. */
const REPEATS_TIME = 60_000;
/** The refused calls of one request, after which all objects of a refused batch count as refused. */
const REFUSALS_MAX = 256;

export interface ConversionParts {
  readonly world: World;
  /** Reviews are written and read in steps. */
  readonly pace: Pace;
  readonly clients: WebhookClients;
  readonly metrics: ConversionMetrics;
}

/**
 * The conversion webhook of a definition (its `spec`), as a converter; undefined for the strategy None. Errors have the texts of
 * kube-apiserver. Of the metadata only labels and annotations may change. A batch that the webhook refuses is halved until the objects are
 * found that it refuses. After any other failure it is not called again for the request. A converted object may have as many values as the
 * body of a request.
 */
export function conversionWebhook(spec: JsonObject, parts: ConversionParts): RemoteConverter | undefined {
  if (textAt(spec, 'conversion', 'strategy') !== 'Webhook') return undefined;
  const webhook = at(spec, 'conversion', 'webhook');
  const config = objectAt(webhook, 'clientConfig') as JsonObject;
  const known = listAt(webhook, 'conversionReviewVersions').map(String);
  const version = known.find((v) => v === 'v1' || v === 'v1beta1');
  const definition = `${textAt(spec, 'names', 'plural')}.${textAt(spec, 'group')}`;
  const to = (apiVersion: string): ConvertBatch => {
    let failed = version === undefined ? failure('no supported conversion review versions') : undefined;
    let refusals = 0;
    const results: ConvertBatch = async (batch) => {
      if (failed !== undefined || version === undefined) return batch.map(() => failed!);
      const call = { kind: kindText(batch[0]!), version, uid: parts.world.random.uuid(), apiVersion };
      try {
        return await convert(parts, { definition, config, call }, batch);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (!(error instanceof Refusal)) failed = error;
        else if (batch.length > 1 && ++refusals < REFUSALS_MAX) {
          const middle = batch.length >> 1;
          return [...(await results(batch.slice(0, middle))), ...(await results(batch.slice(middle)))];
        }
        return batch.map(() => error);
      }
    };
    return results;
  };
  return { to, run: (work) => runSteps(work, parts.pace) };
}

/** Converts objects by one call, and counts it. */
async function convert(
  { world, pace, clients, metrics }: ConversionParts,
  { definition, config, call }: { readonly definition: string; readonly config: JsonObject; readonly call: Call },
  batch: readonly JsonObject[],
): Promise<readonly Converted[]> {
  const since = world.clock.monotonic();
  let outcome: ConversionOutcome = 'conversion_webhook_call_failure';
  try {
    const response = await send({ clients, pace }, config, call, batch);
    outcome = 'conversion_webhook_malformed_response_failure';
    const found = convertedIn(call, response);
    outcome = 'conversion_webhook_partial_response_failure';
    if (found.length !== batch.length)
      throw failure(`conversion webhook for ${call.kind} returned ${found.length} objects, expected ${batch.length}`);
    const converted = await runSteps(checkAll(call, batch, found), pace);
    const isValid = converted.every((o) => !(o instanceof ApiError));
    outcome = isValid ? '' : 'conversion_webhook_invalid_converted_object_failure';
    return converted;
  } finally {
    const [from, to] = [textAt(batch[0]!, 'apiVersion'), call.apiVersion].map((v) => parseApiVersion(v)?.version ?? '');
    metrics.called(outcome, (world.clock.monotonic() - since) / 1000, { definition, from: from!, to: to! });
  }
}

interface Call {
  /** Group, version and kind of the first object, as errors name it. */
  readonly kind: string;
  /** The version of the ConversionReview. */
  readonly version: string;
  readonly uid: string;
  readonly apiVersion: string;
}

/** A conversion that failed: 500 without a reason, as for any error that kube-apiserver does not classify. */
const failure = (message: string): ApiError => new ApiError(500, undefined, message);

/** The webhook answered that it cannot convert the objects. */
class Refusal extends ApiError {}

function kindText(o: JsonObject): string {
  return `${textAt(o, 'apiVersion')}, Kind=${textAt(o, 'kind')}`;
}

async function send(
  { clients, pace }: Pick<ConversionParts, 'clients' | 'pace'>,
  config: JsonObject,
  call: Call,
  objects: readonly JsonObject[],
): Promise<JsonValue> {
  const { kind, version } = call;
  const failed = (why: string): ApiError => failure(`conversion webhook for ${kind} failed: ${why}`);
  try {
    const body = await runSteps(reviewBody(call, objects), pace);
    const response = await clients.call(config, { body, timeout: CALL_TIME, total: REPEATS_TIME });
    const problem = restError(response);
    if (problem !== undefined) throw failed(problem.message);
    const type = { group: GROUP, kind: 'ConversionReview', version, versions: ['v1', 'v1beta1'] };
    const valuesMax = Math.min(objects.length * codecLimits.valuesMax, outboundLimits.valuesMax);
    return await runSteps(reviewSteps(type, response, valuesMax), pace);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof OutboundError || error instanceof ClientConfigError || error instanceof DecodeError)
      throw failed(error.message);
    throw error;
  }
}

/** The ConversionReview for objects, which are written one by one. */
function* reviewBody({ version, uid, apiVersion }: Call, objects: readonly JsonObject[]): Steps<Buffer> {
  const texts: string[] = [];
  for (const o of objects) {
    texts.push(jsonText(o));
    yield;
  }
  const head = `"kind":"ConversionReview","apiVersion":"${apiVersionOf({ group: GROUP, version })}"`;
  const request = `"uid":${jsonText(uid)},"desiredAPIVersion":${jsonText(apiVersion)},"objects":[${texts.join(',')}]`;
  const response = '"uid":"","convertedObjects":null,"result":{"metadata":{}}';
  return Buffer.from(`{${head},"request":{${request}},"response":{${response}}}`);
}

/** The converted objects of a ConversionReview. Only the review of version v1 is checked for its kind and uid. */
function convertedIn({ kind, version, uid }: Call, review: JsonValue): readonly JsonValue[] {
  const failed = (why: string): ApiError => failure(`conversion webhook for ${kind} failed: ${why}`);
  const expected = apiVersionOf({ group: GROUP, version });
  const [given, name] = [textAt(review, 'apiVersion'), textAt(review, 'kind')];
  if (version === 'v1' && (given !== expected || name !== 'ConversionReview'))
    throw failed(`expected webhook response of ${expected}, Kind=ConversionReview, got ${given || '/'}, Kind=${name}`);
  const response = at(review, 'response');
  if (!isObject(response)) throw failed('no response provided');
  if (version === 'v1' && textAt(response, 'uid') !== uid)
    throw failed(`expected response.uid=${goQuote(uid)}, got ${goQuote(textAt(response, 'uid'))}`);
  const status = textAt(response, 'result', 'status');
  if (status !== 'Success') {
    const message = textAt(response, 'result', 'message');
    const why = message === '' ? `response.result.status was '${status}', not 'Success'` : message;
    throw new Refusal(500, undefined, failed(why).message);
  }
  return listAt(response, 'convertedObjects');
}

function* checkAll(call: Call, batch: readonly JsonObject[], found: readonly JsonValue[]): Steps<readonly Converted[]> {
  const converted: Converted[] = [];
  for (const [i, o] of found.entries()) {
    converted.push(checked(call, batch[i]!, o));
    yield;
  }
  return converted;
}

/** A converted object with the metadata of the original, except labels and annotations; or what is wrong with it. */
function checked({ kind, apiVersion }: Call, original: JsonObject, o: JsonValue): Converted {
  // kube-apiserver converts stored objects one by one: its texts are those of a single object, with its index where the version or kind is wrong.
  const invalid = (why: string, where = ''): ApiError =>
    failure(`conversion webhook for ${kind} returned invalid object${where}: ${why}`);
  const invalidKind = (why: string): ApiError => invalid(why, ' at index 0');
  if (!isObject(o) || textAt(o, 'kind') === '') return failure('unexpected end of JSON input');
  if (textAt(o, 'apiVersion') !== apiVersion)
    return invalidKind(`invalid groupVersion (expected ${apiVersion}, received ${goVersion(textAt(o, 'apiVersion'))})`);
  const [wanted, got] = [textAt(original, 'kind'), textAt(o, 'kind')];
  if (wanted !== got) return invalidKind(`invalid kind (expected ${wanted}, received ${got})`);
  for (const [field, name] of SAME) {
    const [before, after] = [textAt(original, 'metadata', field), textAt(o, 'metadata', field)];
    if (before !== after) return invalid(`must have the same ${name}: ${before} != ${after}`);
  }
  const why = metadataProblem(o);
  if (why !== undefined) return failure(`conversion webhook for ${kind} returned invalid metadata: ${why}`);
  const metadata = cloneJson(objectAt(original, 'metadata') as JsonObject);
  for (const field of ['labels', 'annotations']) {
    const given = at(o, 'metadata', field);
    if (isObject(given)) metadata[field] = given;
    else delete metadata[field];
  }
  return { ...o, metadata };
}

const SAME = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

const goVersion = (apiVersion: string): string => (parseApiVersion(apiVersion) === undefined ? '' : apiVersion);

function metadataProblem(o: JsonObject): string | undefined {
  const { metadata } = o;
  if (metadata === undefined) return 'missing metadata in converted object';
  if (!isObject(metadata)) return `invalid metadata of type ${goType(metadata)} in converted object`;
  for (const field of ['labels', 'annotations']) {
    const given = metadata[field];
    if (given === undefined || given === null) continue;
    if (!isObject(given)) return `invalid metadata.${field} of type ${goType(given)} in converted object`;
    for (const [key, value] of Object.entries(given)) {
      if (typeof value !== 'string')
        return `metadata.${field}[${key}] must be a string, but is ${goType(value)} in converted object`;
      const path = `metadata.${field === 'labels' ? 'labels' : 'annotation'}`;
      // Keys of annotations are compared without regard to case.
      const [wrong] = isLabelKey(field === 'labels' ? key : key.toLowerCase());
      if (wrong !== undefined) return `${path}: Invalid value: ${goQuote(key)}: ${wrong}`;
      const [bad] = field === 'labels' ? isLabelValue(value) : [];
      if (bad !== undefined) return `${path}: Invalid value: ${goQuote(value)}: ${bad}`;
    }
  }
  return undefined;
}

function goType(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
