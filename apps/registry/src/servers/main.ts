import { ServerListResponse } from '@winnow/core';
import { readToken } from '../config.ts';
import { serversTable } from './servers-table.ts';

/** `npm run servers -- URL`: a table of the MCP servers of a registry. The token, where one is needed, is in `TOKEN`. */
async function main([url = 'http://127.0.0.1:8789']: readonly string[]): Promise<void> {
  const token = readToken();
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const response = await fetch(new URL('/v1/registry/servers', url), { headers });
  const body = (await response.json()) as { error?: { message: string } };
  if (!response.ok) throw new Error(body.error?.message ?? `HTTP ${response.status}`);
  process.stdout.write(serversTable(ServerListResponse.parse(body).servers, Date.now()));
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`servers: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  process.exitCode = 1;
});
