export { type DeclarativeOptions, declarativeErrors } from './validate.js';
