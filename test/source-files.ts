import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, '..');

/** A TypeScript file of the repository. */
export interface SourceFile {
  /** From the root, with forward slashes. */
  readonly path: string;
  /** The folder of its package, such as `packages/wire`; `.` for what belongs to the root. */
  readonly home: string;
  /** Code that runs in production: not tests, not their fixtures. */
  readonly isProduction: boolean;
  /** Its text, without block comments and lines that are comments. */
  readonly text: string;
  /** What it imports, as it is written there; types included. */
  readonly imports: readonly string[];
}

/** Reads the files that a glob finds, from the root on. */
export function readSourceFiles(glob: string): readonly SourceFile[] {
  return globSync(glob, { cwd: ROOT, exclude: (path) => path.includes('node_modules') }).map((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    const home = homeOf(path);
    const inside = home === '.' ? path : path.slice(home.length + 1);
    const isTest = home === '.' || inside.startsWith('test/') || path.endsWith('.test.ts');
    return { path, home, isProduction: !isTest, text, imports: importsOf(text) };
  });
}

function homeOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  if (first === 'apps' || first === 'packages') return `${first}/${second}`;
  return first === 'bench' || first === 'distribution' ? first : '.';
}

/** Statements stand at the beginning of a line, and so no text in quotes is taken for one; `import()` stands anywhere. */
const IMPORT = /^(?:import|export)\s(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'/gm;

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => (match[1] ?? match[2])!);
}
