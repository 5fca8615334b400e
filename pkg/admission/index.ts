import type { AdmissionStep, StoredObjects } from '../api/index.js';
import type { World } from '../base/index.js';
import { certificateSubjectStep } from './certificatesubject.js';
import { claimResizeStep } from './claimresize.js';
import { defaultIngressClassStep } from './defaultingressclass.js';
import { defaultStorageClassStep } from './defaultstorageclass.js';
import { defaultTolerationsStep } from './defaulttolerations.js';
import { limitRangerStep } from './limitranger.js';
import { podTopologyStep } from './podtopology.js';
import type { AuthorizeCheck } from './policy/checks.js';
import { validatingPolicyStep } from './policy/validating.js';
import { priorityStep } from './priority.js';
import { runtimeClassStep } from './runtimeclass.js';
import { serviceAccountStep } from './serviceaccount.js';
import { storageProtectionStep } from './storageprotection.js';
import { taintNodesStep } from './taintnodes.js';

export { choiceProblem, choiceWarnings, chosenSteps, type PluginChoice } from './plugins.js';
export type { AuthorizeCheck } from './policy/checks.js';
export { compileConditions, compilePolicy, type ExpressionIssue } from './policy/compile.js';

/** The built-in steps, in the order in which they run. */
export function builtinAdmission(
  objects: StoredObjects,
  world: World,
  authorize: AuthorizeCheck,
): readonly AdmissionStep[] {
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
    validatingPolicyStep({ objects, authorize }),
  ];
}
