import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { ENTRIES, LIBRARIES } from './entries.ts';

/** Writes the types of the libraries into a folder, which mirrors the source tree. Throws what the compiler says. */
export function emitTypes(root: string, folder: string): void {
  const temporary = mkdtempSync(join(tmpdir(), 'winnow-types-'));
  try {
    const config = join(temporary, 'tsconfig.json');
    writeFileSync(config, JSON.stringify(compilerConfig(root, folder)));
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const { status, stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', config], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`the types cannot be written:\n${stdout}${stderr}`);
  } finally {
    rmSync(temporary, { recursive: true });
  }
  for (const file of globSync('**/*.d.ts', { cwd: folder })) {
    const path = join(folder, file);
    writeFileSync(path, relink(readFileSync(path, 'utf8'), dirname(file)));
  }
}

/** Where the types of a library are, below the folder. */
export function typesOf(library: (typeof LIBRARIES)[number]): string {
  return ENTRIES[`library-${library}`].replace(/\.ts$/, '.d.ts');
}

/** What the types of the libraries lead to. */
const TYPED_PACKAGES =
  'packages/{contract,ranking,registry,selector-client,service,text,tracing}/src/index.ts';

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
    // What is found by a package's name is not compiled, unless it is listed.
    files: [
      ...LIBRARIES.map((library) => ENTRIES[`library-${library}`]),
      ...globSync(TYPED_PACKAGES, { cwd: root }),
    ].map((file) => join(root, file)),
  };
}

/** Types of the workspaces are found by their places, as the package has no workspaces; and of files, as JavaScript is. */
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
