#!/usr/bin/env node
// `make definitions`: installs the definitions of other projects, writes the examples of their modules, uses them, and removes all. Each
// answer must be the one that kube-apiserver gave (recorded.json). `--only NAME` runs the projects whose name contains NAME; `--record
// --server KUBECONFIG` records the answers of that server.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import * as k8s from '@kubernetes/client-node';
import { check } from '../checks.mjs';
import { capture, find, here, missing, withServer } from '../lib.mjs';
import { must, requester, until } from '../programs.mjs';
import { load, PROJECTS } from './projects.mjs';

const RECORDED = join(here, 'definitions', 'recorded.json');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const APPLY = '?fieldManager=definitions&force=true&fieldValidation=Strict';
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const MERGE = { 'content-type': 'application/merge-patch+json' };
const SHOWN = 10;

const { values: o } = parseArgs({ options: { only: { type: 'string' }, record: { type: 'boolean' }, server: { type: 'string' } } });
const why = missing('go', ['version']) ?? missing('kubectl', ['version', '--client']);
if (why !== undefined) console.log(`definitions: skipped, because ${why}`);
else if (o.server !== undefined) process.exitCode = await all(o.server);
else process.exitCode = await withServer(all);

/** Resolves to the exit code: 1 if an answer differs from the recorded one, or something is left over. */
async function all(kubeconfig) {
  const recorded = JSON.parse(readFileSync(RECORDED, 'utf8'));
  let code = 0;
  console.log('| project | definitions | examples | accepted | refused | answers | different |\n|---|---|---|---|---|---|---|');
  for (const project of PROJECTS.filter(({ name }) => o.only === undefined || name.includes(o.only))) {
    const modules = await load(project);
    const answers = await use(kubeconfig, modules);
    if (o.record) {
      recorded[project.name] = answers;
      writeFileSync(RECORDED, `${JSON.stringify(recorded, undefined, 1)}\n`);
    }
    const expected = recorded[project.name];
    const names = new Set([...Object.keys(answers), ...Object.keys(expected ?? {})]);
    const different = expected === undefined ? [] : [...names].filter((name) => !isSame(answers[name], expected[name]));
    const accepted = modules.examples.filter(({ name }) => answers[name] === 'accepted');
    const wrong = accepted.filter((example) => example.invalid);
    const counts = [modules.definitions.length, modules.examples.length, accepted.length, modules.examples.length - accepted.length, names.size, expected === undefined ? 'not recorded' : different.length];
    console.log(`| ${[project.name, ...counts].join(' | ')} |`);
    for (const name of different.slice(0, SHOWN)) console.error(`${name}:\n  ${answers[name]}\n  kube-apiserver: ${expected[name]}`);
    for (const { name } of wrong) console.error(`${name}: the project says that it is invalid`);
    if (different.length > 0 || wrong.length > 0) code = 1;
  }
  return code;
}

/** A mistake of the client that kube-apiserver answers with 500 is a 400 here, with the same text (`test/golden/known.json`). */
function isSame(ours, theirs) {
  return ours === theirs || (theirs?.startsWith('500 ') === true && ours === theirs.replace('500', '400'));
}

/** Installs, uses and removes the definitions. Resolves to the answers by name. */
async function use(kubeconfig, { definitions, examples }) {
  const config = new k8s.KubeConfig();
  config.loadFromFile(kubeconfig);
  const folder = mkdtempSync(join(tmpdir(), 'trireme-definitions-'));
  try {
    const file = join(folder, 'definitions.yaml');
    writeFileSync(file, definitions.map(({ text }) => text).join('\n---\n'));
    const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder };
    const kubectl = async (...args) => {
      const { code, stdout, stderr } = await capture('kubectl', args, { env });
      check(code === 0, `kubectl ${args.join(' ')}: ${stderr}${stdout}`);
      return stdout;
    };
    const session = { admin: requester(config), kubectl, file, kinds: definitions.map(({ object }) => object.spec), answers: {} };
    await install(session);
    const made = await write(session, examples);
    await change(session, made);
    await explain(session);
    await remove(session, made);
    return session.answers;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function install({ kubectl, file, admin, kinds }) {
  await kubectl('apply', '--server-side', '-f', file);
  await kubectl('wait', '-f', file, '--for=condition=Established', '--timeout=120s');
  for (const kind of kinds) {
    await until(`${kind.names.plural} are served`, async () => {
      const { code, text } = await admin('GET', collection(kind, kind.versions.find((v) => v.served).name));
      return { ok: code === 200, why: text };
    });
  }
}

function collection({ group, names }, version, namespace) {
  return `/apis/${group}/${version}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${names.plural}`;
}

/** Applies the examples as they are written. Resolves to the path of one object of each kind and version. */
async function write({ admin, kinds, answers }, examples) {
  const made = new Map();
  const namespaces = new Set(['default']);
  for (const { name, text, object } of examples) {
    const [group, version] = object.apiVersion.split('/');
    const kind = kinds.find((k) => k.group === group && k.names.kind === object.kind);
    const namespace = kind.scope === 'Namespaced' ? (object.metadata.namespace ?? 'default') : undefined;
    if (namespace !== undefined && !namespaces.has(namespace)) {
      namespaces.add(namespace);
      // Where an example names a namespace that cannot be, its own answer says so.
      await admin('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    }
    const path = collection(kind, version, namespace);
    const generated = object.metadata.name === undefined;
    const yaml = (method, to, type) => admin(method, `${to}${APPLY}`, text, { 'content-type': `application/${type}` });
    const answer = generated ? await yaml('POST', path, 'yaml') : await yaml('PATCH', `${path}/${object.metadata.name}`, 'apply-patch+yaml');
    answers[name] = verdict(answer);
    if (answer.code < 300) {
      made.set(`${object.apiVersion} ${object.kind}`, `${path}/${answer.body.metadata.name}`);
      answers[`${name}, stored`] = digest(stored(answer.body));
    }
  }
  return [...made.values()];
}

/** The verdict on a write: accepted, or the message without the object that it may quote, which has times and identifiers. */
function verdict({ code, text, body }) {
  if (code < 300) return 'accepted';
  const message = body?.message ?? text;
  const [start, end] = [message.indexOf(': "{'), message.lastIndexOf('}": ')];
  return `${code} ${start < 0 || end < start ? message : `${message.slice(0, start)}: OBJECT${message.slice(end + 2)}`}`;
}

/** What of an object does not depend on the server and the time. */
function stored({ metadata, ...object }) {
  const { labels, annotations, finalizers, generation } = metadata;
  return JSON.stringify(sorted({ ...object, metadata: { labels, annotations, finalizers, generation } }));
}

/** The keys of objects in order: servers print them in an order of their own. */
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

function digest(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Objects as they are read in tables and in each version, patched, replaced by what was read, and refused with what no kind accepts. */
async function change({ admin, kinds, answers }, made) {
  for (const kind of kinds) {
    for (const { name: version } of kind.versions.filter((v) => v.served)) {
      const { code, body, text } = await admin('GET', collection(kind, version), undefined, TABLE);
      check(code === 200, text);
      answers[`${kind.names.plural}.${version}.${kind.group}, columns`] = body.columnDefinitions.map(({ name, type, priority }) => `${name} ${type} ${priority}`).join(', ');
    }
  }
  for (const path of made) {
    const labelled = await must(admin('PATCH', path, { metadata: { labels: { patched: 'yes' } } }, MERGE));
    const read = await must(admin('GET', path));
    check(read.metadata.labels.patched === 'yes' && read.metadata.resourceVersion === labelled.metadata.resourceVersion, `${path} after a patch`);
    const same = await must(admin('PUT', path, read));
    check(same.metadata.resourceVersion === read.metadata.resourceVersion, `${path}: replacing an object by itself changes it`);
    for (const spec of [7, { unknownField: 1 }, null]) {
      answers[`${path}, spec ${JSON.stringify(spec)}`] = verdict(await admin('PATCH', `${path}?dryRun=All&fieldValidation=Strict`, { spec }, MERGE));
    }
  }
}

async function explain({ kubectl, kinds, answers }) {
  for (const { group, names, versions } of kinds) {
    const { name } = versions.find((v) => v.served);
    const printed = await kubectl('explain', names.plural, `--api-version=${group}/${name}`, '--recursive');
    answers[`explain ${names.plural}.${name}.${group}`] = digest(printed);
  }
}

/** Removes the finalizers that controllers of the project would remove. */
async function release({ admin }, kind) {
  const version = kind.versions.find((v) => v.served).name;
  const { items } = await must(admin('GET', collection(kind, version)));
  for (const { metadata } of items.filter((item) => item.metadata.finalizers !== undefined)) {
    await must(admin('PATCH', `${collection(kind, version, metadata.namespace)}/${metadata.name}`, { metadata: { finalizers: null } }, MERGE));
  }
}

/** One object of each kind is deleted, the others go with their definitions. On trireme, nothing is there when the definitions come again. */
async function remove(session, made) {
  const { admin, kubectl, file, kinds } = session;
  for (const kind of kinds) await release(session, kind);
  for (const path of new Set(made)) {
    const { code: deleted, text } = await admin('DELETE', path);
    check(deleted === 200 || deleted === 404, text);
    const { code } = await admin('GET', path);
    check(code === 404, `${path} after its deletion: ${code}`);
  }
  for (const again of o.record ? [false] : [false, true]) {
    if (again) {
      await install(session);
      for (const kind of kinds) {
        const { items } = await must(admin('GET', collection(kind, kind.versions.find((v) => v.served).name)));
        check(items.length === 0, `${kind.names.plural} outlive their definition`);
      }
    }
    await kubectl('delete', '-f', file, '--timeout=120s');
    for (const { group, names } of kinds) {
      const { code } = await admin('GET', `${DEFINITIONS}/${names.plural}.${group}`);
      check(code === 404, `the definition of ${names.plural} after its deletion: ${code}`);
      await until(`discovery has no ${group}`, async () => {
        const { body } = await admin('GET', '/apis');
        return { ok: !body.groups.some((g) => g.name === group), why: JSON.stringify(body.groups.map((g) => g.name)) };
      });
    }
  }
}
