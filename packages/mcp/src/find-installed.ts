import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

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
