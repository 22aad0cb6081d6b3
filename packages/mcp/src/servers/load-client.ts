import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ServerProblem } from './failures.ts';

/** The vendor's client. Loaded when the first server is connected: a registry without servers need not have it. */
export type ClientLibrary = typeof import('@modelcontextprotocol/client') &
  Pick<typeof import('@modelcontextprotocol/client/stdio'), 'getDefaultEnvironment'>;

const PACKAGE = '@modelcontextprotocol/client';
const VERSION = '2.4.0';

let loaded: Promise<ClientLibrary> | undefined;

/**
 * Loads the client once. Rejects with `package_missing`, and the line that installs it, where it is not there; asked again after it was installed, it loads
 * it.
 */
export function loadClient(): Promise<ClientLibrary> {
  loaded ??= load().catch((error) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<ClientLibrary> {
  try {
    const [client, { getDefaultEnvironment }] = await importClient();
    return { ...client, getDefaultEnvironment };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `MCP servers need a package that is not installed: npm install ${PACKAGE}@${VERSION}`;
    throw new ServerProblem('package_missing', message, { cause: error });
  }
}

type ClientModules = [
  typeof import('@modelcontextprotocol/client'),
  typeof import('@modelcontextprotocol/client/stdio'),
];

async function importClient(): Promise<ClientModules> {
  try {
    return await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
  } catch (error) {
    const entries = ['.', './stdio'].map((entry) => findInstalled(PACKAGE, entry, import.meta.url));
    if (entries.includes(undefined)) throw error;
    // Installed since the import failed for the first time.
    return (await Promise.all(entries.map((entry) => import(entry!.href)))) as ClientModules;
  }
}

/**
 * Finds the file of a package that `import` would load; undefined if the package is not installed.
 *
 * Once an import has failed, Node considers the package missing until the process ends, even if it is installed
 * in the meantime; imports by address are not affected.
 *
 * @param entry the key of its `exports`, such as `.` or `./stdio`.
 * @param from the address of the module that would import it.
 */
export function findInstalled(name: string, entry: string, from: string): URL | undefined {
  for (let folder = dirname(fileURLToPath(from)); ; folder = dirname(folder)) {
    const home = join(folder, 'node_modules', name);
    const description = join(home, 'package.json');
    if (existsSync(description)) {
      const file = fileOf(JSON.parse(readFileSync(description, 'utf8')).exports?.[entry]);
      return file === undefined ? undefined : pathToFileURL(join(home, file));
    }
    if (folder === dirname(folder)) return undefined;
  }
}

/** Resolves the `import` condition: https://nodejs.org/api/packages.html#conditional-exports */
function fileOf(target: unknown): string | undefined {
  if (typeof target === 'string') return target;
  if (typeof target !== 'object' || target === null) return undefined;
  const { import: imported, default: otherwise } = target as { import?: unknown; default?: unknown };
  return fileOf(imported ?? otherwise);
}
