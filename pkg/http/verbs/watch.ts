import { errors } from '../../api/index.js';
import type { EventStream, Frames, Representation } from '../../registry/index.js';
import type { Call } from '../call.js';
import { Delivery } from '../delivery.js';
import type { AnswerStream } from '../exchange.js';
import { listOptions } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import { streamWatch } from '../responses.js';
import type { HttpServices } from '../services.js';
import { answerForm } from './answer.js';

/**
 * Serves a watch: a position in the shared event log, which advances as fast as the connection accepts events. Pending
 * events are read and written at once; the server keeps only the position for each client.
 */
export async function watch(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, served } = request;
  const form = answerForm(request, services, 'watch');
  if (!served.verbs.includes('watch')) throw errors.methodNotSupported(served.groupResource, 'watch');
  const { stream, seconds } = await openStream(request, form, services);
  // As in kube-apiserver, other errors come before one of the form.
  if (call.exchange.gone || form.mismatch !== undefined) stream.close();
  if (call.exchange.gone) return;
  if (form.mismatch !== undefined) throw form.mismatch;
  // Unset or 0: the server chooses the duration. A watch whose end is past has no events.
  const chosen = Math.max(inMilliseconds(seconds), 0);
  const lasts = seconds === 0 ? services.watchTime * (1 + services.world.random.float()) : chosen;
  const series = services.metrics.watchSeries(served.group, served.version, served.resource);
  const answer = begin(call, stream, contentType(form));
  call.begun();
  const open = call.series === undefined ? undefined : services.metrics.longRunning(call.series.kind);
  if (open !== undefined) open.value++;
  try {
    const { exchange } = call;
    const { watches, metrics } = services;
    const written = (frames: Frames): void => {
      call.bytes += frames.payload.length;
      metrics.watched(series, frames.events, frames.payload.length);
    };
    const { timers } = services.world;
    const unwritable = form.ofLists === true;
    const { scheduler } = call;
    const caughtUp = (): void => call.initialized();
    await new Delivery({ exchange, stream, answer, timers, scheduler, lasts, unwritable, watches, caughtUp, written })
      .done;
  } finally {
    if (open !== undefined) open.value--;
  }
}

/** As in kube-apiserver, a duration has 64 bits of nanoseconds: one that does not fit is another one, which may be negative. */
function inMilliseconds(seconds: number): number {
  return Number(BigInt.asIntN(64, BigInt(seconds) * 1_000_000_000n) / 1_000_000n);
}

/** A function of its own: while the watch runs, nothing refers to its options, whose selectors may be long. */
async function openStream(
  { call, info, target }: ResourceRequest,
  representation: Representation,
  services: HttpServices,
): Promise<{ readonly stream: EventStream; readonly seconds: number }> {
  const options = {
    ...listOptions(info.query),
    allowBookmarks: info.query.flag('allowWatchBookmarks'),
    name: info.name,
    byPath: info.legacyWatch && !info.query.flag('watch'),
  };
  const { websocket } = call.exchange;
  const seconds = info.query.integer('timeoutSeconds') ?? 0;
  const stream = await services.registry.watch({ target, options, representation, websocket }, call);
  call.selected();
  return { stream, seconds };
}

/** Closes the stream if the response cannot begin. */
function begin(call: Call, stream: EventStream, type: string): AnswerStream {
  try {
    return streamWatch(call, type);
  } catch (error) {
    stream.close();
    throw error;
  }
}

function contentType(form: Representation): string {
  switch (form.encoding) {
    case 'json':
      return 'application/json';
    case 'yaml':
      return 'application/yaml';
    case 'protobuf':
      return 'application/vnd.kubernetes.protobuf;stream=watch';
    case 'cbor':
      return 'application/cbor-seq';
  }
}
