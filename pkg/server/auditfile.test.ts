import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AuditFile } from './auditfile.js';

const folder = mkdtempSync(join(tmpdir(), 'trireme-auditfile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the file of the audit log', () => {
  it('is freed from rotated files by the flags when it is opened', async () => {
    const old = ['audit-2026-01-01T00-00-00.000.log', 'audit-2026-03-01T00-00-00.000.log'];
    const recent = ['audit-2026-03-02T00-00-00.000.log', 'audit-2026-03-03T00-00-00.000.log.gz'];
    const others = ['audit-notes.log', 'other-2026-01-01T00-00-00.000.log'];
    for (const name of [...old, ...recent, ...others]) writeFileSync(join(folder, name), 'x');
    const file = await AuditFile.open({
      path: join(folder, 'audit.log'),
      sizeMax: 0,
      backupsMax: 2,
      daysMax: 30,
      compress: true,
      clock: { now: () => Date.parse('2026-03-10T00:00:00Z'), monotonic: () => 0 },
      failed: (error) => {
        throw error;
      },
    });
    await file.close();
    expect(readdirSync(folder).sort()).toEqual(
      ['audit.log', ...others, 'audit-2026-03-02T00-00-00.000.log.gz', recent[1]!].sort(),
    );
  });
});
