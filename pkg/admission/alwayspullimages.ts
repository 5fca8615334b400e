import {
  type AdmissionRequest,
  type AdmissionStep,
  at,
  isObject,
  type JsonObject,
  listAt,
  objectsAt,
  textAt,
} from '../api/index.js';
import { forbidden, isAbout } from './step.js';

const LISTS = ['initContainers', 'containers', 'ephemeralContainers'] as const;
const ALWAYS = 'Always';

/** Sets the pull policy of every container and image volume to Always, so that a private image needs credentials each time. */
export const alwaysPullImagesStep: AdmissionStep = {
  name: 'AlwaysPullImages',
  mutate: (request) => {
    const pod = podOf(request);
    if (pod === undefined) return;
    for (const list of LISTS) for (const c of objectsAt(pod, 'spec', list)) c['imagePullPolicy'] = ALWAYS;
    for (const volume of objectsAt(pod, 'spec', 'volumes')) {
      const image = at(volume, 'image');
      if (isObject(image)) image['pullPolicy'] = ALWAYS;
    }
  },
  validate: (request) => {
    const pod = podOf(request);
    if (pod === undefined) return;
    const problems: string[] = [];
    const check = (path: string, policy: string): void => {
      if (policy !== ALWAYS) problems.push(`${path}: Unsupported value: "${policy}": supported values: "${ALWAYS}"`);
    };
    for (const list of LISTS)
      for (const [i, c] of objectsAt(pod, 'spec', list).entries())
        check(`spec.${list}[${i}].imagePullPolicy`, textAt(c, 'imagePullPolicy'));
    for (const [i, volume] of listAt(pod, 'spec', 'volumes').entries())
      if (at(volume, 'image') !== undefined)
        check(`spec.volumes[${i}].image.pullPolicy`, textAt(volume, 'image', 'pullPolicy'));
    if (problems.length > 0) throw forbidden(request, problems.join(', '));
  },
};

/** Returns the pod of a create, or of an update that adds a new image. */
function podOf(request: AdmissionRequest): JsonObject | undefined {
  const { operation, object, old } = request;
  if (!isAbout(request, '', 'pods') || (operation !== 'create' && operation !== 'update')) return undefined;
  if (operation === 'create' || object === undefined) return object;
  const known = new Set(imagesOf(old));
  return imagesOf(object).some((image) => !known.has(image)) ? object : undefined;
}

const imagesOf = (pod: JsonObject | undefined): readonly string[] =>
  LISTS.flatMap((list) => objectsAt(pod, 'spec', list).map((c) => textAt(c, 'image')));
