import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import type { CommandContext } from './redirect.ts';

/**
 * Returns the variables in `.env` files of the working directory and of the folders above it. Programs read
 * them only for variables that are not set. They are left to the program, as a file in a foreign project must
 * not say where other programs send their keys.
 */
export function dotEnvNames({
  workingDirectory,
  readText,
}: Pick<CommandContext, 'workingDirectory' | 'readText'>): ReadonlySet<string> {
  const names = ['.env', '.env.local'].flatMap((file) =>
    Object.keys(parseEnv(readText(join(workingDirectory, file)) ?? '')),
  );
  const above = dirname(workingDirectory);
  return above === workingDirectory
    ? new Set(names)
    : new Set([...names, ...dotEnvNames({ workingDirectory: above, readText })]);
}
