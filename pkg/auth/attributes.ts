export {
  forbidden,
  type PathAttributes,
  type RequestAttributes as Attributes,
  type ResourceAttributes,
} from '../api/index.js';
