import { policyBinding, roleBinding } from './access.js';
import { claims } from './claims.js';
import { clusterBehaviour } from './clusterbehaviour.js';
import { deletion } from './deletion.js';
import { allocation, deviceClass, taintRule } from './devices.js';
import { found } from './found.js';
import { migration } from './migration.js';
import { endpointSlice, ingressClass, ipAddress } from './network.js';
import { runtimeClass } from './node.js';
import { operations } from './operations.js';
import { policies } from './policies.js';
import { replicationController } from './replication.js';
import type { Sequence } from './sequence.js';
import type { Statement } from './statement.js';

export type { Statement } from './statement.js';

export const statements: readonly Statement[] = [
  ...ipAddress,
  ...ingressClass,
  ...runtimeClass,
  ...roleBinding,
  ...replicationController,
  ...migration,
  ...policyBinding,
  ...deviceClass,
  ...claims,
  ...allocation,
  ...taintRule,
  ...endpointSlice,
  ...deletion,
  ...found,
];

export const sequences: readonly Sequence[] = [...policies, ...clusterBehaviour, ...operations];
