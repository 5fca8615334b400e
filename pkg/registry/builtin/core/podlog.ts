import { errors, FieldErrors, FieldPath } from '../../../api/index.js';
import { wireTime } from '../../../codec/index.js';
import type { ConnectionRequest } from '../../resource.js';

/** Validation of log options, which runs before the pod is looked up. */

const SPLIT_STREAMS_GATE = 'PodLogsQuerySplitStreams';
const STREAMS = ['All', 'Stderr', 'Stdout'];

/** The path of an error about several parameters, which has no field. */
const TOGETHER = FieldPath.root.key('');

export function checkLogOptions({ name, parameters, context }: ConnectionRequest): void {
  const found = new FieldErrors();
  const sinceSeconds = parameters.integer('sinceSeconds');
  const sinceTime = timeOf(parameters.text('sinceTime'), parameters.has('sinceTime'));
  const tailLines = parameters.integer('tailLines');
  const limitBytes = parameters.integer('limitBytes');
  if (tailLines !== undefined && tailLines < 0)
    found.invalid(FieldPath.of('tailLines'), tailLines, 'must be greater than or equal to 0');
  if (limitBytes !== undefined && limitBytes < 1)
    found.invalid(FieldPath.of('limitBytes'), limitBytes, 'must be greater than 0');
  if (sinceSeconds !== undefined && sinceTime)
    found.forbidden(TOGETHER, 'at most one of `sinceTime` or `sinceSeconds` may be specified');
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    found.invalid(FieldPath.of('sinceSeconds'), sinceSeconds, 'must be greater than 0');
  if (parameters.has('stream')) {
    const path = FieldPath.of('stream');
    const stream = parameters.text('stream');
    if (!context.featureEnabled(SPLIT_STREAMS_GATE)) found.forbidden(path, 'may not be specified');
    else if (!STREAMS.includes(stream)) found.notSupported(path, stream, STREAMS);
    else if (stream !== 'All' && tailLines !== undefined)
      found.forbidden(TOGETHER, '`tailLines` and specific `stream` are mutually exclusive for now');
  }
  if (!found.empty) throw errors.invalid({ group: '', kind: 'PodLogOptions' }, name, found.list);
}

/** Whether a time is given. The empty string and `null` count as given, as Go's zero time. */
function timeOf(text: string, given: boolean): boolean {
  if (!given || text === '' || text === 'null') return given;
  const time = wireTime(text);
  if (!time.ok) throw errors.badRequest(time.message);
  return true;
}
