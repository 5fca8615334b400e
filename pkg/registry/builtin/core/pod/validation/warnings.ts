import { isDns1123Label, isIntegerQuantity, type JsonObject, parseQuantity } from '../../../../../api/index.js';
import { at, nameOf, numberAt, objectAt, objectsAt, textAt } from '../../../access.js';
import { volumePathWarnings } from './pathwarnings.js';
import { selectorWarnings } from './selectorwarnings.js';

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
  selectorWarnings(spec, path, warn);
  for (const [i, v] of objectsAt(spec, 'volumes').entries()) {
    deadVolumeWarnings(v, `${path}.volumes[${i}]`, warn);
    volumePathWarnings(v, warn);
    if (objectsAt(v, 'projected', 'sources').some((s) => Object.keys(s).length === 0))
      warn(`volume "${textAt(v, 'name')}" (Projected) has no sources provided`);
  }
  eachOnce(objectsAt(spec, 'imagePullSecrets'), 'name', `${path}.imagePullSecrets`, warn);
  for (const list of ['initContainers', 'containers'] as const) {
    for (const [i, c] of objectsAt(spec, list).entries()) containerWarnings(c, `${path}.${list}[${i}]`, warn);
  }
  portWarnings(spec, path, warn);
  eachOnce(objectsAt(spec, 'hostAliases'), 'ip', `${path}.hostAliases`, warn);
  if (numberAt(spec, 'terminationGracePeriodSeconds') < 0) {
    warn(`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`);
  }
}

/** A key of a list that is missing, or there twice. */
function eachOnce(items: readonly JsonObject[], field: string, path: string, warn: (text: string) => void): void {
  const seen = new Set<string>();
  for (const [i, item] of items.entries()) {
    const value = textAt(item, field);
    if (value === '') warn(`${path}[${i}].${field}: invalid empty ${field} ""`);
    else if (seen.has(value)) warn(`${path}[${i}].${field}: duplicate ${field} "${value}"`);
    seen.add(value);
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
  /** Port and protocol, and where on the host. */
  readonly port: string;
  readonly host: string;
}

function portWarnings(spec: JsonObject, path: string, warn: (text: string) => void): void {
  const earlier: Port[] = [];
  for (const [i, c] of objectsAt(spec, 'containers').entries()) {
    for (const [j, p] of objectsAt(c, 'ports').entries()) {
      const port: Port = {
        at: `${path}.containers[${i}].ports[${j}]`,
        name: textAt(p, 'name'),
        port: `${numberAt(p, 'containerPort')}/${textAt(p, 'protocol')}`,
        host: `${numberAt(p, 'hostPort')}/${textAt(p, 'hostIP')}`,
      };
      const samePort = earlier.find((e) => e.port === port.port && e.host === port.host);
      // one that takes the port on every address of the host, and one that takes it on some
      const ambiguous = earlier.find(
        (e) => e.port === port.port && e.host !== port.host && overlapOnHost(e.host, port.host),
      );
      const sameName = port.name === '' ? undefined : earlier.find((e) => e.name === port.name);
      if (samePort !== undefined) warn(`${port.at}: duplicate port definition with ${samePort.at}`);
      else if (ambiguous !== undefined) warn(`${port.at}: dangerously ambiguous port definition with ${ambiguous.at}`);
      else if (sameName !== undefined) {
        warn(
          `${port.at}: duplicate port name "${port.name}" with ${sameName.at}, services and probes that select ports by name will use ${sameName.at}`,
        );
      }
      earlier.push(port);
    }
  }
}

function overlapOnHost(a: string, b: string): boolean {
  const [portA, ipA] = a.split('/') as [string, string];
  const [portB, ipB] = b.split('/') as [string, string];
  return portA === portB && portA !== '0' && (ipA === '' || ipB === '' || ipA === ipB);
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
