import { type AdmissionStep, at, objectIn, type StoredObjects, textAt } from '../api/index.js';
import { newestDefault } from './defaultclass.js';
import { isAbout } from './step.js';

const INGRESS_CLASSES = { group: 'networking.k8s.io', resource: 'ingressclasses' } as const;

/** Sets the default class on an ingress without a class. */
export function defaultIngressClassStep(objects: StoredObjects): AdmissionStep {
  return {
    name: 'DefaultIngressClass',
    mutate: (request) => {
      const { object } = request;
      if (request.operation !== 'create' || object === undefined || !isAbout(request, 'networking.k8s.io', 'ingresses'))
        return;
      if (at(object, 'spec', 'ingressClassName') !== undefined) return;
      if (at(object, 'metadata', 'annotations', 'kubernetes.io/ingress.class') !== undefined) return;
      const found = newestDefault(objects.list(INGRESS_CLASSES, ''), ['ingressclass.kubernetes.io/is-default-class']);
      if (found !== undefined) objectIn(object, 'spec')['ingressClassName'] = textAt(found, 'metadata', 'name');
    },
  };
}
