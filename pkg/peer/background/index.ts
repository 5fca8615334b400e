export { BackgroundTasks } from './tasks.js';
