export {
  at,
  boolAt,
  givenAt,
  listAt,
  nameOf,
  numberAt,
  objectAt,
  objectIn,
  objectsAt,
  textAt,
} from '../../api/index.js';
