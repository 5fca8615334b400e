import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Disks, isMounted } from './disks.js';

/**
 * Disks whose power can be cut. Each is a file system on a loop device, whose backing file lies on a second file
 * system that represents the device:
 *
 *     folder                  the peer's data: ext4 or xfs
 *       loop device           a flush of it is an fsync of its backing file
 *     <name>.device/platter   the backing file, on ext4
 *       loop device
 *     <name>.image            a file of this machine
 *
 * The cut is ext4's shutdown of the lower file system without flushing its log: from then on no byte reaches it. So data that
 * the peer never synced is lost with the page cache. Data that the upper file system wrote and never flushed is lost too, as
 * from the cache of a real device, in any order. The cut happens between two instructions of the peer, at any point.
 */
export class PowerSupply implements Disks {
  readonly #mebibytes: number;
  readonly #fileSystem: UpperFileSystem;
  readonly #attached = new Set<string>();
  readonly #switch: ChildProcess;
  #answered: (line: string) => void = () => {};

  constructor(mebibytes: number, fileSystem: UpperFileSystem = 'ext4') {
    this.#mebibytes = mebibytes;
    this.#fileSystem = fileSystem;
    this.#switch = spawn('perl', ['-e', SWITCH], { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#switch.stdout!.setEncoding('utf8').on('data', (text: string) => this.#answered(text.trim()));
  }

  attach(folder: string): void {
    const { image, device, platter } = places(folder);
    this.#attached.add(folder);
    mkdirSync(device, { recursive: true });
    mkdirSync(folder, { recursive: true });
    // Allocated in full, so that the device itself never runs out of space.
    execFileSync('fallocate', ['-l', `${imageMiB(this.#mebibytes)}M`, image]);
    makeFileSystem('ext4', image);
    mountLoop(image, device);
    execFileSync('fallocate', ['-l', `${this.#mebibytes}M`, platter]);
    makeFileSystem(this.#fileSystem, platter);
    mountLoop(platter, folder);
  }

  /** Cuts the power: nothing more is written to the devices of these folders. Resolves when that is done. */
  async cut(folders: readonly string[]): Promise<void> {
    const answer = new Promise<string>((resolve) => {
      this.#answered = resolve;
    });
    this.#switch.stdin!.write(`${folders.map((folder) => places(folder).device).join('\t')}\n`);
    const said = await answer;
    if (said !== 'cut') throw new Error(`the power of ${folders.join(', ')} was not cut: ${said}`);
  }

  /** Restores the power: both file systems replay their journals. No process may have a file open there. */
  restore(folder: string): void {
    const { image, device, platter } = places(folder);
    unmount(folder);
    unmount(device);
    mountLoop(image, device);
    mountLoop(platter, folder);
  }

  detach(folder: string): void {
    const { image, device } = places(folder);
    this.#attached.delete(folder);
    unmount(folder);
    unmount(device);
    rmSync(device, { recursive: true, force: true });
    rmSync(image, { force: true });
  }

  /** Detaches the remaining devices. */
  close(): void {
    for (const folder of [...this.#attached]) this.detach(folder);
    this.#switch.kill();
  }
}

export type UpperFileSystem = 'ext4' | 'xfs';

/** Space for the journal and the tables of the lower file system. */
const imageMiB = (platter: number): number => Math.ceil(platter * 1.06) + 64;

/**
 * Reads mount points, one on each line, shuts each down (EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH) and prints the
 * result.
 */
const SWITCH = `
$| = 1;
while (my $line = <STDIN>) {
  chomp $line;
  my @open = map { open(my $f, '<', $_) or die "$_: $!"; $f } split(/\\t/, $line);
  my $failed = '';
  for my $f (@open) { my $how = pack('L', 2); ioctl($f, 0x8004587d, $how) or $failed = "$!"; }
  print $failed eq '' ? "cut\\n" : "$failed\\n";
}`;

function places(folder: string): { readonly image: string; readonly device: string; readonly platter: string } {
  return { image: `${folder}.image`, device: `${folder}.device`, platter: join(`${folder}.device`, 'platter') };
}

function makeFileSystem(kind: UpperFileSystem, file: string): void {
  const command = {
    ext4: ['mkfs.ext4', '-q', '-F', '-m', '0', '-E', 'lazy_itable_init=0,lazy_journal_init=0', file],
    xfs: ['mkfs.xfs', '-q', '-f', file],
  }[kind];
  execFileSync(command[0]!, command.slice(1), { stdio: 'pipe' });
}

/** The kernel detaches the loop device when the file system is unmounted. */
function mountLoop(file: string, folder: string): void {
  execFileSync('mount', ['-o', 'loop', file, folder], { stdio: 'pipe' });
}

const BUSY_TRIES = 600;

function unmount(folder: string): void {
  for (let tries = 0; isMounted(folder); tries++) {
    try {
      execFileSync('umount', [folder], { stdio: 'pipe' });
    } catch (error) {
      // A process that was just killed may still have a file open.
      if (tries === BUSY_TRIES) throw error;
      execFileSync('sleep', ['0.1']);
    }
  }
}

/** The reason why power cannot be cut on this machine; undefined if it can. */
export function whyNoPowerCuts(fileSystem: UpperFileSystem = 'ext4'): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'trireme-power-'));
  try {
    // The minimum size of an xfs file system is 300 MiB.
    const supply = new PowerSupply(fileSystem === 'xfs' ? 320 : 16, fileSystem);
    try {
      supply.attach(join(folder, 'disk'));
      return undefined;
    } finally {
      supply.close();
    }
  } catch (error) {
    return (error as Error).message.split('\n').slice(0, 2).join(' ');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
