import { API_VERSION } from '../http/index.js';

/** Version of this program, as `package.json` has it. */
export const PROGRAM_VERSION = '0.1.0';

/** The version of Kubernetes that is served. */
export const KUBERNETES_VERSION = API_VERSION.gitVersion;
