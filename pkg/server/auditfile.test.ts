import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { AuditFile } from './auditfile.js';

const folder = mkdtempSync(join(tmpdir(), 'trireme-auditfile-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const openFile = (name: string, sizeMax = 0): Promise<AuditFile> =>
  AuditFile.open({
    path: join(folder, name),
    sizeMax,
    backupsMax: 2,
    daysMax: 30,
    compress: true,
    clock: { now: () => Date.parse('2026-03-10T00:00:00Z'), monotonic: () => 0 },
    failed: (error) => {
      throw error;
    },
  });

describe('the file of the audit log', () => {
  it('is freed from rotated files by the flags when it is opened', async () => {
    const old = ['audit-2026-01-01T00-00-00.000.log', 'audit-2026-03-01T00-00-00.000.log'];
    const recent = ['audit-2026-03-02T00-00-00.000.log', 'audit-2026-03-03T00-00-00.000.log.gz'];
    const others = ['audit-notes.log', 'other-2026-01-01T00-00-00.000.log'];
    for (const name of [...old, ...recent, ...others]) writeFileSync(join(folder, name), 'x');
    const file = await openFile('audit.log');
    await file.close();
    expect(readdirSync(folder).sort()).toEqual(
      ['audit.log', ...others, 'audit-2026-03-02T00-00-00.000.log.gz', recent[1]!].sort(),
    );
  });

  it('keeps its permissions when it is rotated, is made again if it was removed, and splits a write between lines', async () => {
    const path = join(folder, 'kept', 'kept.log');
    const write = (text: string): Promise<void> => file.write(Buffer.from(text));
    const file = await openFile(join('kept', 'kept.log'), 5);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o640);
    for (const text of ['one\n', 'two\n']) await write(text);
    rmSync(path);
    await write('3\n4\n5\n');
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('5\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const rotated = join(folder, 'kept', 'kept-2026-03-10T00-00-00.000.log.gz');
    expect(statSync(rotated).mode & 0o777).toBe(0o640);
    expect(gunzipSync(readFileSync(rotated)).toString()).toBe('one\n');
  });

  it('has no torn line after a write that failed in the middle, also if others truncate it', async () => {
    const file = await openFile('torn.log');
    const path = join(folder, 'torn.log');
    await file.write(Buffer.from('one\n'));
    const handle = await open(path);
    const { write } = Object.getPrototypeOf(handle);
    let calls = 0;
    const full = vi.spyOn(Object.getPrototypeOf(handle), 'write').mockImplementation(function (this: FileHandle) {
      if (++calls % 2 === 0) return Promise.reject(new Error('ENOSPC'));
      return write.call(this, Buffer.from('tw'));
    });
    await expect(file.write(Buffer.from('two\n'))).rejects.toThrow('ENOSPC');
    truncateSync(path, 1);
    await expect(file.write(Buffer.from('two\n'))).rejects.toThrow('ENOSPC');
    full.mockRestore();
    await file.write(Buffer.from('three\n'));
    await Promise.all([file.close(), handle.close()]);
    expect(readFileSync(path, 'utf8')).toBe('othree\n');
  });
});
