import { errors } from '../../api/index.js';
import type { EventStream, Representation } from '../../registry/index.js';
import type { WatchSeries } from '../../telemetry/index.js';
import type { AnswerStream } from '../exchange.js';
import { limits } from '../limits.js';
import { listOptions } from '../options.js';
import type { ResourceRequest } from '../resources.js';
import { watchHeaders } from '../responses.js';
import type { HttpServices } from '../services.js';
import { answerForm } from './answer.js';

/**
 * A watch: a position in the shared log of events, moved at the pace of the connection. What is pending is taken at once and
 * written at once; nothing is kept for the client but that position.
 */
export async function watch(request: ResourceRequest, services: HttpServices): Promise<void> {
  const { call, info, target, served } = request;
  if (!served.verbs.includes('watch')) throw errors.methodNotSupported(served.groupResource, 'watch');
  const form = answerForm(request, services, 'watch');
  const options = {
    ...listOptions(info.query),
    allowBookmarks: info.query.flag('allowWatchBookmarks'),
    name: info.legacyWatch ? info.name : '',
  };
  const seconds = info.query.integer('timeoutSeconds') ?? 0;
  const stream = await services.registry.watch({ target, options, representation: form }, call);
  if (call.exchange.gone) {
    stream.close();
    return;
  }
  const lasts = seconds > 0 ? seconds * 1000 : services.watchTime * (1 + services.world.random.float());
  const series = services.metrics.watchSeries(served.group, served.version, served.resource);
  const answer = call.exchange.stream(200, watchHeaders(call, contentType(form)));
  const open = call.series === undefined ? undefined : services.metrics.longRunning(call.series.kind);
  if (open !== undefined) open.value++;
  try {
    await deliver(call, { stream, answer, series, lasts }, services);
  } finally {
    if (open !== undefined) open.value--;
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

interface Delivery {
  readonly stream: EventStream;
  readonly answer: AnswerStream;
  readonly series: WatchSeries;
  /** Milliseconds. */
  readonly lasts: number;
}

/** Until the stream ends, its time is over, the client goes or the server drains. */
function deliver(call: ResourceRequest['call'], d: Delivery, services: HttpServices): Promise<void> {
  const { stream, answer, series } = d;
  return new Promise((resolve) => {
    let room = true;
    let over = false;
    const finish = (end: boolean): void => {
      if (over) return;
      over = true;
      cancel();
      services.watches.delete(stop);
      stream.close();
      if (end && !call.exchange.gone) answer.end();
      resolve();
    };
    const stop = (): void => finish(true);
    const cancel = services.world.timers.after(Math.min(d.lasts, TIMER_MAX), stop);
    const pump = (): void => {
      while (room && !over) {
        const frames = stream.take(limits.watchTakeBytes);
        if (frames === undefined) {
          if (stream.ended) finish(true);
          return;
        }
        room = answer.write(frames.payload, frames.chunk);
        call.bytes += frames.payload.length;
        services.metrics.watched(series, frames.events, frames.payload.length);
      }
    };
    answer.onDrain(() => {
      room = true;
      pump();
    });
    call.exchange.onClose(() => finish(false));
    services.watches.add(stop);
    stream.onReady(pump);
    pump();
  });
}

/** Beyond this Node's timers would fire at once. */
const TIMER_MAX = 2 ** 31 - 1;
