import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../api/index.js';
import type { TableDeclaration } from '../resource.js';
import { Bench } from '../testing.js';
import { mutatingAdmissionPolicyBinding } from './admissionregistration/mutatingadmissionpolicybinding.js';
import { cronJob } from './batch/cronjob.js';
import { endpoints } from './core/endpoints.js';
import { event } from './core/event.js';
import { node } from './core/node.js';
import { flowSchema } from './flowcontrol/flowschema.js';
import { ipAddress } from './networking/ipaddress.js';
import { resourcePoolStatusRequest } from './resource/resourcepoolstatusrequest.js';
import { resourceSlice } from './resource/resourceslice.js';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const META = { name: 'x', creationTimestamp: '2026-01-01T00:00:00Z' };

/** The cell of a column in the row of an object. */
function cell(declaration: { readonly table?: TableDeclaration<never> }, object: JsonObject, column: string): unknown {
  const { columns, cells } = declaration.table!;
  return cells(object as never, NOW)[columns.findIndex((c) => c.name === column)];
}

describe('the rows of kinds, as kube-apiserver prints them', () => {
  it('of a CronJob say whether it is suspended in words', () => {
    for (const [suspend, text] of [
      [true, 'True'],
      [false, 'False'],
    ] as const)
      expect(cell(cronJob, { metadata: META, spec: { suspend, jobTemplate: {} } }, 'Suspend')).toBe(text);
  });

  it('of a node have the architecture behind the version of the kernel', () => {
    const row = (nodeInfo: JsonObject): unknown =>
      cell(node, { metadata: META, status: { nodeInfo } }, 'Kernel-Version');
    expect(row({ kernelVersion: '6.1', architecture: 'arm64' })).toBe('6.1 (arm64)');
    expect(row({ architecture: 'arm64' })).toBe('<unknown> (arm64)');
    expect(row({ kernelVersion: '6.1' })).toBe('6.1');
  });

  it('of Endpoints list the addresses of each port, and nothing for subsets without addresses', () => {
    const row = (subsets: readonly JsonObject[]): unknown =>
      cell(endpoints, { metadata: META, subsets: [...subsets] }, 'Endpoints');
    const addresses = [{ ip: '192.0.2.1' }, { ip: '2001:db8::1' }];
    expect(row([{ addresses, ports: [{ port: 80 }, { port: 53 }] }])).toBe(
      '192.0.2.1:80,[2001:db8::1]:80,192.0.2.1:53 + 1 more...',
    );
    expect(row([{ ports: [{ port: 80 }] }])).toBe('');
    expect(row([])).toBe('<none>');
  });

  it('of a binding of a policy show its selector as Go does, and any namespace as a star', () => {
    const row = (paramRef?: JsonObject): unknown =>
      cell(mutatingAdmissionPolicyBinding, { metadata: META, spec: { ...(paramRef && { paramRef }) } }, 'ParamRef');
    expect(row()).toBe('<unset>');
    expect(row({ name: 'n' })).toBe('*/n');
    expect(row({ name: 'n', namespace: 's' })).toBe('s/n');
    const matchExpressions = [
      { key: 'k', operator: 'In', values: ['v', 'w'] },
      { key: 'q', operator: 'Exists' },
    ];
    expect(row({ selector: { matchLabels: { b: 'c', a: 'b' }, matchExpressions } })).toBe(
      '&LabelSelector{MatchLabels:map[string]string{a: b,b: c,},MatchExpressions:[]LabelSelectorRequirement{' +
        'LabelSelectorRequirement{Key:k,Operator:In,Values:[v w],},LabelSelectorRequirement{Key:q,Operator:Exists,Values:[],},},}',
    );
  });

  it('of a slice of devices have a node only if one is named', () => {
    expect(cell(resourceSlice, { metadata: META, spec: { allNodes: true } } as never, 'Node')).toBe('');
  });

  it('of an IPAddress have an age without a column', () => {
    const parentRef = { group: 'Apps', resource: 'deployments', namespace: 'n', name: 'd' };
    expect(ipAddress.table!.cells({ metadata: META, spec: { parentRef } }, NOW)).toEqual([
      'x',
      'deployments.apps/n/d',
      '60s',
    ]);
  });

  it('have numbers as numbers, also in columns of text', () => {
    expect(cell(flowSchema, { metadata: META, spec: { matchingPrecedence: 5 } }, 'MatchingPrecedence')).toBe(5);
    expect(cell(event({ eventSeconds: 60 } as never), { metadata: META, count: 2 }, 'Count')).toBe(2);
  });

  it('of a request for the status of pools have counts once it is complete, and say whether they are all', () => {
    const row = (status: JsonObject | undefined): unknown =>
      resourcePoolStatusRequest.table!.cells(
        { metadata: META, spec: { driver: 'd' }, ...(status && { status }) } as never,
        NOW,
      );
    expect(row(undefined)).toEqual(['x', 'd', '-', '-', '-', '-', '-', 0, 'Pending', '<none>']);
    const done = (type: string): JsonObject => ({
      poolCount: 2,
      pools: [{ totalDevices: 3, availableDevices: 1, allocatedDevices: 2 }],
      conditions: [{ type, status: 'True', lastTransitionTime: META.creationTimestamp }],
    });
    expect(row(done('Complete'))).toEqual(['x', 'd', '3', '1', '2', '0', '0', 2, 'Complete (1/2 pools)', '60s']);
    expect(row(done('Failed'))).toEqual(['x', 'd', '-', '-', '-', '-', '-', 2, 'Failed', '<none>']);
  });
});

it('subresources whose storage in kube-apiserver makes no Tables have none', async () => {
  const { registry } = await Bench.open([['api/all', true]]);
  const found = registry.servedResources.kinds.flatMap(({ resource, versions }) =>
    Object.entries(versions[0]!.subresources).flatMap(([name, s]) => (s.withoutTable ? [`${resource}/${name}`] : [])),
  );
  expect(found.sort()).toEqual([
    'apiservices/status',
    'certificatesigningrequests/approval',
    'customresourcedefinitions/status',
    'devicetaintrules/status',
    'namespaces/finalize',
    'pods/ephemeralcontainers',
    'pods/resize',
    'resourceclaims/status',
    'resourcepoolstatusrequests/status',
  ]);
});
