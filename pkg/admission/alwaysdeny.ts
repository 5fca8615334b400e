import type { AdmissionStep } from '../api/index.js';
import { forbidden } from './step.js';

/** Rejects every write. */
export const alwaysDenyStep: AdmissionStep = {
  name: 'AlwaysDeny',
  mutate: (request) => {
    throw forbidden(request, 'admission control is denying all modifications');
  },
};
