import { getHeapStatistics } from 'node:v8';
import { Script } from 'node:vm';
import { Random } from '../sim/random.js';
import { cpuMilliseconds } from './cputime.js';
import { mutated } from './mutate.js';
import type { Target } from './target.js';

export interface Finding {
  readonly target: string;
  readonly kind: 'crash' | 'hang' | 'slow' | 'memory';
  readonly why: string;
  /** Minimized. */
  readonly input: Buffer;
}

export interface Hunt {
  readonly seed: number;
  /** The number of inputs; with `until`, as many as the time allows. */
  readonly inputs: number;
  /** Called between inputs; stops when it returns false. */
  readonly goOn?: () => boolean;
}

/** Milliseconds after which a synchronous target is interrupted. */
const HANG_TIME = 60_000;
/**
 * CPU milliseconds of the process. An input is slow if it takes longer in three runs. Inputs have at most 256 KiB, and targets read
 * megabytes per second. `make test` measures no time.
 */
const SLOW_TIME = process.env['FUZZ_MINUTES'] === undefined ? Number.POSITIVE_INFINITY : 1_500;
/** The memory, on and off the heap, that one input may use before garbage collection. */
const MEMORY_MAX = 384 * 1024 * 1024;
/** Attempts to minimize a finding. */
const SHRINK_TRIES = 400;

/** Feeds mutated seeds to a target, deterministically by the seed. The first finding ends the run. */
export async function hunt(target: Target, { seed, inputs, goOn }: Hunt): Promise<Finding | undefined> {
  const random = new Random(seed);
  for (const input of target.seeds) {
    const found = await tried(target, input);
    if (found !== undefined) return found;
  }
  for (let i = 0; i < inputs && (goOn === undefined || goOn()); i++) {
    const found = await tried(target, mutated(target, random));
    if (found !== undefined) return shrunk(target, found, random);
  }
  return undefined;
}

/** Runs one input and returns the finding, if any. */
export async function tried(target: Target, input: Buffer): Promise<Finding | undefined> {
  const finding = (kind: Finding['kind'], why: string): Finding => ({ target: target.name, kind, why, input });
  const before = memory();
  const once = await timed(target, input);
  if (once.failed !== undefined) {
    const { failed } = once;
    if (isHang(failed)) return finding('hang', `did not finish in ${HANG_TIME} ms`);
    if (!target.refusals.some((r) => failed instanceof r)) return finding('crash', describe(failed));
  }
  const left = memory() - before;
  if (left > MEMORY_MAX) return finding('memory', `left ${left >> 20} MiB behind`);
  if (once.time < SLOW_TIME) return undefined;
  const again = Math.min((await timed(target, input)).time, (await timed(target, input)).time);
  return again < SLOW_TIME ? undefined : finding('slow', `took ${again | 0} ms for ${input.length} bytes`);
}

interface Timed {
  readonly time: number;
  readonly failed: unknown;
}

// The timeout of `vm` interrupts any synchronous loop.
const guarded = new Script('__fuzz()');
const place = globalThis as { __fuzz?: () => unknown };

async function timed(target: Target, input: Buffer): Promise<Timed> {
  // The target may modify its input, and the finding must show the original.
  const given = Buffer.from(input);
  place.__fuzz = () => target.run(given);
  const start = cpuMilliseconds();
  let failed: unknown;
  try {
    const running: unknown = guarded.runInThisContext({ timeout: HANG_TIME });
    if (running instanceof Promise) await running;
  } catch (error) {
    failed = error ?? new Error(`threw ${String(error)}`);
  }
  return { time: cpuMilliseconds() - start, failed };
}

function isHang(error: unknown): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (error.stack ?? error.message).slice(0, 800);
}

function memory(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/** Removes parts while the same error occurs. Not used for hangs, because each attempt would take as long. */
async function shrunk(target: Target, finding: Finding, random: Random): Promise<Finding> {
  if (finding.kind !== 'crash') return finding;
  let best = finding;
  const line = headline(finding);
  for (let i = 0; i < SHRINK_TRIES && best.input.length > 1; i++) {
    const { input } = best;
    const from = random.int(0, input.length - 1);
    const to = from + random.skewed(1, Math.max(1, input.length >> 1));
    const next = await tried(target, Buffer.concat([input.subarray(0, from), input.subarray(to)]));
    if (next?.kind === 'crash' && headline(next) === line) best = next;
  }
  return best;
}

const headline = ({ why }: Finding): string =>
  why.split('\n').slice(0, 2).join('\n').replace(/\d+/g, '0').slice(0, 120);

/** Formats a finding for people and for `found.ts`. */
export function shown({ target, kind, why, input }: Finding): string {
  const text = input.toString('utf8');
  const isText = Buffer.from(text).equals(input) && input.length < 2000;
  const bytes = isText ? JSON.stringify(text) : `base64 ${input.subarray(0, 4096).toString('base64')}`;
  return `${target}: ${kind}: ${why}\n  input (${input.length} bytes): ${bytes}`;
}
