import {
  type AdmissionStep,
  at,
  equalJson,
  errors,
  FieldErrors,
  FieldPath,
  type JsonObject,
  parseApiVersion,
  type ResourceAttributes,
  type StoredObjects,
  textAt,
  type UserInfo,
} from '../../api/index.js';
import type { AuthorizeCheck } from './checks.js';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES: Readonly<Record<string, string>> = {
  validatingadmissionpolicies: 'ValidatingAdmissionPolicy',
  mutatingadmissionpolicies: 'MutatingAdmissionPolicy',
};
/** Bindings, with the resource of their policies. */
const BINDINGS: Readonly<Record<string, readonly [kind: string, policies: string]>> = {
  validatingadmissionpolicybindings: ['ValidatingAdmissionPolicyBinding', 'validatingadmissionpolicies'],
  mutatingadmissionpolicybindings: ['MutatingAdmissionPolicyBinding', 'mutatingadmissionpolicies'],
};
const MASTERS = 'system:masters';

/**
 * A user who writes a policy or a binding with parameters must be able to read the parameters, because a policy can
 * reveal their content. Members of `system:masters` are not checked.
 */
export function paramRightsStep(objects: StoredObjects, authorize: AuthorizeCheck): AdmissionStep {
  const refused = async (user: UserInfo, asked: Partial<ResourceAttributes>): Promise<boolean> =>
    !(await authorize(user, { ...ANYTHING, ...asked })).allowed;
  return {
    name: 'PolicyParameterRights',
    concerns: ({ operation, groupResource, subresource, user }) =>
      (operation === 'create' || operation === 'update') &&
      groupResource.group === GROUP &&
      subresource === '' &&
      !user.groups.includes(MASTERS),
    validate: async ({ groupResource, object, old, user, name }) => {
      const { resource } = groupResource;
      const invalid = (kind: string, field: string, why: string): Error => {
        const found = new FieldErrors().forbidden(FieldPath.of('spec', field), why);
        return errors.invalid({ group: GROUP, kind }, name, found.list);
      };
      const same = (field: string): boolean =>
        equalJson(at(object, 'spec', field) ?? null, at(old, 'spec', field) ?? null);
      const who = `user ${shown(user)}`;
      const policyKind = POLICIES[resource];
      if (policyKind !== undefined) {
        const param = at(object, 'spec', 'paramKind');
        if (param === undefined || same('paramKind')) return;
        if (
          await refused(user, { verb: 'get', namespace: '*', name: '*', ...resourceOf(param as JsonObject, objects) })
        ) {
          const [kind, version] = [textAt(param, 'kind'), textAt(param, 'apiVersion')];
          const what = `all objects of the referenced paramKind (kind=${kind}, apiVersion=${version})`;
          throw invalid(policyKind, 'paramKind', `${who} must have "get" permission on ${what}`);
        }
        return;
      }
      const [bindingKind, policies] = BINDINGS[resource] ?? [];
      const ref = at(object, 'spec', 'paramRef');
      if (bindingKind === undefined || ref === undefined || (same('paramRef') && same('policyName'))) return;
      const policyName = textAt(object, 'spec', 'policyName');
      const policy = await objects.get({ group: GROUP, resource: policies! }, '', policyName);
      const paramKind = at(policy, 'spec', 'paramKind');
      const verb = textAt(ref, 'name') === '' ? 'list' : 'get';
      const asked = {
        verb,
        namespace: textAt(ref, 'namespace'),
        name: textAt(ref, 'name'),
        ...(paramKind === undefined ? {} : resourceOf(paramKind as JsonObject, objects)),
      };
      if (!(await refused(user, asked))) return;
      const why =
        policy === undefined
          ? `unable to get policy ${policyName} to determine minimum required permissions and ${who} does not have "${verb}" permission for all groups, versions and resources`
          : `${who} does not have "${verb}" permission on the object referenced by paramRef`;
      throw invalid(bindingKind, 'paramRef', why);
    },
  };
}

const ANYTHING: ResourceAttributes = {
  kind: 'resource',
  verb: '',
  group: '*',
  version: '*',
  resource: '*',
  subresource: '',
  namespace: '',
  name: '',
};

/** The resource of a kind, as far as it is known; unknown parts need the permission for everything. */
function resourceOf(paramKind: JsonObject, objects: StoredObjects): Partial<ResourceAttributes> {
  const gv = parseApiVersion(textAt(paramKind, 'apiVersion'));
  if (gv === undefined) return {};
  const found = objects.resourceOf({ ...gv, kind: textAt(paramKind, 'kind') });
  return { group: gv.group, version: gv.version, ...(found === undefined ? {} : { resource: found.resource }) };
}

/** A user as Go prints its fields. */
const shown = ({ name, uid = '', groups }: UserInfo): string => `&{${name} ${uid} [${groups.join(' ')}] map[]}`;
