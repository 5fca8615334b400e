export { type DeclarativeOptions, declarativeErrors, hasDeclarative } from './validate.js';
