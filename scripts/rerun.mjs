// Runs the test files that failed once more, alone, so that a busy machine does not decide whether a change is good.
// A file that passes now is named as flaky; a file that fails again, or more than three files, fail the run.
// node scripts/rerun.mjs REPORT, where REPORT is what vitest's JSON reporter wrote.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const MOST = 3;

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const failed = report.testResults.filter((file) => file.status === 'failed').map((file) => relative('.', file.name));
if (failed.length === 0 || failed.length > MOST) {
  console.log(`${failed.length} test files failed; at most ${MOST} are run again, and none when the run itself failed`);
  process.exit(1);
}
const again = spawnSync('node_modules/.bin/vitest', ['run', '--maxWorkers=1', ...failed], { stdio: 'inherit' });
if (again.status !== 0) process.exit(1);
for (const file of failed) console.log(`flaky: ${file} failed beside the other tests and passed alone`);
