export { compileStructuralSchema } from './compile.js';
export { dropNulls } from './nulls.js';
export { validateStructure } from './validate.js';
