import type { World } from '../base/index.js';
import { limitRangerStep } from './limitranger.js';
import { certificateSubjectStep, podTopologyStep, taintNodesStep } from './nodes.js';
import { priorityStep } from './priority.js';
import { runtimeClassStep } from './runtimeclass.js';
import { serviceAccountStep } from './serviceaccount.js';
import type { Step, StoredObjects } from './step.js';
import { claimResizeStep, defaultIngressClassStep, defaultStorageClassStep, storageProtectionStep } from './storage.js';
import { defaultTolerationsStep } from './tolerations.js';

export { choiceProblem, choiceWarnings, chosenSteps, type PluginChoice } from './plugins.js';
export type { Admitted, Step, StoredObjects } from './step.js';

/** The built-in steps that are on by default, in the order in which they run. */
export function builtinAdmission(objects: StoredObjects, world: World): readonly Step[] {
  return [
    limitRangerStep(objects),
    serviceAccountStep(objects, world),
    taintNodesStep,
    priorityStep(objects),
    defaultTolerationsStep,
    defaultStorageClassStep(objects),
    storageProtectionStep,
    claimResizeStep(objects),
    runtimeClassStep(objects),
    certificateSubjectStep,
    defaultIngressClassStep(objects),
    podTopologyStep(objects),
  ];
}
