import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ENTRIES, LIBRARIES, PORTABLE } from './entries.ts';

/**
 * Writes the type declarations of the libraries into a folder that mirrors the source tree. Throws with the
 * compiler's output if it fails.
 */
export function emitTypes(root: string, folder: string): void {
  const temporary = mkdtempSync(join(tmpdir(), 'winnow-types-'));
  try {
    const config = join(temporary, 'tsconfig.json');
    writeFileSync(config, JSON.stringify(compilerConfig(root, folder)));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', config], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`the compiler could not emit the types:\n${stdout}${stderr}`);
  } finally {
    rmSync(temporary, { recursive: true });
  }
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, relink(readFileSync(path, 'utf8'), dirname(file)));
  }
}

/** The path of a library's types, relative to the folder. */
export function typesOf(library: (typeof LIBRARIES)[number]): string {
  return sourceOf(library).replace(/\.ts$/, '.d.ts');
}

function sourceOf(library: (typeof LIBRARIES)[number]): string {
  return { ...ENTRIES, ...PORTABLE }[`library-${library}`];
}

/** The files that the libraries' types import, directly or through others; the compiler emits only those that are listed. */
const TYPED_PACKAGES = 'packages/{clients,core,ranking,registry,service}/src/**/*.ts';

function compilerConfig(root: string, folder: string) {
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      incremental: false,
      tsBuildInfoFile: null,
      outDir: folder,
      rootDir: root,
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [join(root, 'packages/*/src/**/*.d.ts')],
    // Modules that are found by a package name are compiled only if listed.
    files: [...LIBRARIES.map(sourceOf), ...globSync(TYPED_PACKAGES, { cwd: root })].map((file) =>
      join(root, file),
    ),
  };
}

/**
 * Workspace imports become relative paths, because the package has no workspaces; file imports get the
 * extension of the compiled JavaScript.
 */
function relink(text: string, folder: string): string {
  return text.replace(
    /(from |import\(|import )(['"])(@winnow\/[\w-]+|\.{1,2}\/[^'"]+\.ts)\2/g,
    (_, before, quote, target) => {
      if (target.startsWith('.')) return `${before}${quote}${target.replace(/\.ts$/, '.js')}${quote}`;
      const index = relative(folder, `packages/${target.slice('@winnow/'.length)}/src/index.js`);
      return `${before}${quote}${index.startsWith('.') ? index : `./${index}`}${quote}`;
    },
  );
}
