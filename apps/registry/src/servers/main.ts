import { ServerListResponse } from '@winnow/core';
import { openHttpPool } from '@winnow/service';
import { readToken } from '../config.ts';
import { serversTable } from './servers-table.ts';

/** `npm run servers -- URL`: a table of the MCP servers of a registry. The token, where one is needed, is in `TOKEN`. */
async function main([url = 'http://127.0.0.1:8789']: readonly string[]): Promise<void> {
  const token = readToken();
  const headers = { ...(token !== undefined && { authorization: `Bearer ${token}` }) };
  const pool = openHttpPool({ connections: 1 });
  const request = {
    origin: new URL(url).origin,
    path: '/v1/registry/servers',
    method: 'GET',
    headers,
  } as const;
  const { statusCode, body: answer } = await pool.request(request);
  const body = (await answer.json()) as { error?: { message: string } };
  await pool.destroy();
  if (statusCode !== 200) throw new Error(body.error?.message ?? `HTTP ${statusCode}`);
  process.stdout.write(serversTable(ServerListResponse.parse(body).servers, Date.now()));
}

main(process.argv.slice(2)).catch((error: Error) => {
  console.error(`servers: ${(error.cause as Error | undefined)?.message ?? error.message}`);
  process.exitCode = 1;
});
