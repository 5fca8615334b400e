import { long, rows, type Statement } from './statement.js';

/** What differential fuzzing found in kinds beyond the document. */
export const found: readonly Statement[] = [
  ...rows(
    'Pod status',
    'pod',
    'status',
    [
      'podIP is the first of podIPs',
      { status: { podIP: '192.0.2.1' } },
      { shows: { 'status.podIPs.0.ip': '192.0.2.1' } },
    ],
    ['hostIP does not need hostIPs', { status: { hostIP: 'a' } }, 200],
    ['hostIPs begin with hostIP', { status: { hostIPs: [{ ip: '192.0.2.1' }] } }, 'status.hostIPs[0].ip'],
    ['hostIPs are addresses', { status: { hostIP: 'a', hostIPs: [{ ip: 'a' }] } }, 'status.hostIPs[0]'],
    [
      'hostIPs have one address of each family',
      { status: { hostIP: '192.0.2.1', hostIPs: [{ ip: '192.0.2.1' }, { ip: '192.0.2.2' }] } },
      'status.hostIPs',
    ],
    ['observedGeneration is not negative', { status: { observedGeneration: -1 } }, 'status.observedGeneration'],
    [
      'conditions have a generation that is not negative',
      { status: { conditions: [{ type: 'Ready', status: 'True', observedGeneration: -1 }] } },
      'status.conditions[0].observedGeneration',
    ],
    [
      'the claim of extended resources maps requests',
      { status: { extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: 'c' } } },
      'status.extendedResourceClaimStatus.requestMappings',
    ],
    [
      'the claim of extended resources has a name',
      { status: { extendedResourceClaimStatus: { requestMappings: [], resourceClaimName: '' } } },
      'status.extendedResourceClaimStatus.resourceClaimName',
    ],
    [
      'mapped requests are of containers',
      {
        status: {
          extendedResourceClaimStatus: {
            requestMappings: [{ containerName: 'x', resourceName: 'example.com/x', requestName: 'r' }],
            resourceClaimName: 'c',
          },
        },
      },
      'status.extendedResourceClaimStatus.requestMappings[0].containerName',
    ],
    [
      'allocated resources are requested',
      {
        status: {
          containerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              allocatedResourcesStatus: [{ name: 'example.com/x', resources: [] }],
            },
          ],
        },
      },
      'status.containerStatuses[0].allocatedResourcesStatus[0].name',
    ],
    [
      'ephemeral containers have no allocated resources',
      {
        status: {
          ephemeralContainerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              allocatedResourcesStatus: [{ name: 'x' }],
            },
          ],
        },
      },
      'status.ephemeralContainerStatuses[0].allocatedResourcesStatus',
    ],
    [
      'the user of a container is any number of Linux',
      {
        status: {
          containerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              user: { linux: { uid: 4294967295, gid: 0 } },
            },
          ],
        },
      },
      200,
    ],
    [
      'the user of a container is in range',
      {
        status: {
          containerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              user: { linux: { uid: 4294967296, gid: 0 } },
            },
          ],
        },
      },
      'status.containerStatuses[0].user.linux.uid',
    ],
    [
      'a terminated container does not run again',
      { 'status.containerStatuses.0.state': { running: {} } },
      {
        code: 422,
        field: 'status.containerStatuses[0].state',
        status: {
          containerStatuses: [
            {
              name: 'c',
              ready: false,
              restartCount: 0,
              image: '',
              imageID: '',
              state: { terminated: { exitCode: 1 } },
            },
          ],
        },
      },
    ],
  ),
  ...rows(
    'VolumeAttachment',
    'volumeattachment',
    'status',
    [
      'the message of an error has at most 1024 bytes',
      { status: { attached: false, attachError: { message: long(1025) } } },
      'status.attachError.message',
    ],
    [
      'the code of an error is not negative',
      { status: { attached: false, detachError: { errorCode: -1 } } },
      'status.detachError.errorCode',
    ],
    [
      'labels stay',
      { 'metadata.labels': { a: 'b' }, status: { attached: true } },
      { shows: { 'metadata.labels': undefined, 'status.attached': true } },
    ],
  ),
  ...rows(
    'ValidatingAdmissionPolicy',
    'policy',
    'status',
    [
      'a warning has a text',
      { status: { typeChecking: { expressionWarnings: [{ fieldRef: 'spec.x', warning: '' }] } } },
      'status.typeChecking.expressionWarnings[0].warning',
    ],
    [
      'a warning refers to a field',
      { status: { typeChecking: { expressionWarnings: [{ fieldRef: ' ', warning: 'w' }] } } },
      'status.typeChecking.expressionWarnings[0].fieldRef',
    ],
  ),
  ...rows(
    'ValidatingAdmissionPolicy',
    'policy',
    'create',
    [
      'a wildcard covers what comes after it',
      { 'spec.matchConstraints.resourceRules.0.resources': ['things/*', 'things/status'] },
      'spec.matchConstraints.resourceRules[0].resources[1]',
    ],
    [
      'a wildcard does not cover what comes before it',
      { 'spec.matchConstraints.resourceRules.0.resources': ['things/status', 'things/*'] },
      201,
    ],
  ),
  ...rows('ResourceQuota', 'quota', 'update', [
    'a scope may be repeated',
    { 'spec.scopes': ['BestEffort', 'BestEffort'] },
    200,
  ]),
];
