import { Environment, type Library } from './environment.js';
import { authorizerLibrary } from './library/authorizer.js';
import { formatsLibrary } from './library/formats.js';
import { includesLibrary, kubernetesListsLibrary, listsLibrary, setsLibrary } from './library/lists.js';
import { networkLibrary } from './library/network.js';
import { optionalLibrary } from './library/optional.js';
import { quantityLibrary } from './library/quantity.js';
import { regexLibrary } from './library/regex.js';
import { semverLibrary } from './library/semver.js';
import { standardLibrary, twoVariableLibrary } from './library/standard.js';
import { stringsLibrary } from './library/strings.js';
import { urlLibrary } from './library/url.js';

/** The minor version of Kubernetes 1.x. */
export type Minor = number;

/**
 * This server's version, and the oldest one to which it can be rolled back: new expressions may only use the functions
 * of that version.
 */
export const CURRENT: Minor = 37;
export const COMPATIBLE: Minor = 36;

/** Libraries by the release that introduced them. */
const LIBRARIES: readonly { readonly since: Minor; readonly library: Library }[] = [
  { since: 0, library: standardLibrary },
  { since: 0, library: stringsLibrary },
  { since: 0, library: kubernetesListsLibrary },
  { since: 0, library: regexLibrary },
  { since: 0, library: urlLibrary },
  { since: 27, library: authorizerLibrary },
  { since: 28, library: quantityLibrary },
  { since: 28, library: optionalLibrary },
  { since: 29, library: setsLibrary },
  { since: 30, library: networkLibrary },
  { since: 31, library: formatsLibrary },
  { since: 32, library: twoVariableLibrary },
  { since: 33, library: semverLibrary },
  { since: 34, library: listsLibrary },
  { since: 37, library: includesLibrary },
];

const environments = new Map<Minor, Environment>();

/** The functions that expressions could use in release 1.`minor`. */
export function kubernetesEnvironment(minor: Minor): Environment {
  let found = environments.get(minor);
  if (found === undefined) {
    found = Environment.of(LIBRARIES.filter((l) => l.since <= minor).map((l) => l.library));
    environments.set(minor, found);
  }
  return found;
}
