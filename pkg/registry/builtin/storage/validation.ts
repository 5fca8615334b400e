import {
  compareQuantities,
  equalJson,
  type FieldErrors,
  type FieldName,
  FieldPath,
  type FieldShape,
  isDns1123Subdomain,
  isLabelKey,
  isObject,
  isQualifiedName,
  JsonCounter,
  type JsonObject,
  parseQuantity,
  type Shaped,
  zeroQuantity,
} from '../../../api/index.js';
import type { shapes } from '../../../schema/index.js';
import { at, listAt, objectAt, objectsAt, textAt } from '../access.js';
import { volumeSpec } from '../core/volumerules.js';
import { driverName, isInvalidSelector, labelSelector, nonNegative, oneOf, sentences, shown } from '../rules.js';
import { conditionReason } from '../status/conditions.js';

/** Validation of the storage group: classes, drivers and what drivers report. */

const SPEC = FieldPath.of('spec');
const PARAMETERS_BYTES_MAX = 256 * 1024;
const PARAMETERS_MAX = 512;

function same<T, A extends FieldName<T>, B extends FieldName<FieldShape<T, A>>>(
  o: Shaped<T>,
  old: Shaped<T>,
  path: readonly [A] | readonly [A, B],
  errors: FieldErrors,
  type?: string,
): void {
  const now = at(o as JsonObject, ...path);
  if (!equalJson(now ?? null, at(old as JsonObject, ...path) ?? null))
    errors.invalid(FieldPath.of(...path), type === undefined ? now : shown(type, now), 'field is immutable');
}

function parameters(
  o: Shaped<shapes.StorageV1StorageClass | shapes.StorageV1VolumeAttributesClass>,
  errors: FieldErrors,
): void {
  const all = objectAt(o, 'parameters');
  const path = FieldPath.in<shapes.StorageV1StorageClass | shapes.StorageV1VolumeAttributesClass>().child('parameters');
  const entries = Object.entries(all);
  if (entries.length > PARAMETERS_MAX) {
    errors.tooLong(path, PARAMETERS_MAX);
    return;
  }
  let bytes = 0;
  for (const [k, v] of entries) {
    if (k === '') errors.invalid(path, k, 'field can not be empty.');
    bytes += Buffer.byteLength(k) + Buffer.byteLength(String(v));
  }
  if (bytes > PARAMETERS_BYTES_MAX) errors.tooLong(path, PARAMETERS_BYTES_MAX);
}

export function validateStorageClass(o: Shaped<shapes.StorageV1StorageClass>, errors: FieldErrors): void {
  const provisioner = textAt(o, 'provisioner');
  if (provisioner === '') errors.required(FieldPath.in<shapes.StorageV1StorageClass>().child('provisioner'));
  else
    sentences(
      provisioner.toLowerCase(),
      isQualifiedName,
      FieldPath.in<shapes.StorageV1StorageClass>().child('provisioner'),
      errors,
    );
  parameters(o, errors);
  const policy = at(o, 'reclaimPolicy');
  if (typeof policy === 'string' && policy !== '')
    oneOf(
      policy,
      FieldPath.in<shapes.StorageV1StorageClass>().child('reclaimPolicy'),
      ['Delete', 'Retain'],
      errors,
      false,
    );
  const mode = at(o, 'volumeBindingMode');
  if (typeof mode !== 'string')
    errors.required(FieldPath.in<shapes.StorageV1StorageClass>().child('volumeBindingMode'));
  else
    oneOf(
      mode,
      FieldPath.in<shapes.StorageV1StorageClass>().child('volumeBindingMode'),
      ['Immediate', 'WaitForFirstConsumer'],
      errors,
      false,
    );
  topologies(o, errors);
}

function topologies(o: Shaped<shapes.StorageV1StorageClass>, errors: FieldErrors): void {
  const seen = new JsonCounter();
  // kube-apiserver compares each term with the earlier ones, and with one empty term for each term of the list.
  seen.add({}, objectsAt(o, 'allowedTopologies').length);
  errors.each(objectsAt(o, 'allowedTopologies'), (term, i) => {
    const path = FieldPath.in<shapes.StorageV1StorageClass>()
      .child('allowedTopologies')
      .index(i)
      .child('matchLabelExpressions');
    const expressions = objectsAt(term, 'matchLabelExpressions');
    const keys = new Set<string>();
    const shape: JsonObject = {};
    errors.each(expressions, (e, j) => {
      const here = path.index(j);
      const key = textAt(e, 'key');
      const values = listAt(e, 'values').map(String);
      if (values.length === 0) errors.required(here.child('values'));
      const once = new Set<string>();
      errors.each(values, (v, k) => {
        if (once.has(v)) errors.duplicate(here.child('values').index(k), v);
        once.add(v);
      });
      sentences(key, isLabelKey, here.child('key'), errors);
      if (keys.has(key)) errors.duplicate(here.child('key'), key);
      keys.add(key);
      errors.after(() => {
        shape[key] = [...once].sort();
      });
    });
    errors.after(() => {
      for (let before = seen.add(shape); before > 0 && !errors.full; before--) errors.duplicate(path, '');
    });
  });
}

export function validateStorageClassUpdate(
  o: Shaped<shapes.StorageV1StorageClass>,
  old: Shaped<shapes.StorageV1StorageClass>,
  errors: FieldErrors,
): void {
  // reported twice: by the rule for every class and by the rule for updates
  validateStorageClass(o, errors);
  for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const)
    same(o, old, [field], errors);
}

const TOKEN_SECONDS_MIN = 600;
const UPDATE_SECONDS_MIN = 10;

export function validateCsiDriver(o: Shaped<shapes.StorageV1CSIDriver>, errors: FieldErrors): void {
  for (const [field, reported] of [
    ['attachRequired', 'attachedRequired'],
    ['podInfoOnMount', 'podInfoOnMount'],
    ['storageCapacity', 'storageCapacity'],
  ] as const)
    if (at(o, 'spec', field) === undefined) errors.required(SPEC.child(reported));
  const policy = at(o, 'spec', 'fsGroupPolicy');
  if (typeof policy === 'string')
    oneOf(policy, SPEC.child('fsGroupPolicy'), ['File', 'None', 'ReadWriteOnceWithFSType'], errors, false);
  const requests = objectsAt(o, 'spec', 'tokenRequests');
  const audiences = new Set<string>();
  errors.each(requests, (r, i) => {
    const path = SPEC.child('tokenRequests').index(i);
    const audience = textAt(r, 'audience');
    if (audiences.has(audience)) {
      errors.duplicate(path.child('audience'), audience);
      return;
    }
    audiences.add(audience);
    const seconds = at(r, 'expirationSeconds');
    if (typeof seconds === 'number' && seconds < TOKEN_SECONDS_MIN)
      errors.invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration less than 10 minutes');
    if (typeof seconds === 'number' && seconds > 2 ** 32)
      errors.invalid(path.child('expirationSeconds'), seconds, 'may not specify a duration larger than 2^32 seconds');
  });
  for (const mode of listAt(o, 'spec', 'volumeLifecycleModes').map(String))
    if (mode !== 'Persistent' && mode !== 'Ephemeral')
      errors.notSupported(SPEC.child('volumeLifecycleModes'), mode, ['Persistent', 'Ephemeral']);
  const period = at(o, 'spec', 'nodeAllocatableUpdatePeriodSeconds');
  if (typeof period === 'number' && period < UPDATE_SECONDS_MIN)
    errors.invalid(
      SPEC.child('nodeAllocatableUpdatePeriodSeconds'),
      period,
      `must be greater than or equal to ${UPDATE_SECONDS_MIN} seconds`,
    );
  const inSecrets = at(o, 'spec', 'serviceAccountTokenInSecrets');
  if (inSecrets !== undefined && requests.length === 0)
    errors.invalid(
      SPEC.child('serviceAccountTokenInSecrets'),
      inSecrets,
      'serviceAccountTokenInSecrets is set but no tokenRequests are specified',
    );
}

export function validateCsiDriverUpdate(
  o: Shaped<shapes.StorageV1CSIDriver>,
  old: Shaped<shapes.StorageV1CSIDriver>,
  errors: FieldErrors,
): void {
  validateCsiDriver(o, errors);
  const attach = at(o, 'spec', 'attachRequired');
  if (!equalJson(attach ?? null, at(old, 'spec', 'attachRequired') ?? null))
    errors.invalid(SPEC.child('attachedRequired'), attach, 'field is immutable');
  same(o, old, ['spec', 'volumeLifecycleModes'], errors);
}

const NODE_ID_MAX = 256;

export function validateCsiNode(o: Shaped<shapes.StorageV1CSINode>, errors: FieldErrors): void {
  const seen = new Set<string>();
  errors.each(objectsAt(o, 'spec', 'drivers'), (d, i) => {
    const path = SPEC.child('drivers').index(i);
    const name = textAt(d, 'name');
    driverName(name, path.child('name'), errors);
    const id = textAt(d, 'nodeID');
    if (id === '') errors.required(path.child('nodeID'));
    else if (id.length > NODE_ID_MAX)
      errors.invalid(path.child('nodeID'), id, `must be ${NODE_ID_MAX} characters or less`);
    nonNegative(at(d, 'allocatable', 'count'), path.child('allocatable', 'count'), errors);
    if (seen.has(name)) errors.duplicate(path.child('name'), name);
    seen.add(name);
    const keys = new Set<string>();
    for (const key of listAt(d, 'topologyKeys').map(String)) {
      if (key === '') errors.required(path);
      if (keys.has(key)) errors.duplicate(path, key);
      keys.add(key);
      sentences(key, isLabelKey, path, errors);
    }
  });
}

const HEALTH_CONDITIONS_MAX = 16;
const HEALTH_REASON_MAX = 256;
const HEALTH_MESSAGE_MAX = 1024;

/** The volume health that a node reports. */
export function validateCsiNodeStatus(
  o: Shaped<shapes.StorageV1CSINode>,
  _old: Shaped<shapes.StorageV1CSINode>,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  errors.each(objectsAt(o, 'status', 'storageHealth'), (health, i) => {
    const here = FieldPath.in<shapes.StorageV1CSINode>().child('status', 'storageHealth').index(i);
    const name = textAt(health, 'name');
    if (seen.has(name)) errors.duplicate(here, name);
    seen.add(name);
    driverName(name, here.child('name'), errors);
    const conditions = objectsAt(health, 'healthConditions');
    const path = here.child('healthConditions');
    if (conditions.length > HEALTH_CONDITIONS_MAX) errors.tooMany(path, conditions.length, HEALTH_CONDITIONS_MAX);
    else errors.each(conditions, (c, j) => healthCondition(c, path.index(j), errors));
  });
}

function healthCondition(
  c: Shaped<shapes.StorageV1StorageHealthCondition>,
  path: FieldPath<shapes.StorageV1StorageHealthCondition>,
  errors: FieldErrors,
): void {
  oneOf(textAt(c, 'status'), path.child('status'), ['StorageDegraded', 'StorageUnreachable'], errors, false);
  const reason = textAt(c, 'reason');
  if (reason === '') errors.required(path.child('reason'));
  else {
    conditionReason(reason, path.child('reason'), errors);
    if (Buffer.byteLength(reason) > HEALTH_REASON_MAX) errors.tooLong(path.child('reason'), HEALTH_REASON_MAX);
  }
  if (Buffer.byteLength(textAt(c, 'message')) > HEALTH_MESSAGE_MAX)
    errors.tooLong(path.child('message'), HEALTH_MESSAGE_MAX);
  const access = at(c, 'accessMode');
  if (typeof access === 'string') oneOf(access, path.child('accessMode'), [...ACCESS_MODES].sort(), errors, false);
  const mode = at(c, 'volumeMode');
  if (typeof mode === 'string') oneOf(mode, path.child('volumeMode'), ['Filesystem', 'Block'], errors, false);
}

const ACCESS_MODES = ['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod'];

/** An existing driver is immutable except for its count. */
export function validateCsiNodeUpdate(
  o: Shaped<shapes.StorageV1CSINode>,
  old: Shaped<shapes.StorageV1CSINode>,
  errors: FieldErrors,
): void {
  validateCsiNode(o, errors);
  const bare = (d: Shaped<shapes.StorageV1CSINodeDriver>): Shaped<shapes.StorageV1CSINodeDriver> => {
    const { allocatable: _, ...rest } = d;
    return rest;
  };
  for (const before of objectsAt(old, 'spec', 'drivers')) {
    const namesakes = objectsAt(o, 'spec', 'drivers').filter((d) => textAt(d, 'name') === textAt(before, 'name'));
    for (const now of namesakes.filter((d) => !equalJson(bare(d), bare(before))))
      errors.invalid(SPEC.child('drivers'), shown('storage/v1.CSINodeDriver', bare(now)), 'field is immutable');
  }
}

export function validateCapacity(
  o: Shaped<shapes.StorageV1CSIStorageCapacity>,
  errors: FieldErrors,
  old?: Shaped<shapes.StorageV1CSIStorageCapacity>,
): void {
  const root = FieldPath.in<shapes.StorageV1CSIStorageCapacity>();
  const checkValues = old === undefined || !isInvalidSelector(at(old, 'nodeTopology'));
  labelSelector(at(o, 'nodeTopology'), root.child('nodeTopology'), errors, checkValues);
  sentences(textAt(o, 'storageClassName'), isDns1123Subdomain, root.child('storageClassName'), errors);
  const capacity = textAt(o, 'capacity');
  const q = parseQuantity(capacity);
  if (q !== undefined && compareQuantities(q, zeroQuantity) < 0)
    errors.invalid(root.child('capacity'), capacity, 'must be greater than or equal to 0');
}

export function validateCapacityUpdate(
  o: Shaped<shapes.StorageV1CSIStorageCapacity>,
  old: Shaped<shapes.StorageV1CSIStorageCapacity>,
  errors: FieldErrors,
): void {
  validateCapacity(o, errors, old);
  same(o, old, ['nodeTopology'], errors, 'meta/v1.LabelSelector');
  same(o, old, ['storageClassName'], errors);
}

export function validateAttachment(o: Shaped<shapes.StorageV1VolumeAttachment>, errors: FieldErrors): void {
  const spec = objectAt(o, 'spec');
  driverName(textAt(spec, 'attacher'), SPEC.child('attacher'), errors);
  const path = SPEC.child('source');
  const name = at(spec, 'source', 'persistentVolumeName');
  const inline = at(spec, 'source', 'inlineVolumeSpec');
  const only = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (name === undefined && inline === undefined) errors.required(path, only);
  else if (name !== undefined && inline !== undefined) errors.forbidden(path, only);
  else if (name === '')
    errors.required(path.child('persistentVolumeName'), 'must specify non empty persistentVolumeName');
  else if (inline !== undefined)
    volumeSpec(objectAt(spec, 'source', 'inlineVolumeSpec'), path.child('inlineVolumeSpec'), true, errors);
  sentences(textAt(spec, 'nodeName'), isDns1123Subdomain, SPEC.child('nodeName'), errors);
  attachmentStatus(o, errors);
  if (typeof name === 'string') sentences(name, isDns1123Subdomain, path.child('persistentVolumeName'), errors);
}

const ATTACHMENT_METADATA_BYTES_MAX = 256 * 1024;
const VOLUME_ERROR_BYTES_MAX = 1024;
const INT32_MAX = 2 ** 31 - 1;

function attachmentStatus(o: Shaped<shapes.StorageV1VolumeAttachment>, errors: FieldErrors): void {
  const path = FieldPath.in<shapes.StorageV1VolumeAttachment>().child('status');
  const metadata = Object.entries(objectAt(o, 'status', 'attachmentMetadata'));
  const bytes = metadata.reduce((sum, [k, v]) => sum + Buffer.byteLength(k) + Buffer.byteLength(String(v)), 0);
  if (bytes > ATTACHMENT_METADATA_BYTES_MAX)
    errors.tooLong(path.child('attachmentMetadata'), ATTACHMENT_METADATA_BYTES_MAX);
  for (const field of ['attachError', 'detachError'] as const) {
    const message = textAt(o, 'status', field, 'message');
    const code = at(o, 'status', field, 'errorCode');
    if (Buffer.byteLength(message) > VOLUME_ERROR_BYTES_MAX)
      errors.tooLong(path.child(field).child('message'), VOLUME_ERROR_BYTES_MAX);
    if (typeof code === 'number' && code < 0)
      errors.invalid(path.child(field).child('errorCode'), code, `must be between 0 and ${INT32_MAX}, inclusive`);
  }
}

export function validateAttachmentUpdate(
  o: Shaped<shapes.StorageV1VolumeAttachment>,
  old: Shaped<shapes.StorageV1VolumeAttachment>,
  errors: FieldErrors,
): void {
  validateAttachment(o, errors);
  same(o, old, ['spec'], errors, 'storage/v1.VolumeAttachmentSpec');
}

export function validateAttributesClass(o: Shaped<shapes.StorageV1VolumeAttributesClass>, errors: FieldErrors): void {
  const driver = textAt(o, 'driverName');
  const path = FieldPath.in<shapes.StorageV1VolumeAttributesClass>().child('driverName');
  if (driver === '') errors.required(path);
  else sentences(driver.toLowerCase(), isQualifiedName, path, errors);
  const given = at(o, 'parameters');
  if (!isObject(given) || Object.keys(given).length === 0)
    errors.required(
      FieldPath.in<shapes.StorageV1VolumeAttributesClass>().child('parameters'),
      'must contain at least one key/value pair',
    );
  else parameters(o, errors);
}

export function validateAttributesClassUpdate(
  o: Shaped<shapes.StorageV1VolumeAttributesClass>,
  old: Shaped<shapes.StorageV1VolumeAttributesClass>,
  errors: FieldErrors,
): void {
  for (const field of ['driverName', 'parameters'] as const)
    if (!equalJson(at(o, field) ?? null, at(old, field) ?? null))
      errors.forbidden(FieldPath.of(field), `updates to ${field} are forbidden.`);
  validateAttributesClass(o, errors);
}
