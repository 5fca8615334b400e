// The projects whose definitions are installed, the versions of their modules, and where a module keeps definitions and examples.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parse } from 'yaml';
import { check } from '../checks.mjs';
import { capture, here } from '../lib.mjs';

const DEFINITION = 'kind: CustomResourceDefinition';

/**
 * Every YAML file of a module whose objects have kinds of its definitions is a file of examples. `definitions` names files or folders.
 * `invalid` names the folder of examples that the project wants refused. `examples` names a folder here, for a module that has few.
 */
export const PROJECTS = [
  { name: 'gateway-api, standard', module: 'sigs.k8s.io/gateway-api@v1.2.1', definitions: ['config/crd/standard'], invalid: 'hack/invalid-examples/' },
  { name: 'gateway-api, experimental', module: 'sigs.k8s.io/gateway-api@v1.2.1', definitions: ['config/crd/experimental'], invalid: 'hack/invalid-examples/' },
  { name: 'prometheus-operator', module: 'github.com/prometheus-operator/prometheus-operator@v0.79.2', definitions: ['example/prometheus-operator-crd-full'] },
  { name: 'cert-manager', module: 'github.com/cert-manager/cert-manager@v1.16.2', definitions: ['deploy/crds'], examples: 'certmanager' },
  { name: 'Argo CD', module: 'github.com/argoproj/argo-cd/v2@v2.13.2', definitions: ['manifests/crds'] },
  { name: 'Crossplane', module: 'github.com/crossplane/crossplane@v1.18.1', definitions: ['cluster/crds'] },
  { name: 'Istio', module: 'istio.io/api@v1.24.1', definitions: ['kubernetes/customresourcedefinitions.gen.yaml'] },
  { name: 'Knative', module: 'knative.dev/serving@v0.43.0', definitions: ['config/core/300-resources'] },
];

/** Fetches the module of a project. Resolves to `{ definitions, examples }`, as `{ text, object }`; examples also have `name` and `invalid`. */
export async function load(project) {
  const { code, stdout, stderr } = await capture('go', ['mod', 'download', '-json', project.module], { cwd: here, env: { ...process.env, GOFLAGS: '-mod=mod' } });
  check(code === 0, `the module ${project.module}: ${stderr}${stdout}`);
  const folder = JSON.parse(stdout).Dir;
  const files = [...walk(folder)].sort();
  const named = (file) => project.definitions.some((d) => relative(folder, file) === d || relative(folder, file).startsWith(`${d}/`));
  const definitions = files.filter(named).flatMap((file) => documents(file, (text) => text.includes(DEFINITION))).filter(({ object }) => object.kind === 'CustomResourceDefinition');
  check(definitions.length > 0, `${project.module} has no definitions`);
  const kinds = new Set(definitions.map(({ object: { spec } }) => `${spec.group} ${spec.names.kind}`));
  const own = project.examples === undefined ? [] : [...walk(join(here, 'definitions', project.examples))].sort();
  const groups = [...new Set(definitions.map(({ object }) => `${object.spec.group}/`))];
  const examples = [];
  for (const [base, file] of [...files.map((f) => [folder, f]), ...own.map((f) => [here, f])]) {
    const path = relative(base, file);
    for (const [i, document] of documents(file, (text) => !text.includes(DEFINITION) && groups.some((group) => text.includes(group))).entries()) {
      const { apiVersion, kind } = document.object;
      if (!kinds.has(`${String(apiVersion).split('/')[0]} ${kind}`)) continue;
      examples.push({ ...document, name: `${path} ${i}`, invalid: project.invalid !== undefined && path.startsWith(project.invalid) });
    }
  }
  return { definitions, examples };
}

function* walk(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.name.endsWith('.yaml') || entry.name.endsWith('.yml') || entry.name.endsWith('.proto')) yield path;
  }
}

/** The objects of a file whose text is `wanted`: parsing all takes long. Definitions may be templates, whose labels are left out. Other templates that are no YAML are none. */
function documents(file, wanted) {
  const text = readFileSync(file, 'utf8');
  return (file.endsWith('.proto') ? commented(text) : [text]).flatMap(split).filter(wanted).flatMap((part) => {
    try {
      const object = parse(part, { logLevel: 'silent' });
      const { name, namespace } = object?.metadata ?? {};
      const plain = [object?.kind, object?.apiVersion, name ?? '', namespace ?? ''].every((value) => typeof value === 'string');
      return plain && object.metadata ? [{ text: part, object }] : [];
    } catch {
      return [];
    }
  });
}

function split(text) {
  const lines = text.split('\n').filter((line) => !text.includes(DEFINITION) || !line.includes('{{'));
  return `\n${lines.join('\n')}`.split('\n---');
}

/** The blocks of YAML in the comments of a protobuf file. */
function commented(text) {
  const blocks = [];
  let block;
  for (const line of text.split('\n').map((l) => l.trimStart())) {
    const content = line.startsWith('// ') ? line.slice(3) : line.startsWith('//') ? line.slice(2) : undefined;
    if (content?.trim() === '```yaml') block = [];
    else if (content === undefined || content.trim().startsWith('```')) {
      if (block !== undefined) blocks.push(block.join('\n'));
      block = undefined;
    } else block?.push(content);
  }
  return blocks;
}
