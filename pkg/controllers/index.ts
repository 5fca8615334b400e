export type { Cluster, DeleteOptions, Following, Observer, Place, Policy } from './cluster.js';
export type { Controller, ControllerContext } from './controller.js';
export { definitionCleanup } from './definitioncleanup.js';
export { definitionNames } from './definitionnames.js';
export { type ServedDefinitions, serveDefinitions } from './definitionserving.js';
export { garbageCollector } from './garbagecollector.js';
export { ControllerManager, isWanted, unknownControllers } from './manager.js';
export { namespaceController } from './namespace.js';
export { defaultServiceAccount, rootCaPublisher } from './namespacecontent.js';
