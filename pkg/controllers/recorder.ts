import { formatTime, type JsonObject, textAt } from '../api/index.js';
import type { ControllerContext } from './controller.js';
import { metaOf } from './meta.js';
import { servedResource } from './observe.js';

/** Events that are being written. Further ones are dropped: they are informational, and nothing depends on them. */
const WRITING_MAX = 50;

export interface EventText {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export type EventRecorder = (about: JsonObject, event: EventText) => void;

/** Writes Events about objects, in the namespace of the object or in `default`. */
export function eventRecorder({ cluster, world, log }: ControllerContext, component: string): EventRecorder {
  let writing = 0;
  return (about, { type, reason, message }) => {
    const resource = servedResource(cluster.servedResources(), 'events');
    if (resource === undefined || writing >= WRITING_MAX) return;
    const { name, namespace, uid, resourceVersion } = metaOf(about);
    const where = namespace === '' ? 'default' : namespace;
    const now = formatTime(world.clock.now());
    const suffix = Buffer.from(world.random.bytes(8)).toString('hex');
    const event: JsonObject = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: `${name}.${suffix}`, namespace: where },
      involvedObject: {
        apiVersion: textAt(about, 'apiVersion'),
        kind: textAt(about, 'kind'),
        name,
        ...(namespace === '' ? {} : { namespace }),
        uid,
        resourceVersion,
      },
      type,
      reason,
      message: message.slice(0, MESSAGE_CHARACTERS_MAX),
      source: { component },
      reportingComponent: component,
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    };
    writing++;
    cluster
      .create(resource, where, event)
      .catch((error: unknown) => log(`${component}: could not write an event`, { reason, error: String(error) }))
      .finally(() => {
        writing--;
      });
  };
}

const MESSAGE_CHARACTERS_MAX = 1024;
