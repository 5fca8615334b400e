import { type AdmissionStep, listAt } from '../api/index.js';
import { forbidden, isAbout } from './step.js';

/** Rejects services that add external IPs. */
export const denyExternalIpsStep: AdmissionStep = {
  name: 'DenyServiceExternalIPs',
  validate: (request) => {
    const { operation, object, old } = request;
    if ((operation !== 'create' && operation !== 'update') || !isAbout(request, '', 'services')) return;
    const before = listAt(old, 'spec', 'externalIPs');
    if (listAt(object, 'spec', 'externalIPs').every((ip) => before.includes(ip))) return;
    throw forbidden(request, 'Use of external IPs is denied by admission control');
  },
};
