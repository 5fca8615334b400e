import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestServer, testServer } from '../../pkg/outbound/testing/server.js';
import { startWithFlags, type TestApiServer } from '../../pkg/server/library.js';
import { type Answer, call } from './client.js';
import { writeWebhookConfig } from './kubeconfig.js';

// biome-ignore lint/suspicious/noExplicitAny: reviews are any JSON.
type Json = any;

let folder = '';
let service: TestServer;
let server: TestApiServer;
const reviews: Json[] = [];
const urls = new Set<string>();
let answer = (review: Json): { readonly status: number; readonly body: unknown } => ({
  status: 200,
  body: { ...review, status: { allowed: true } },
});

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'images-'));
  service = await testServer((body, request, response) => {
    urls.add(request.url ?? '');
    const review = JSON.parse(body) as Json;
    reviews.push(review);
    const { status, body: sent } = answer(review);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
  });
  const kubeConfigFile = writeWebhookConfig(join(folder, 'service'), service);
  const plugin = { imagePolicy: { kubeConfigFile, allowTTL: -1, denyTTL: -1, retryBackoff: 1 } };
  const admission = join(folder, 'admission');
  const plugins = [{ name: 'ImagePolicyWebhook', configuration: plugin }];
  const kind = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration' };
  writeFileSync(admission, JSON.stringify({ ...kind, plugins }));
  server = await startWithFlags([
    `--admission-control-config-file=${admission}`,
    '--enable-admission-plugins=ImagePolicyWebhook,NamespaceAutoProvision',
    '--disable-admission-plugins=ServiceAccount',
  ]);
}, 60_000);
afterAll(async () => {
  await server?.close();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});

const send = (path: string, method = 'GET', body?: unknown): Promise<Answer> =>
  call({ url: server.url, cert: server.cert, key: server.key, path, method, body });
const pod = (name: string): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, annotations: { 'team.image-policy.k8s.io/ticket': '7', other: 'x' } },
  spec: { containers: [{ name: 'c', image: 'registry.test/app:1' }] },
});

describe('ImagePolicyWebhook', () => {
  it('sends the images of a pod with its annotations, and admits it', async () => {
    expect((await send('/api/v1/namespaces/default/pods', 'POST', pod('good'))).status).toBe(201);
    expect(reviews.splice(0)).toEqual([
      {
        kind: 'ImageReview',
        apiVersion: 'imagepolicy.k8s.io/v1alpha1',
        metadata: {},
        spec: {
          containers: [{ image: 'registry.test/app:1' }],
          annotations: { 'team.image-policy.k8s.io/ticket': '7' },
          namespace: 'default',
        },
        status: { allowed: false },
      },
    ]);
  });

  it('refuses with the reason of the service, and when the service fails', async () => {
    const refused = async (name: string): Promise<string> => {
      const { status, json } = await send('/api/v1/namespaces/default/pods', 'POST', pod(name));
      expect(status).toBe(403);
      return json.message as string;
    };
    answer = (review) => ({ status: 200, body: { ...review, status: { allowed: false, reason: 'not signed' } } });
    expect(await refused('bad')).toBe(
      'pods "bad" is forbidden: image policy webhook backend denied one or more images: not signed',
    );
    reviews.splice(0);
    answer = () => ({ status: 500, body: {} });
    expect(await refused('broken')).toBe(
      'pods "broken" is forbidden: an error on the server ("unknown") has prevented the request from succeeding',
    );
    expect(reviews).toHaveLength(5);
    expect([...urls]).toEqual(['/review?timeout=30s']);
    answer = (review) => ({ status: 200, body: { ...review, kind: 'Other' } });
    expect(await refused('strange')).toContain(
      'pods "strange" is forbidden: no kind "Other" is registered for version "imagepolicy.k8s.io/v1alpha1"',
    );
  });
});

describe('NamespaceAutoProvision', () => {
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };

  it('creates the namespace of a new object, but not for a dry run', async () => {
    const dry = await send('/api/v1/namespaces/fresh/configmaps?dryRun=All', 'POST', map);
    expect([dry.status, dry.json.message]).toEqual([404, 'namespaces "fresh" not found']);
    const sent = await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        send('/api/v1/namespaces/fresh/configmaps', 'POST', { ...map, metadata: { name } }),
      ),
    );
    expect(sent.map(({ status }) => status)).toEqual([201, 201, 201]);
    const { json } = await send('/api/v1/namespaces/fresh');
    expect(json.status).toEqual({ phase: 'Active' });
    expect(json.metadata.labels).toEqual({ 'kubernetes.io/metadata.name': 'fresh' });
  });

  it('refuses a name that no namespace can have', async () => {
    const { status, json } = await send('/api/v1/namespaces/Not_Valid/configmaps', 'POST', map);
    expect([status, json.message]).toEqual([403, expect.stringContaining('configmaps "m" is forbidden: Namespace')]);
  });
});

describe('ImagePolicyWebhook without a configuration', () => {
  it('stops the start', async () => {
    await expect(startWithFlags(['--enable-admission-plugins=ImagePolicyWebhook'])).rejects.toThrow(
      'couldn\'t init admission plugin "ImagePolicyWebhook": no config specified',
    );
  });
});
