export { at, boolAt, listAt, nameOf, numberAt, objectAt, objectIn, objectsAt, textAt } from '../../api/index.js';
