import { type Authorizer, bootstrapAuthorizer, mastersAuthorizer, unionAuthorizer } from '../auth/index.js';

/** Who may do what: asked by every request, and by reviews of access. */
export const authorizer: Authorizer = unionAuthorizer(mastersAuthorizer, bootstrapAuthorizer);
