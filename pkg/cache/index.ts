export type { StoredObject } from './object.js';
