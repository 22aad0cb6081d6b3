import { ServerProblem } from './server-problem.ts';

/** The vendor's client. Loaded when the first server is connected: a registry without servers need not have it. */
export type ClientLibrary = typeof import('@modelcontextprotocol/client') &
  Pick<typeof import('@modelcontextprotocol/client/stdio'), 'getDefaultEnvironment'>;

const PACKAGE = '@modelcontextprotocol/client';
const VERSION = '2.4.0';

let loaded: Promise<ClientLibrary> | undefined;

/** Loads the client once. Rejects with `package_missing`, and the line that installs it, where it is not there. */
export function loadClient(): Promise<ClientLibrary> {
  loaded ??= load();
  return loaded;
}

async function load(): Promise<ClientLibrary> {
  try {
    const [client, { getDefaultEnvironment }] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    return { ...client, getDefaultEnvironment };
  } catch (error) {
    loaded = undefined;
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `MCP servers need a package that is not installed: npm install ${PACKAGE}@${VERSION}`;
    throw new ServerProblem('package_missing', message, error);
  }
}
