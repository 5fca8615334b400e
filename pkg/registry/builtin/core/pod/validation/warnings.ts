import { type FieldName, isDns1123Label, type JsonObject, type Shaped } from '../../../../../api/index.js';
import type { Steps } from '../../../../../base/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, listAt, nameOf, numberAt, objectAt, objectsAt, textAt } from '../../../access.js';
import { fractionalBytes, ipWarning } from '../../../valuewarnings.js';
import { containerWarnings, portWarnings } from './containerwarnings.js';
import { volumePathWarnings } from './pathwarnings.js';
import { affinityWarnings, deadAnnotationWarnings, nodeChoiceWarnings } from './selectorwarnings.js';

/** Warnings about accepted pods that may not work as intended, in the order of kube-apiserver. */

type Warn = (text: string) => void;

const DEAD_VOLUMES: Readonly<Partial<Record<FieldName<shapes.CoreV1Volume>, string>>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

/** Volume types whose drivers were removed. */
export function deadVolumeWarnings(
  holder: Shaped<shapes.CoreV1PersistentVolumeSpec | shapes.CoreV1Volume>,
  path: string,
  warn: Warn,
): void {
  for (const [name, why] of Object.entries(DEAD_VOLUMES)) {
    if (at(holder as JsonObject, name) !== undefined)
      warn(`${path}.${name === 'storageos' ? 'storageOS' : name}: ${why}`);
  }
}

/** `of` is a pod, or the pod template at `path`. The path of a pod is ''. In steps: each list may have thousands of items. */
export function* podWarnings(of: Shaped<shapes.CoreV1PodTemplateSpec>, path: string, warn: Warn): Steps<void> {
  const prefix = path === '' ? '' : `${path}.`;
  const spec = objectAt(of, 'spec');
  const here = `${prefix}spec`;
  const annotations = { all: objectAt(of, 'metadata', 'annotations'), path: `${prefix}metadata.annotations` };
  nodeChoiceWarnings(spec, here, warn);
  deadAnnotationWarnings(annotations.all, annotations.path, warn);
  yield* volumeWarnings(spec, here, warn);
  yield* listWarnings(spec, here, warn);
  for (const name of ['memory', 'ephemeral-storage'])
    fractionalBytes(at(spec, 'overhead', name), `${here}.overhead[${name}]`, warn);
  yield* containerWarnings(spec, { path: here, annotations }, warn);
  yield* portWarnings(spec, here, warn);
  if (numberAt(spec, 'terminationGracePeriodSeconds') < 0)
    warn(`${here}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`);
  affinityWarnings(spec, here, warn);
  yield;
  for (const [i, ip] of listAt(spec, 'dnsConfig', 'nameservers').entries()) {
    ipWarning(String(ip), `${here}.dnsConfig.nameservers[${i}]`, warn);
    yield;
  }
}

function* volumeWarnings(spec: Shaped<shapes.CoreV1PodSpec>, path: string, warn: Warn): Steps<void> {
  for (const [i, v] of objectsAt(spec, 'volumes').entries()) {
    const here = `${path}.volumes[${i}]`;
    deadVolumeWarnings(v, here, warn);
    const asked = 'resources.requests[storage]';
    const claim = at(v, 'ephemeral', 'volumeClaimTemplate', 'spec');
    fractionalBytes(
      at(claim, 'resources', 'requests', 'storage'),
      `${here}.ephemeral.volumeClaimTemplate.spec.${asked}`,
      warn,
    );
    volumePathWarnings(v, warn);
    if (objectsAt(v, 'projected', 'sources').some((s) => Object.keys(s).length === 0))
      warn(`volume "${textAt(v, 'name')}" (Projected) has no sources provided`);
    yield;
  }
}

function* listWarnings(spec: Shaped<shapes.CoreV1PodSpec>, path: string, warn: Warn): Steps<void> {
  const aliases = objectsAt(spec, 'hostAliases').map((a) => textAt(a, 'ip'));
  repeated(aliases, (i) => `${path}.hostAliases[${i}].ip`, 'ip', warn);
  for (const [i, ip] of aliases.entries()) {
    ipWarning(ip, `${path}.hostAliases[${i}].ip`, warn);
    yield;
  }
  const secrets = objectsAt(spec, 'imagePullSecrets').map((s) => textAt(s, 'name'));
  const name = (i: number): string => `${path}.imagePullSecrets[${i}].name`;
  repeated(secrets, name, 'name', warn);
  for (const [i, secret] of secrets.entries()) if (secret === '') warn(`${name(i)}: invalid empty name ""`);
}

function repeated(values: readonly string[], path: (i: number) => string, field: string, warn: Warn): void {
  const seen = new Set<string>();
  for (const [i, value] of values.entries()) {
    if (seen.has(value)) warn(`${path(i)}: duplicate ${field} "${value}"`);
    seen.add(value);
  }
}

/** Host names are DNS labels. A pod name may be a longer subdomain. */
export function nameWarning(pod: Shaped<shapes.CoreV1Pod>, warn: Warn): void {
  const name = nameOf(pod);
  const wrong = isDns1123Label(name);
  if (name !== '' && wrong.length > 0) {
    warn(
      `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${shorter(name, wrong).join(' ')}]`,
    );
  }
}

const shorter = (name: string, sentences: readonly string[]): readonly string[] =>
  name.includes('.') ? ['must not contain dots'] : sentences;
