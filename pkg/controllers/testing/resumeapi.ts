import type { JsonObject } from '../../api/index.js';
import { kubernetesServiceObject } from '../../registry/index.js';
import { defaultServiceCidr } from '../apiserver/defaultservicecidr.js';
import { identityLeaseCollector } from '../apiserver/identitylease.js';
import { kubernetesService } from '../apiserver/kubernetesservice.js';
import { legacyTokenTracking } from '../apiserver/legacytokentracking.js';
import { announceServer } from '../apiserver/liveservers.js';
import { apiServiceAvailability } from '../apiservices/availability.js';
import { apiServiceRegistration } from '../apiservices/registration.js';
import { CLEANUP_FINALIZER } from '../definition.js';
import { definitionCleanup } from '../definitioncleanup.js';
import { definitionNames } from '../definitionnames.js';
import { flowSchemaStatus } from '../flowschemastatus.js';
import type { ResumeCase } from './resume.js';

const LEASES = 'leases.coordination.k8s.io/v1';
const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io/v1';
const API_SERVICES = 'apiservices.apiregistration.k8s.io/v1';
const FLOW_SCHEMAS = 'flowschemas.flowcontrol.apiserver.k8s.io/v1';
const HOUR = 3_600_000;

const definition = (plural: string, group: string, names: JsonObject, annotations: JsonObject = {}): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}`, finalizers: [CLEANUP_FINALIZER], annotations },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, ...names },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

const lease = (name: string, more: JsonObject = {}): JsonObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, ...more },
});

const apiService = (version: string, group: string, metadata: JsonObject, spec: JsonObject): JsonObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}`, ...metadata },
  spec: { group, version, groupPriorityMinimum: 1000, versionPriority: 100, ...spec },
});

/** Controllers of the API itself, which --controllers does not switch off. */
export const API: readonly ResumeCase[] = [
  {
    name: 'deletion of a definition',
    make: definitionCleanup,
    act: async (bench) => {
      // The name of a kind that the server has anyway.
      const approved = { 'api-approved.kubernetes.io': 'https://github.com/kubernetes/kubernetes/pull/1' };
      await bench.create(DEFINITIONS, '', definition('leases', 'coordination.k8s.io', { kind: 'Lease' }, approved));
      for (const namespace of ['default', 'kube-system']) await bench.create(LEASES, namespace, lease('a'));
      await bench.delete(DEFINITIONS, '', 'leases.coordination.k8s.io');
    },
    resources: [DEFINITIONS, LEASES],
  },
  {
    name: 'names of definitions',
    make: definitionNames,
    act: async (bench) => {
      // The second has a short name that the first has already.
      for (const [plural, kind] of [
        ['lamps', 'Lamp'],
        ['lanterns', 'Lantern'],
      ] as const)
        await bench.create(DEFINITIONS, '', definition(plural, 'x.example', { kind, shortNames: ['la'] }));
    },
    resources: [DEFINITIONS],
  },
  {
    name: 'conditions of flow schemas',
    make: flowSchemaStatus,
    act: async (bench) => {
      for (const name of ['a', 'b'])
        await bench.create(FLOW_SCHEMAS, '', {
          apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
          kind: 'FlowSchema',
          metadata: { name },
          spec: { priorityLevelConfiguration: { name: 'none' }, matchingPrecedence: 500 },
        });
    },
    resources: [FLOW_SCHEMAS],
  },
  {
    name: 'registration of group versions',
    make: apiServiceRegistration,
    act: async (bench) => {
      const labels = { 'kube-aggregator.kubernetes.io/automanaged': 'true' };
      await bench.create(API_SERVICES, '', apiService('v1', 'old.example', { labels }, {}));
    },
    resources: [API_SERVICES],
  },
  {
    name: 'availability of aggregated servers',
    make: (context) => apiServiceAvailability(context, async () => 'no answer'),
    act: async (bench) => {
      const spec = { service: { namespace: 'default', name: 's' }, insecureSkipTLSVerify: true };
      for (const version of ['v1', 'v2'])
        await bench.create(API_SERVICES, '', apiService(version, 'x.example', {}, spec));
    },
    resources: [API_SERVICES],
  },
  {
    name: 'leases of servers that have ended',
    make: identityLeaseCollector,
    act: async (bench) => {
      const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
      for (const name of ['apiserver-a', 'apiserver-b', 'apiserver-c']) {
        const renewTime = new Date(bench.world.clock.now()).toISOString().replace('Z', '000Z');
        const spec = { holderIdentity: name, leaseDurationSeconds: 3600, renewTime };
        await bench.create(LEASES, 'kube-system', { ...lease(name, { labels }), spec });
        if (name === 'apiserver-b') bench.world.advance(2 * HOUR);
      }
    },
    resources: [LEASES],
  },
  {
    name: 'the default ServiceCIDR',
    make: (context) => defaultServiceCidr(context, { ranges: ['10.96.0.0/12', 'fd00::/112'], status: context.cluster }),
    act: async () => {},
    resources: ['servicecidrs.networking.k8s.io/v1'],
  },
  {
    name: 'tracking of legacy tokens',
    make: legacyTokenTracking,
    act: async () => {},
    resources: ['configmaps'],
  },
  {
    name: 'the Service kubernetes and its endpoints',
    make: (context, keyspace) =>
      kubernetesService(context, {
        keyspace,
        service: kubernetesServiceObject({ serviceAddress: '10.96.0.1', securePort: 6443 }),
        endpoints: true,
      }),
    act: async ({ world, keyspace }) => {
      for (const port of [6443, 6444])
        for (const address of ['192.0.2.1', '192.0.2.2']) announceServer(keyspace, world, { address, port }, () => {});
    },
    resources: ['services', 'endpoints', 'endpointslices.discovery.k8s.io/v1'],
  },
];
