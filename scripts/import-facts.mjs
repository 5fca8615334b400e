// Converts a folder of API facts (one JSON file for each package) to the declarations in pkg/schema/data.
// Run it by hand for a new API level:
//
//   node scripts/import-facts.mjs <folder of facts JSON>
//
// pkg/schema/README.md describes the output. The descriptions in `*.doc` beside the declarations are never changed. Build,
// tests and server do not need the facts folder.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = process.argv[2];
if (source === undefined) {
  console.error('usage: node scripts/import-facts.mjs <folder of facts JSON>');
  process.exit(2);
}
const target = fileURLToPath(new URL('../pkg/schema/data/', import.meta.url));

/** Constants in `+default=ref(...)` markers: the facts have only their names. */
const DEFAULT_CONSTANTS = { AzureDataDiskCachingReadWrite: 'ReadWrite', AzureSharedBlobDisk: 'Shared' };

/** Kinds that are served as a resource but have no client generator marker. */
const EXTRA_RESOURCES = new Set(['core/v1.Binding', 'apiextensions/v1.CustomResourceDefinition']);

/** Packages whose group in the facts is a Go package name only. */
const GROUPLESS = new Set(['runtime']);

/** Types with their own JSON or protobuf form, which the facts describe only in words. */
const BUILT_IN = {
  'meta/v1': [
    'alias Time time',
    'alias MicroTime microTime',
    'alias Duration duration',
    'alias FieldsV1 fieldsV1',
    'struct WatchEvent',
    '  1 type string required',
    '  2 object runtime.RawExtension required',
    '',
  ],
  'apiextensions/v1': ['struct CustomResourceSubresourceStatus', ''],
  'apiserverinternal/v1alpha1': ['struct StorageVersionSpec', ''],
};

/** Fields of 1.37.2 that are not in the facts, by package and type, or by type if all versions of a group have them. */
const derivedAttributes = (number) =>
  `  ${number} derivedAttributes []DeviceDerivedAttribute omitempty list=atomic gate=DRADerivedAttributes !optional !maxItems=32`;
const MORE_FIELDS = {
  'core/v1.NodeSystemInfo': ['  12 runningInUserNamespace *bool omitempty gate=KubeletInUserNamespace'],
  'resource/v1beta1.DeviceRequest': [derivedAttributes(10)],
  'resource/v1beta1.DeviceSubRequest': [derivedAttributes(9)],
};
for (const version of ['v1', 'v1beta2']) {
  MORE_FIELDS[`resource/${version}.ExactDeviceRequest`] = [derivedAttributes(8)];
  MORE_FIELDS[`resource/${version}.DeviceSubRequest`] = [derivedAttributes(8)];
}
for (const version of ['v1', 'v1beta1', 'v1beta2']) {
  BUILT_IN[`resource/${version}`] = ['struct DeviceDerivedAttribute', '  1 name string required', '  2 expression string required', ''];
  MORE_FIELDS[`resource/${version}.DeviceCounterConsumption`] = [
    '  3 compatibilityGroups []string omitempty list=atomic gate=DRADeviceCompatibilityGroups !optional !maxItems=2 !unique=set !eachVal/format=k8s-short-name',
  ];
}

/** Markers of 1.37.2 that are not in the facts, by field, or by name if all fields of this name in a group of devices have them. */
const MORE_MARKERS = {
  'core/v1.Lifecycle.stopSignal': ['+featureGate=ContainerStopSignals'],
  distinctAttribute: ['+k8s:beta(since: "1.37")=+k8s:optional', '+k8s:beta(since: "1.37")=+k8s:format=k8s-resource-fully-qualified-name'],
};

/** Fields with a gate that the registry checks, because it depends on more than the field. */
const GATED_ELSEWHERE = new Set(['core/v1.TypedObjectReference.namespace']);

/** Types whose JSON is not an object with the fields of their protobuf message: `either` lists the JSON forms. */
const SPECIAL = {
  'runtime.RawExtension': ['alias RawExtension rawExtension'],
  'apiextensions/v1.JSON': ['alias JSON json'],
  'apiextensions/v1.JSONSchemaPropsOrArray': ['either JSONSchemaPropsOrArray JSONSchemaProps list'],
  'apiextensions/v1.JSONSchemaPropsOrBool': ['either JSONSchemaPropsOrBool JSONSchemaProps bool'],
  'apiextensions/v1.JSONSchemaPropsOrStringArray': ['either JSONSchemaPropsOrStringArray JSONSchemaProps stringList'],
};

/** Named lists that are a message with one repeated field `items` in protobuf. */
const BOXED_LISTS = /\.(ExtraValue|Verbs)$/;

/** Constants that are not in the facts. */
const MORE_VALUES = { AddressType: ['IPv4', 'IPv6'] };

/** Gates that have an older name in the markers. */
const RENAMED_GATES = { PodCertificateProjection: 'PodCertificateRequest' };

/** Only Go code uses these. */
const LEFT_OUT = new Set(['runtime.Unknown', 'runtime.TypeMeta']);

const packages = new Map();
for (const file of readdirSync(source).sort()) {
  if (!file.endsWith('.json') || file === 'index.json') continue;
  const facts = JSON.parse(readFileSync(join(source, file), 'utf8'));
  packages.set(facts.package, facts);
}

const short = (name, pkg) => (name.startsWith(`${pkg}.`) ? name.slice(pkg.length + 1) : name);

function typeText(type, pkg) {
  if (typeof type === 'string') {
    if (type === 'types.UID' || type === 'types.NodeName') return 'string';
    if (type === 'resource.Quantity') return 'quantity';
    if (type === 'intstr.IntOrString') return 'intOrString';
    return short(type, pkg);
  }
  if (type.list !== undefined) return `[]${typeText(type.list, pkg)}`;
  return `map[${short(type.key, pkg)}]${typeText(type.map, pkg)}`;
}

/** `+k8s:beta(since: "1.37")=+k8s:eachVal=+k8s:maxBytes=64` becomes `!beta/eachVal/maxBytes=64`. */
function ruleText(marker) {
  let text = marker.replace(/\s+#.*$/, '').trim();
  const parts = [];
  while (text.startsWith('+k8s:')) {
    text = text.slice(5);
    const chained = text.search(/=\+k8s:/);
    const head = chained < 0 ? text : text.slice(0, chained);
    text = chained < 0 ? '' : text.slice(chained + 1);
    parts.push(head);
  }
  return `!${parts
    .map((p) =>
      p
        .replace(/^(alpha|beta)\(since:.*\)$/, '$1')
        .replace(/^(\w+)\("([^"]*)"\)/, '$1($2)')
        .replace(/^item\((\w+): "([^"]*)"\)/, 'item($1:$2)')
        .replace(/="([^"]*)"$/, '=$1'),
    )
    .join('/')}`;
}

const LIST_RULE = /\+k8s:(listType|listMapKey|unique)=(\S+)$/;

/**
 * `+k8s:listType`, `+k8s:listMapKey` and `+k8s:unique` of one field are combined into one rule: items unique as a set,
 * or by keys. An atomic list without `unique` needs none.
 */
function listRules(markers) {
  const found = { keys: [] };
  for (const m of markers) {
    const match = LIST_RULE.exec(m);
    if (match === null) continue;
    found.stability ??= /^\+k8s:(alpha|beta)\(/.exec(m)?.[1] ?? '';
    if (match[1] === 'listMapKey') found.keys.push(match[2]);
    else found[match[1]] = match[2];
  }
  const unique = found.unique ?? found.listType;
  const custom = markers.some((m) => m.endsWith('+k8s:customUnique'));
  const rules = [];
  if ((unique === 'set' || unique === 'map') && !custom) {
    const by = unique === 'map' ? `map(${found.keys.join(',')})` : 'set';
    rules.push(`!${found.stability === '' ? '' : `${found.stability}/`}unique=${by}`);
  }
  return { listType: found.listType, keys: [...found.keys], rules };
}

function fieldLine(name, f, pkg, owner) {
  const markers = [...(f.markers ?? []), ...(MORE_MARKERS[owner.startsWith('resource/') ? name : `${owner}.${name}`] ?? [])];
  const proto = f.proto?.[0] ?? 0;
  if (f.inline) return `  inline ${proto > 0 ? `${proto} ` : ''}${short(f.type, pkg)}`;
  const words = [proto, name, (f.pointer ? '*' : '') + typeText(f.type, pkg)];
  const value = (prefix) => markers.filter((m) => m.startsWith(prefix)).map((m) => m.slice(prefix.length));
  // The generator of kube-apiserver treats a field as required if neither tag nor marker makes it optional.
  if ((!f.optional && !f.omitempty) || f.required) words.push('required');
  if (f.omitempty) words.push('omitempty');
  // A field named `deprecated` describes its value, not itself.
  if (f.deprecated && name !== 'deprecated') words.push('deprecated');
  const declarative = listRules(markers);
  const listType = value('+listType=')[0] ?? declarative.listType;
  if (listType !== undefined) {
    const keys = value('+listMapKey=').length > 0 ? value('+listMapKey=') : declarative.keys;
    if (listType !== 'map') keys.length = 0;
    words.push(`list=${listType}${keys.length > 0 ? `(${keys.join(',')})` : ''}`);
  }
  for (const t of value('+mapType=')) words.push(`map=${t}`);
  for (const t of value('+structType=')) words.push(`struct=${t}`);
  if (f.patchStrategy !== undefined) {
    words.push(`patch=${f.patchStrategy}${f.patchMergeKey === undefined ? '' : `(${f.patchMergeKey})`}`);
  }
  for (const d of value('+default=')) {
    const ref = /^ref\((\w+)\)$/.exec(d);
    const json = ref === null ? JSON.parse(d) : DEFAULT_CONSTANTS[ref[1]];
    if (json === undefined) throw new Error(`${pkg} ${name}: unknown default ${d}`);
    words.push(`default=${JSON.stringify(json)}`);
  }
  if (!GATED_ELSEWHERE.has(`${owner}.${name}`)) for (const g of value('+featureGate=')) words.push(`gate=${RENAMED_GATES[g] ?? g}`);
  if (markers.includes('+unionDiscriminator')) words.push('discriminator');
  for (const g of value('+oneOf=')) words.push(`oneOf=${g}`);
  for (const g of value('+zeroOrOneOf=')) words.push(`zeroOrOneOf=${g}`);
  const known = /^\+(?:listType|listMapKey|mapType|structType|default|featureGate|unionDiscriminator|oneOf|zeroOrOneOf)\b/;
  words.push(...declarative.rules);
  for (const m of markers) {
    if (LIST_RULE.test(m)) continue;
    if (m.startsWith('+k8s:')) words.push(ruleText(m));
    else if (!known.test(m)) throw new Error(`${pkg} ${name}: unknown marker ${m}`);
  }
  return `  ${words.join(' ')}`;
}

function typeLines(name, t, pkg) {
  const full = `${pkg}.${name}`;
  const special = SPECIAL[full];
  if (special !== undefined) return special;
  const markers = t.markers ?? [];
  const rules = markers.filter((m) => m.startsWith('+k8s:') && !/Subresource/.test(m)).map(ruleText);
  if (t.alias !== undefined) {
    const words = ['alias', name, typeText(t.alias, pkg)];
    if (BOXED_LISTS.test(full)) words.push('boxed');
    if (markers.includes('+enum')) words.push('enum');
    words.push(...rules);
    const values = [...(t.values ?? []), ...(MORE_VALUES[name] ?? [])];
    if (values.length > 0) words.push(':', ...values.map((v) => (/^[^\s"]+$/.test(v) ? v : JSON.stringify(v))));
    return [words.join(' ')];
  }
  const words = ['struct', name];
  for (const m of markers) {
    if (m.startsWith('+structType=')) words.push(m.slice('+structType='.length));
    if (m === '+union') words.push('union');
  }
  words.push(...rules);
  const lines = [words.join(' ')];
  for (const [fieldName, f] of Object.entries(t.fields)) {
    if (fieldName !== '-') lines.push(fieldLine(fieldName, f, pkg, full));
  }
  lines.push(...(MORE_FIELDS[full] ?? []));
  return lines;
}

function kindLine(name, t, facts) {
  const markers = t.markers ?? [];
  const words = [name];
  const resource =
    (markers.includes('+genclient') && !markers.includes('+genclient:noVerbs')) ||
    EXTRA_RESOURCES.has(`${facts.package}.${name}`);
  if (markers.includes('+genclient:nonNamespaced')) words.push('cluster');
  if (resource) words.push('resource');
  if (facts.types[`${name}List`]?.kind) words.push(`list=${name}List`);
  const sub = markers.map((m) => /^\+k8s:supportsSubresource="\/(\w+)"/.exec(m)?.[1]).filter((s) => s !== undefined);
  if (sub.length > 0) words.push(`sub=${[...new Set(sub)].join(',')}`);
  for (const m of markers) {
    const is = /^\+k8s:isSubresource="\/(\w+)"/.exec(m);
    if (is !== null) words.push(`of=${is[1]}`);
  }
  const life = t.lifecycle ?? {};
  for (const key of ['introduced', 'deprecated', 'removed', 'replacement']) {
    if (life[key] !== undefined) words.push(`${key}=${life[key]}`);
  }
  return `  ${words.join(' ')}`;
}

mkdirSync(target, { recursive: true });
const kinds = ['# Every kind by package: name, scope, flags. The form is in ../README.md.', ''];
for (const facts of packages.values()) {
  const pkg = facts.package;
  const lines = [];
  for (const [name, t] of Object.entries(facts.types)) {
    if (LEFT_OUT.has(`${pkg}.${name}`)) continue;
    const written = typeLines(name, t, pkg);
    if (written[0].startsWith('struct') && lines.length > 0 && lines.at(-1) !== '') lines.push('');
    lines.push(...written);
    if (written[0].startsWith('struct')) lines.push('');
  }
  const more = BUILT_IN[pkg] ?? [];
  if (more[0]?.startsWith('struct') && lines.at(-1) !== '') lines.push('');
  lines.push(...more);
  writeFileSync(join(target, `${pkg.replace('/', '_')}.schema`), `${lines.join('\n').trimEnd()}\n`);
  if (GROUPLESS.has(pkg)) continue;
  const group = facts.group ?? '';
  kinds.push(`package ${pkg} ${group === '' ? 'core' : group} ${facts.version}`);
  for (const [name, t] of Object.entries(facts.types)) if (t.kind) kinds.push(kindLine(name, t, facts));
  if (pkg === 'meta/v1') kinds.push('  WatchEvent');
}
writeFileSync(join(target, 'kinds.index'), `${kinds.join('\n')}\n`);
console.log(`${packages.size} packages, ${kinds.length - 2 - packages.size} kinds`);
