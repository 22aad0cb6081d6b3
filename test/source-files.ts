import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The root of the repository. */
export const ROOT = resolve(import.meta.dirname, '..');

/** A TypeScript file of the repository. */
export interface SourceFile {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  /** The folder of its package, such as `packages/wire`; `.` for files of the root. */
  readonly home: string;
  /** Whether it runs in production; false for tests and their fixtures. */
  readonly isProduction: boolean;
  /** Its text, without block comments and comment lines. */
  readonly text: string;
  /** Its imports, as written; types included. */
  readonly imports: readonly string[];
}

/** Reads the files that a glob matches, from the root. */
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

/** Statements start a line, so no quoted text is taken for one; `import()` can be anywhere. */
const IMPORT = /^(?:import|export)\s(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\(\s*'([^']+)'/gm;

function importsOf(text: string): string[] {
  return [...text.matchAll(IMPORT)].map((match) => (match[1] ?? match[2])!);
}
