import { isDns1123Label, isIntegerQuantity, type JsonObject, parseQuantity } from '../../../../../api/index.js';
import { at, nameOf, numberAt, objectAt, objectsAt, textAt } from '../../../access.js';

/** What is taken, but will not do what its author may think. */

const DEAD_VOLUMES: Readonly<Record<string, string>> = {
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
};

/** Volumes of kinds that nobody serves any more. */
export function deadVolumeWarnings(holder: JsonObject, path: string, warn: (text: string) => void): void {
  for (const [name, why] of Object.entries(DEAD_VOLUMES)) {
    if (at(holder, name) !== undefined) warn(`${path}.${name === 'storageos' ? 'storageOS' : name}: ${why}`);
  }
}

/** `path`: of the spec, e.g. `spec` or `spec.template.spec`. */
export function podSpecWarnings(spec: JsonObject, path: string, warn: (text: string) => void): void {
  for (const [i, v] of objectsAt(spec, 'volumes').entries()) {
    deadVolumeWarnings(v, `${path}.volumes[${i}]`, warn);
    if (objectsAt(v, 'projected', 'sources').some((s) => Object.keys(s).length === 0))
      warn(`volume "${textAt(v, 'name')}" (Projected) has no sources provided`);
  }
  for (const [i, s] of objectsAt(spec, 'imagePullSecrets').entries()) {
    if (textAt(s, 'name') === '') warn(`${path}.imagePullSecrets[${i}].name: invalid empty name ""`);
  }
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [i, c] of objectsAt(spec, list).entries()) containerWarnings(c, `${path}.${list}[${i}]`, warn);
  }
  portWarnings(spec, path, warn);
  for (const [i, a] of objectsAt(spec, 'hostAliases').entries())
    if (textAt(a, 'ip') === '') warn(`${path}.hostAliases[${i}].ip: invalid empty ip ""`);
  if (numberAt(spec, 'terminationGracePeriodSeconds') < 0) {
    warn(`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`);
  }
}

function containerWarnings(c: JsonObject, path: string, warn: (text: string) => void): void {
  for (const kind of ['limits', 'requests'] as const) {
    for (const name of ['memory', 'ephemeral-storage']) {
      const text = textAt(objectAt(c, 'resources', kind), name);
      const q = text === '' ? undefined : parseQuantity(text);
      if (q !== undefined && !isIntegerQuantity(q))
        warn(`${path}.resources.${kind}[${name}]: fractional byte value "${text}" is invalid, must be an integer`);
    }
  }
  const seen = new Set<string>();
  for (const [i, e] of objectsAt(c, 'env').entries()) {
    const name = textAt(e, 'name');
    // one that refers to an earlier one of the same name is meant
    if (seen.has(name) && !textAt(e, 'value').includes(`$(${name})`))
      warn(`${path}.env[${i}]: hides previous definition of "${name}", which may be dropped when using apply`);
    seen.add(name);
  }
}

interface Port {
  readonly at: string;
  readonly name: string;
  readonly key: string;
}

function portWarnings(spec: JsonObject, path: string, warn: (text: string) => void): void {
  const earlier: Port[] = [];
  for (const [i, c] of objectsAt(spec, 'containers').entries()) {
    for (const [j, p] of objectsAt(c, 'ports').entries()) {
      const port: Port = {
        at: `${path}.containers[${i}].ports[${j}]`,
        name: textAt(p, 'name'),
        key: [numberAt(p, 'containerPort'), textAt(p, 'protocol'), numberAt(p, 'hostPort'), textAt(p, 'hostIP')].join(
          '/',
        ),
      };
      const samePort = earlier.find((e) => e.key === port.key);
      const sameName = port.name === '' ? undefined : earlier.find((e) => e.name === port.name);
      if (samePort !== undefined) warn(`${port.at}: duplicate port definition with ${samePort.at}`);
      else if (sameName !== undefined) {
        warn(
          `${port.at}: duplicate port name "${port.name}" with ${sameName.at}, services and probes that select ports by name will use ${sameName.at}`,
        );
      }
      earlier.push(port);
    }
  }
}

/** Host names are DNS labels; a pod's name may be more than that. */
export function nameWarning(pod: JsonObject, warn: (text: string) => void): void {
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
