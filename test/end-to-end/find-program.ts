import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Where a program is on the PATH. Throws when it is nowhere: a test that needs one carries its tag, and is skipped without it. */
export function findProgram(name: string): string {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  throw new Error(`No ${name} on the PATH.`);
}
