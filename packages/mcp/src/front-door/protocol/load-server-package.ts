/**
 * The vendor's package for servers of the protocol. Loaded only here, and only if MCP clients are served: a
 * registry without them does not need it.
 */
export async function loadServerPackage() {
  return load(() => import('@modelcontextprotocol/server'));
}

/** The part of it that speaks over stdin and stdout. */
export async function loadStdioPackage() {
  return load(() => import('@modelcontextprotocol/server/stdio'));
}

/** Kept in step with `package.json` by a test. */
export const SERVER_PACKAGE = '@modelcontextprotocol/server@2.4.0';

async function load<Package>(importIt: () => Promise<Package>): Promise<Package> {
  try {
    return await importIt();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const message = `MCP clients are served by a package that is not installed: npm install ${SERVER_PACKAGE}`;
    throw new Error(message, { cause: error });
  }
}
