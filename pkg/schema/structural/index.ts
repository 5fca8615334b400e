export { compileStructuralSchema, isFormatOf } from './compile.js';
export { patternProblem } from './constraints.js';
export { embedsObjects } from './embeds.js';
export { dropNulls } from './nulls.js';
export { customKind, structuralName } from './type.js';
export { isUnchanged } from './unchanged.js';
export { inStatus, validateStatus, validateStructure, validateValue } from './validate.js';
