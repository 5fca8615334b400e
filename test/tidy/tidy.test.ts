import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { rooms, testKit, unbound, worldless, worldMakers } from './rooms.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

function* sources(folder: string): Generator<string> {
  if (!existsSync(join(root, folder))) return;
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (entry.name.endsWith('.ts')) yield path;
  }
}

interface Import {
  readonly from: string;
  readonly specifier: string;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\s[^'";]*?from\s+'([^']+)'|import\(\s*'([^']+)'\s*\)|(?:^|\n)import\s+'([^']+)'/g,
    ),
  ].map((m) => ({
    from: file,
    specifier: (m[1] ?? m[2] ?? m[3])!,
  }));
}

/** The innermost room that contains a file. */
const roomOf = (path: string) =>
  rooms
    .filter((r) => path === r.path || path.startsWith(`${r.path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
const isTest = (path: string) => /\.test\.ts$|\/testing\/|\.bench\.ts$/.test(path);

function violations(file: string): string[] {
  const room = roomOf(file);
  if (room === undefined) return [`${file}: is in no room of test/tidy/rooms.ts`];
  const found: string[] = [];
  for (const { specifier } of importsOf(file)) {
    if (!specifier.startsWith('.')) {
      if (room.pure && !isTest(file)) found.push(`${file}: ${room.path} is pure and may not import ${specifier}`);
      continue;
    }
    const target = posix.normalize(posix.join(dirname(file), specifier));
    const other = roomOf(target);
    if (other === undefined) {
      if (!isTest(file)) found.push(`${file}: imports ${specifier}, which is in no room`);
    } else if (other !== room) {
      if (!room.mayImport.includes(other.path) && !isTest(file))
        found.push(`${file}: ${room.path} may not import ${other.path}`);
      const throughDoor = target === `${other.path}/index.js` || target.includes('/gen/') || isTest(file);
      if (!throughDoor) found.push(`${file}: reaches into ${other.path} past its door (${specifier})`);
    }
  }
  return found;
}

describe('the room table', () => {
  const files = rooms.flatMap((r) => [...sources(r.path)]).filter((f, i, all) => all.indexOf(f) === i);

  it('finds the tree it checks', () => {
    expect(files.length).toBeGreaterThan(20);
  });

  it('allows every import in the tree', () => {
    expect(files.flatMap(violations)).toEqual([]);
  });

  it('has no cycle', () => {
    const order: string[] = [];
    const visiting = new Set<string>();
    const visit = (path: string): void => {
      if (order.includes(path)) return;
      expect(visiting.has(path), `${path} imports itself indirectly`).toBe(false);
      visiting.add(path);
      for (const next of rooms.find((r) => r.path === path)?.mayImport ?? []) visit(next);
      order.push(path);
    };
    for (const r of rooms) visit(r.path);
    expect(order.length).toBe(rooms.length);
  });

  it('gives every room a door (index.ts) and a README', () => {
    const missing = rooms
      .filter((r) => existsSync(join(root, r.path)) && [...sources(r.path)].length > 0 && r.path !== 'cmd')
      .flatMap((r) => ['index.ts', 'README.md'].map((f) => join(r.path, f)))
      .filter((f) => !existsSync(join(root, f)) && !f.startsWith('proto/index'));
    expect(missing).toEqual([]);
  });

  it('uses clock, random numbers, network and disk only above the composition root', () => {
    const reach = new RegExp(
      [
        /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
        /\bMath\.random\(|\brandom(?:Bytes|UUID|Int|Fill|FillSync)\b|\bgetRandomValues\(/,
        /\bprocess\.env\b/,
        // Not the declaration of a method with a typed parameter, such as that of sockets.
        /(?<![.\w])(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b(?!\(\w+: )|\bprocess\.nextTick\(/,
      ]
        .map(({ source }) => source)
        .join('|'),
    );
    const found = worldless
      .flatMap((r) => [...sources(r)])
      .filter(
        (f) =>
          !isTest(f) && !f.includes('/gen/') && !worldMakers.includes(f) && !testKit.some((kit) => f.startsWith(kit)),
      )
      .flatMap((f) =>
        readFileSync(join(root, f), 'utf8')
          .split('\n')
          .flatMap((line, i) =>
            reach.test(line.replace(/\/\/.*|^\s*\/?\*.*/, '')) ? [`${f}:${i + 1}: ${line.trim()}`] : [],
          ),
      );
    expect(found).toEqual([]);
  });
});

describe('the tree', () => {
  it('has no local path and no download host', () => {
    const tracked = [...rooms.map((r) => r.path), ...unbound].flatMap((r) => [...sources(r)]);
    const files = [
      ...tracked,
      'package.json',
      'package-lock.json',
      'Makefile',
      'README.md',
      'ARCHITECTURE.md',
      'CHANGELOG.md',
    ].filter((f) => existsSync(join(root, f)));
    const bad = new RegExp(['/work', '/(main|steer)|"resolved":\\s*"http'].join(''));
    expect(
      files.filter((f) => bad.test(readFileSync(join(root, f), 'utf8'))).map((f) => relative(root, join(root, f))),
    ).toEqual([]);
  });
});
