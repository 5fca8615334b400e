import {
  type FieldErrors,
  type FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isDns1123SubdomainWithUnderscore,
  isIp,
  type Shaped,
} from '../../../../../api/index.js';
import type { shapes } from '../../../../../schema/index.js';
import { at, boolAt, listAt, objectsAt, textAt } from '../../../access.js';
import { sentences } from '../../../rules.js';
import type { Tolerated } from './tolerated.js';

/** Validation of a pod's host names, host aliases, DNS configuration and host namespaces. */

const NAMESERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCH_CHARACTERS_MAX = 2048;
const POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];

export function dnsPolicy(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const policy = textAt(spec, 'dnsPolicy');
  if (policy === '') errors.required(path.child('dnsPolicy'));
  else if (!POLICIES.includes(policy)) errors.notSupported(path.child('dnsPolicy'), policy, POLICIES);
}

export function dnsConfig(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const config = at(spec, 'dnsConfig');
  const here = path.child('dnsConfig');
  if (textAt(spec, 'dnsPolicy') === 'None') {
    if (config === undefined) {
      errors.required(here, 'must provide `dnsConfig` when `dnsPolicy` is None');
      return;
    }
    if (listAt(config, 'nameservers').length === 0) {
      errors.required(here.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None');
      return;
    }
  }
  if (config === undefined) return;
  const servers = listAt(config, 'nameservers').map(String);
  if (servers.length > NAMESERVERS_MAX)
    errors.invalid(here.child('nameservers'), servers, `must not have more than ${NAMESERVERS_MAX} nameservers`);
  errors.each(servers, (ip, i) => sentences(ip, isIp, here.child('nameservers').index(i), errors));
  const searches = listAt(config, 'searches').map(String);
  if (searches.length > SEARCHES_MAX)
    errors.invalid(here.child('searches'), searches, `must not have more than ${SEARCHES_MAX} search paths`);
  if (searches.join(' ').length > SEARCH_CHARACTERS_MAX)
    errors.invalid(
      here.child('searches'),
      searches,
      `must not have more than ${SEARCH_CHARACTERS_MAX} characters (including spaces) in the search list`,
    );
  errors.each(searches, (search, i) => {
    if (search === '.') return;
    // Errors show the path without the dot of the root.
    sentences(search.replace(/\.$/, ''), isDns1123SubdomainWithUnderscore, here.child('searches').index(i), errors);
  });
  errors.each(objectsAt(config, 'options'), (option, i) => {
    if (textAt(option, 'name') === '') errors.required(here.child('options').index(i), 'must not be empty');
  });
}

export function hostNames(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  for (const field of ['hostname', 'subdomain'] as const) {
    const v = textAt(spec, field);
    if (v !== '') sentences(v, isDns1123Label, path.child(field), errors);
  }
}

export function hostAliases(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  errors.each(objectsAt(spec, 'hostAliases'), (alias, i) => {
    const here = path.child('hostAliases').index(i);
    sentences(textAt(alias, 'ip'), isIp, here.child('ip'), errors);
    errors.each(listAt(alias, 'hostnames').map(String), (name, j) =>
      sentences(name, isDns1123Subdomain, here.child('hostnames').index(j), errors),
    );
  });
}

const HOST_NAME_MAX = 64;

export function hostnameOverride(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
): void {
  const name = at(spec, 'hostnameOverride');
  if (typeof name !== 'string') return;
  const here = path.child('hostnameOverride');
  if (boolAt(spec, 'setHostnameAsFQDN')) errors.forbidden(here, 'may not be specified when setHostnameAsFQDN is true');
  if (boolAt(spec, 'hostNetwork')) errors.forbidden(here, 'may not be specified when hostNetwork is true');
  if (name.length > HOST_NAME_MAX) errors.tooLong(here, HOST_NAME_MAX);
  sentences(name, isDns1123Subdomain, here, errors);
}

/** A pod with its own user namespace may not use other namespaces of the host; a stored one keeps the network and its block devices. */
export function hostUsers(
  spec: Shaped<shapes.CoreV1PodSpec>,
  path: FieldPath<shapes.CoreV1PodSpec>,
  errors: FieldErrors,
  tolerated: Tolerated,
): void {
  if (at(spec, 'hostUsers') !== false) return;
  const why = 'when `hostUsers` is false';
  if (boolAt(spec, 'hostNetwork') && !tolerated.hostNetwork) errors.forbidden(path.child('hostNetwork'), why);
  if (boolAt(spec, 'hostPID')) errors.forbidden(path.childShownAs('HostPID'), why);
  if (boolAt(spec, 'hostIPC')) errors.forbidden(path.childShownAs('HostIPC'), why);
  if (tolerated.blockDevices) return;
  for (const list of ['initContainers', 'containers'] as const)
    errors.each(objectsAt(spec, list), (c, i) => {
      if (listAt(c, 'volumeDevices').length > 0)
        errors.forbidden(path.child(list).index(i).child('volumeDevices'), why);
    });
}
