// A process that runs ranges of seeds for `jobs.ts`.

import { runRange, type SeedRange } from './jobs.js';

process.on('message', (range) => {
  runRange(range as SeedRange).then(
    (done) => process.send!(done),
    (error: Error) => {
      console.error(error);
      process.exit(1);
    },
  );
});
