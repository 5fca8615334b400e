export { compileStructuralSchema } from './compile.js';
export { dropNulls } from './nulls.js';
export { customKind } from './type.js';
export { validateStructure } from './validate.js';
