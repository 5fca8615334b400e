import { at, isObject, type JsonObject, numberAt, textAt } from '../api/index.js';
import { bootstrapFlowControl, MANDATORY } from './bootstrap.js';
import type { Shares } from './borrowing.js';
import type { LevelConfig } from './level.js';
import { bySchemaOrder, type FlowSchema, flowSchemaOf } from './matching.js';

/** A PriorityLevelConfiguration in the form used for admitting requests. */
export interface LevelSpec extends LevelConfig, Shares {
  readonly name: string;
  readonly uid: string;
}

export interface FlowConfig {
  /** In matching order. Schemas of levels that do not exist are omitted. */
  readonly schemas: readonly FlowSchema[];
  readonly levels: readonly LevelSpec[];
}

/** Builds the configuration from the stored objects. Missing mandatory objects are added with their defaults. */
export function flowConfig(schemas: Iterable<JsonObject>, levels: Iterable<JsonObject>): FlowConfig {
  const bootstrap = bootstrapFlowControl();
  const all = completed(levels, bootstrap.prioritylevelconfigurations).map(levelOf);
  const names = new Set(all.map(({ name }) => name));
  return {
    schemas: completed(schemas, bootstrap.flowschemas)
      .map(flowSchemaOf)
      .filter(({ level }) => names.has(level))
      .sort(bySchemaOrder),
    levels: all,
  };
}

function completed(stored: Iterable<JsonObject>, bootstrap: readonly JsonObject[]): readonly JsonObject[] {
  const all = [...stored];
  const names = new Set(all.map((o) => textAt(o, 'metadata', 'name')));
  for (const object of bootstrap) {
    const name = textAt(object, 'metadata', 'name');
    if (MANDATORY.has(name) && !names.has(name)) all.push(object);
  }
  return all;
}

function levelOf(object: JsonObject): LevelSpec {
  const exempt = textAt(object, 'spec', 'type') === 'Exempt';
  const part = at(object, 'spec', exempt ? 'exempt' : 'limited');
  const queuing = at(part, 'limitResponse', 'queuing');
  const borrowing = at(part, 'borrowingLimitPercent');
  return {
    name: textAt(object, 'metadata', 'name'),
    uid: textAt(object, 'metadata', 'uid'),
    exempt,
    nominalShares: numberAt(part, 'nominalConcurrencyShares'),
    lendablePercent: numberAt(part, 'lendablePercent'),
    borrowingLimitPercent: typeof borrowing === 'number' ? borrowing : undefined,
    queuing: isObject(queuing)
      ? {
          queues: numberAt(queuing, 'queues'),
          handSize: numberAt(queuing, 'handSize'),
          queueLengthMax: numberAt(queuing, 'queueLengthLimit'),
        }
      : undefined,
  };
}
