export {
  at,
  boolAt,
  givenAt,
  keysOf,
  listAt,
  nameOf,
  numberAt,
  objectAt,
  objectIn,
  objectsAt,
  textAt,
} from '../../api/index.js';
