import { copyFileSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { ENTRIES, PORTABLE, REQUIRED } from './entries.ts';

/** Facts about the compiled code. */
export interface PackageIdentity {
  readonly name: string;
  readonly version: string;
}

/**
 * Compiles the entries into one folder and returns the names of the third-party packages that the code
 * imports.
 *
 * Rejects if the code refers to a neighbouring file that will not be in the package.
 */
export async function bundle(
  root: string,
  folder: string,
  identity: PackageIdentity,
): Promise<ReadonlySet<string>> {
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(root, path)])),
    platform: 'node',
    external: isExternal,
    transform: { define: { PACKAGE: JSON.stringify(identity) } },
    plugins: [placeNeighbours(root, folder), nameCommands(identity.name)],
  });
  const { output } = await build.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    // In the same folder as the entries, so that references to neighbouring files resolve from any chunk.
    chunkFileNames: 'shared-[name]-[hash].js',
  });
  await build.close();
  const imports = output.flatMap((file) =>
    file.type === 'chunk' ? [...file.imports, ...file.dynamicImports] : [],
  );
  const packages = imports.filter((name) => isExternal(name) && !isBuiltin(name)).map(packageOf);
  return new Set([...packages, ...REQUIRED]);
}

/**
 * Compiles each portable entry into one file of the folder. Modules are taken only for what is used of them, so
 * that nothing of Node's servers comes along.
 *
 * Rejects if the code needs more than these modules of Node.
 */
export async function bundlePortable(root: string, folder: string): Promise<void> {
  for (const [name, path] of Object.entries(PORTABLE)) {
    const build = await rolldown({
      input: join(root, path),
      platform: 'node',
      external: (id) => isBuiltin(id),
      treeshake: { moduleSideEffects: false },
    });
    const file = join(folder, `${name}.js`);
    const { output } = await build.write({
      file,
      format: 'esm',
      codeSplitting: false,
      minify: READABLE,
      postBanner: NEEDS_NODE_24,
    });
    await build.close();
    // The list of imports that the bundler returns also has those that it left out.
    const needed = output.flatMap((one) => (one.type === 'chunk' ? [...one.code.matchAll(IMPORTED)] : []));
    const missing = needed.map(([, id]) => id!).filter((id) => !EVERYWHERE.has(id));
    if (missing.length > 0) throw new Error(`${name} needs ${missing.join(', ')}`);
    const sources = output.flatMap((one) => (one.type === 'chunk' ? one.moduleIds : []));
    writeFileSync(join(folder, `${name}.LICENSE`), licencesOf(root, sources));
  }
}

/**
 * Throws on an older Node, which names itself in `navigator` from version 21 on; other runtimes have names of their
 * own there.
 */
const NEEDS_NODE_24 = `
const engine = globalThis.navigator?.userAgent ?? (globalThis.process?.versions?.node ? 'Node.js/' + process.versions.node : '');
if (/^Node\\.js\\/(?:1?\\d|2[0-3])(?!\\d)/.test(engine))
  throw new Error('winnow-tools/fetch needs Node 24 or newer; this is ' + engine + '.');
`;

const IMPORTED = /\bfrom\s*["'](node:[^"']+)["']/g;

/** Names of functions stay, for the sake of stack traces. */
const READABLE = {
  compress: { keepNames: { function: true, class: true } },
  mangle: false,
  codegen: true,
} as const;

/** Returns the licences of the third-party packages that these files belong to. */
function licencesOf(root: string, files: readonly string[]): string {
  const named = files.flatMap((file) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  const texts = [...new Set(named)].sort().map((name) => {
    const [licence] = globSync(join(root, 'node_modules', name, '{LICENSE,LICENCE,license,licence}*'));
    if (licence === undefined) throw new Error(`${name} has no licence file`);
    return `${name}\n\n${readFileSync(licence, 'utf8').trim()}\n`;
  });
  return texts.join('\n---\n\n');
}

/** Node's modules that Bun, Deno and edge workers have as well. */
const EVERYWHERE: ReadonlySet<string> = new Set([
  ...['node:crypto', 'node:stream', 'node:timers', 'node:util', 'node:zlib'],
]);

function isExternal(id: string): boolean {
  if (isBuiltin(id)) return true;
  const isBare = !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('\0');
  return isBare && !id.startsWith('@winnow/') && !id.startsWith('shared-');
}

function packageOf(id: string): string {
  return id.split('/', id.startsWith('@') ? 2 : 1).join('/');
}

/** Matches expressions such as `new URL('./build-worker.ts', import.meta.url)`. */
const NEIGHBOUR = /new URL\(\s*(['"])(\.{1,2}\/[^'"]+\.(?:ts|html|css|js))\1,\s*import\.meta\.url,?\s*\)/g;

/** Programs and pages that the source tree keeps in many folders share one folder in the package. */
function placeNeighbours(root: string, folder: string): Plugin {
  const names = new Map(Object.entries(ENTRIES).map(([name, path]) => [resolve(root, path), name]));
  return {
    name: 'place-neighbours',
    transform(code, id) {
      if (!code.includes('import.meta.url')) return null;
      const placed = code.replace(NEIGHBOUR, (_, _quote, path: string) => {
        const file = resolve(dirname(id), path);
        return `new URL('./${place(file)}', import.meta.url)`;
      });
      return { code: placed, map: null };
    },
  };

  function place(file: string): string {
    const entry = names.get(file);
    if (entry !== undefined) return `${entry}.js`;
    if (file.endsWith('.ts') || !existsSync(file)) {
      throw new Error(`${relative(root, file)} is not an entry of the package`);
    }
    mkdirSync(folder, { recursive: true });
    copyFileSync(file, join(folder, basename(file)));
    return basename(file);
  }
}

/** Messages name the package's own commands in place of the npm scripts of the source tree. */
function nameCommands(command: string): Plugin {
  return {
    name: 'name-commands',
    transform(code) {
      if (!code.includes('npm run ')) return null;
      const named = code
        .replace(/npm run start:(\w+)(?: --)?/g, `${command} start $1`)
        .replace(/npm run (report|search|mcp|register)(?: --)?/g, `${command} $1`)
        // It is run where the package need not be installed.
        .replace(/npm run conformance(?: --)?/g, `npx ${command} conformance`);
      return { code: named, map: null };
    },
  };
}
