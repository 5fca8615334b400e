import { ConfigError } from './flag.js';
import { FEATURE_DEPENDENCIES, FEATURE_GATES, FEATURES_HERE, type FeatureGate } from './gatetable.js';

export interface FeatureChoice {
  /** Every gate, including AllAlpha and AllBeta, and whether it is enabled. */
  readonly enabled: ReadonlyMap<string, boolean>;
  /** Warnings about the choice, for the log. */
  readonly warnings: readonly string[];
}

/** The gates for a whole stage. An explicitly named gate overrides them, in any order. */
const SPECIAL: ReadonlyMap<string, FeatureGate> = new Map([
  ['AllAlpha', { stage: 'ALPHA', default: false, locked: false }],
  ['AllBeta', { stage: 'BETA', default: false, locked: false }],
]);

/** Every gate by name, sorted. */
const KNOWN: ReadonlyMap<string, FeatureGate> = new Map(
  [...SPECIAL, ...Object.entries(FEATURE_GATES)].sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** The component name that may precede its gates: `kube:Name=true`. */
const COMPONENT = 'kube';

/**
 * Reads `--feature-gates` as kube-apiserver does: `Name=bool` or `kube:Name=bool`, separated by commas; the last value of a name
 * counts. Throws `ConfigError` with the message of kube-apiserver.
 */
export function chooseFeatures(text: string): FeatureChoice {
  const given = readPairs(text);
  const enabled = new Map<string, boolean>();
  const warnings: string[] = [];
  const problems: string[] = [];
  for (const [name, value] of given) {
    const gate = KNOWN.get(name);
    if (gate === undefined) throw refused(`unrecognized feature gate: ${name}`);
    if (gate.locked && value !== gate.default) {
      problems.push(`cannot set feature gate ${name} to ${value}, feature is locked to ${gate.default}`);
      continue;
    }
    enabled.set(name, value);
    const warning = warningOf(name, gate, value);
    if (warning !== undefined) warnings.push(warning);
  }
  for (const [special, { stage }] of SPECIAL) {
    const all = given.get(special);
    if (all === undefined) continue;
    for (const [name, gate] of KNOWN)
      if (gate.stage === stage && !SPECIAL.has(name) && !enabled.has(name)) enabled.set(name, all);
  }
  for (const [name, gate] of KNOWN) if (!enabled.has(name)) enabled.set(name, gate.default);
  if (problems.length === 0) problems.push(...unmetDependencies(enabled));
  if (problems.length > 0) throw refused(problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`);
  return { enabled, warnings };
}

const refused = (problem: string): ConfigError => new ConfigError(`--feature-gates: ${problem}`);

function readPairs(text: string): ReadonlyMap<string, boolean> {
  const given = new Map<string, boolean>();
  const components = new Set<string>();
  for (const part of text.split(',')) {
    if (part === '') continue;
    const colon = part.indexOf(':');
    components.add(part.slice(0, Math.max(colon, 0)).trim());
    const pair = part.slice(colon + 1).trim();
    const eq = pair.indexOf('=');
    if (eq < 0) {
      if (pair === '') continue;
      throw refused(`missing bool value for ${pair}`);
    }
    const name = pair.slice(0, eq).trim();
    const value = pair.slice(eq + 1).trim();
    const on = parseSwitch(value);
    if (on === undefined) throw refused(`invalid value of ${name}=${value}, err: ${switchProblem(value)}`);
    given.delete(name);
    given.set(name, on);
  }
  if (components.has('') && components.has(COMPONENT))
    throw refused('set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use');
  const stranger = [...components].find((name) => name !== '' && name !== COMPONENT);
  if (stranger !== undefined) throw refused(`component not registered: ${stranger}`);
  return given;
}

/** Go's spellings of a bool; undefined for anything else. */
export function parseSwitch(text: string): boolean | undefined {
  if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
  if (/^(?:0|f|F|false|FALSE|False)$/.test(text)) return false;
  return undefined;
}

/** The message of Go's strconv.ParseBool. */
export const switchProblem = (text: string): string =>
  `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;

function warningOf(name: string, { stage, default: byDefault }: FeatureGate, value: boolean): string | undefined {
  const setting = { '': 'GA', DEPRECATED: 'deprecated', ALPHA: undefined, BETA: undefined }[stage];
  if (setting !== undefined)
    return `--feature-gates: setting ${setting} feature gate ${name}=${value}; it will be removed in a future release`;
  if (value === byDefault || SPECIAL.has(name) || (FEATURES_HERE as ReadonlySet<string>).has(name)) return undefined;
  return `--feature-gates: ${name}=${value} has no effect in this server`;
}

function* unmetDependencies(enabled: ReadonlyMap<string, boolean>): Iterable<string> {
  for (const [name, needed] of Object.entries(FEATURE_DEPENDENCIES)) {
    const missing = enabled.get(name) === true ? needed.filter((other) => enabled.get(other) !== true) : [];
    if (missing.length > 0)
      yield `${name} is enabled, but depends on features that are disabled: [${missing.join(' ')}]`;
  }
}

/** Every gate, its stage and whether it is enabled, for the metric `kubernetes_feature_enabled`. */
export function* featureStates(
  enabled: ReadonlyMap<string, boolean>,
): Iterable<{ readonly name: string; readonly stage: string; readonly enabled: boolean }> {
  for (const [name, { stage }] of KNOWN) yield { name, stage, enabled: enabled.get(name) === true };
}

/** The lines of the help: the gates that are not locked. */
export const featureHelp = (): readonly string[] =>
  [...KNOWN]
    .filter(([, { stage }]) => stage === 'ALPHA' || stage === 'BETA')
    .map(([name, gate]) => `${COMPONENT}:${name}=true|false (${gate.stage} - default=${gate.default})`);
