import {
  type AdmissionRequest,
  type AdmissionStep,
  type AdmissionSubject,
  compareText,
  equalJson,
  errors,
  goJson,
  type JsonObject,
  type JsonValue,
} from '../../api/index.js';
import type { Steps } from '../../base/index.js';
import { readJsonBody } from '../../codec/index.js';
import { PatchError, patchSteps } from '../../patch/index.js';
import { ask, CallFailure, count, Rejection, throwIfOver, type WebhookWorld } from './call.js';
import { isExempt, objectsFor, WebhookMatcher } from './match.js';
import type { Verdict } from './review.js';
import { type Webhook, WebhookSource } from './source.js';

const NAME = 'MutatingAdmissionWebhook';
const TYPE = 'admit';

/** The state of the step between the two runs of the chain. */
interface Remembered {
  /** The object after this step. */
  output: JsonObject | undefined;
  /** Webhooks with reinvocationPolicy IfNeeded that were called since the last change. */
  readonly again: Set<string>;
  /** Those of them after which the object changed: the second run calls them. */
  readonly due: Set<string>;
}

/**
 * MutatingAdmissionWebhook: calls the matching webhooks one after the other; each receives the changes of the earlier
 * ones.
 */
export function mutatingWebhookStep(world: WebhookWorld): AdmissionStep {
  const source = new WebhookSource(world, 'mutating');
  return {
    name: NAME,
    mutate: (request) => {
      if (isExempt(request)) return;
      const webhooks = source.current();
      if (webhooks instanceof Promise) return webhooks.then((all) => mutate(all, request, world));
      return webhooks.length === 0 ? undefined : mutate(webhooks, request, world);
    },
  };
}

async function mutate(webhooks: readonly Webhook[], request: AdmissionRequest, world: WebhookWorld): Promise<void> {
  const { reinvocation } = request;
  const remembered = (reinvocation.state.get(NAME) as Remembered | undefined) ?? {
    output: undefined,
    again: new Set(),
    due: new Set(),
  };
  reinvocation.state.set(NAME, remembered);
  const changed = (): void => {
    for (const id of remembered.again) remembered.due.add(id);
    remembered.again.clear();
  };
  if (reinvocation.active && !equalJson(remembered.output ?? null, request.object ?? null)) changed();
  const matcher = new WebhookMatcher(request, { ...world, type: TYPE });
  try {
    for (const [index, webhook] of webhooks.entries()) {
      const subject = await matcher.match(webhook);
      // A webhook that was not called in the first run is not called in the second.
      if (subject === undefined || (reinvocation.active && !remembered.due.has(webhook.id))) continue;
      if (await call(webhook, index, request, subject, world)) {
        changed();
        reinvocation.request();
      }
      if (webhook.reinvokes) remembered.again.add(webhook.id);
    }
  } finally {
    remembered.output = request.object;
  }
}

/** Calls one webhook. Returns whether the object changed. */
async function call(
  webhook: Webhook,
  index: number,
  request: AdmissionRequest,
  subject: AdmissionSubject,
  world: WebhookWorld,
): Promise<boolean> {
  const since = world.world.clock.monotonic();
  const place = `round_${request.reinvocation.active ? 1 : 0}_index_${index}`;
  let mutated = false;
  try {
    const verdict = await ask(webhook, request, subject, true, world);
    mutated = await applyVerdict(webhook, verdict, { request, subject, place });
    count(world, webhook, TYPE, request, { since });
    return mutated;
  } catch (error) {
    count(world, webhook, TYPE, request, { since, error });
    if (error instanceof Rejection) throw error.status;
    if (!(error instanceof CallFailure)) throw error;
    const isIgnored = webhook.ignoresFailures;
    world.note(isIgnored ? 'failed calling webhook, failing open' : 'failed calling webhook, failing closed', {
      webhook: webhook.name,
      error: error.message,
    });
    if (!isIgnored) throw errors.internal(error.message);
    world.metrics.failedOpen(webhook.name, TYPE);
    request.annotate(`failed-open.mutation.webhook.admission.k8s.io/${place}`, webhook.name);
    throwIfOver(request, world.world);
    return false;
  } finally {
    const value = { configuration: webhook.configuration, webhook: webhook.name, mutated };
    request.annotate(`mutation.webhook.admission.k8s.io/${place}`, JSON.stringify(value));
  }
}

interface Called {
  readonly request: AdmissionRequest;
  readonly subject: AdmissionSubject;
  /** The round and the index of the call, for annotations. */
  readonly place: string;
}

/** Applies the patch of a verdict. Returns whether the object changed. */
async function applyVerdict(
  webhook: Webhook,
  { patch, patchType }: Verdict,
  { request, subject, place }: Called,
): Promise<boolean> {
  if (patch === '') return false;
  const operations = await request.run(operationsIn(webhook, patch));
  if (operations.length === 0) return false;
  const { object: live } = await objectsFor(request, subject, TYPE);
  if (live === undefined)
    throw errors.internal(
      `admission webhook "${webhook.name}" attempted to modify the object, which is not supported for this operation`,
    );
  if (patchType !== 'JSONPatch') throw new CallFailure(webhook, `unsupported patch type "${patchType}"`, 400);
  let patched: JsonObject;
  try {
    const input = { kind: 'json', current: live, patch: operations, schema: undefined, typed: false } as const;
    patched = (await request.run(patchSteps(input))).object;
  } catch (error) {
    if (error instanceof PatchError) throw errors.internal(error.message);
    throw error;
  }
  const before = request.object;
  await request.replace(patched);
  const value = () => {
    const { configuration, name } = webhook;
    return goJson({ configuration, webhook: name, patch: inOrder(operations), patchType }, 'asTheyStand');
  };
  request.annotate(`patch.webhook.admission.k8s.io/${place}`, value, 'Request');
  return !equalJson(before ?? null, request.object ?? null);
}

/** Operations with their fields in the order in which kube-apiserver records them. */
function inOrder(operations: readonly JsonValue[]): JsonValue[] {
  return operations.map((o) => {
    const operation = o as JsonObject;
    const fields = Object.keys(operation).sort(compareText);
    return Object.fromEntries(fields.map((field) => [field, operation[field]!]));
  });
}

function* operationsIn(webhook: Webhook, patch: string): Steps<JsonValue[]> {
  const fail = (why: string): CallFailure =>
    new CallFailure(webhook, `received undecodable patch in webhook response: ${why}`, 503);
  const read = yield* readJsonBody(Buffer.from(patch));
  if (!read.ok) throw fail(read.message);
  const { value } = read;
  if (value === null) return [];
  if (!Array.isArray(value)) throw fail(`json: cannot unmarshal ${typeof value} into Go value of type jsonpatch.Patch`);
  return value;
}
