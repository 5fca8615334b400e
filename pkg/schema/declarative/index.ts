export { inFieldOrder } from './checks.js';
export { type DeclarativeOptions, declarativeErrors, hasDeclarative } from './validate.js';
