import { findInstalled } from '../find-installed.ts';
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
