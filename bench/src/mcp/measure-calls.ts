import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRegistry } from '../registry/start-registry.ts';
import { startProcess } from '../start-process.ts';
import { median, summarizeTimes, type TimeSummary } from '../summarize-times.ts';
import { type Era, McpCaller } from './mcp-caller.ts';

/** Calls of one tool, alternately direct and through the front door. Times are in milliseconds. */
export interface CallTimes {
  /** The era of server and client. */
  readonly era: Era;
  readonly direct: TimeSummary;
  readonly through: TimeSummary;
  /** The median of the difference between a call through the front door and the direct one before it. */
  readonly added: number;
}

/** Number of measured calls of each kind, and of warm-up calls before them. */
export interface CallPlan {
  readonly calls: number;
  readonly warmUp: number;
}

const LISTED_MS = 30_000;

/** Measures both eras, one call at a time. Server, registry and client run in their own processes. */
export async function measureCalls(plan: CallPlan): Promise<readonly CallTimes[]> {
  return [await measure('modern', plan), await measure('legacy', plan)];
}

async function measure(era: Era, { calls, warmUp }: CallPlan): Promise<CallTimes> {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-bench-mcp-'));
  const server = await startProcess({ file: new URL('./serve-catalogue.ts', import.meta.url), args: [era] });
  const configFile = join(folder, 'mcp.json');
  writeFileSync(configFile, JSON.stringify({ mcpServers: { bench: { url: server.url } } }));
  const registry = await startRegistry({
    REGISTRY_SQLITE_FILE: ':memory:',
    REGISTRY_MCP_SERVERS_FILE: configFile,
  });
  const directly = new McpCaller(server.url, era);
  const door = new McpCaller(`${registry.url}/mcp`, era);
  try {
    await untilListed(registry.client);
    const direct: number[] = [];
    const through: number[] = [];
    for (let n = -warmUp; n < calls; n++) {
      const args = { text: `call ${n}`, n };
      const [one, other] = [
        await directly.call('echo', args),
        await door.call('call_tool', { name: 'bench__echo', arguments: args }),
      ];
      if (n < 0) continue;
      direct.push(one);
      through.push(other);
    }
    return {
      era,
      direct: summarizeTimes(direct),
      through: summarizeTimes(through),
      added: median(through.map((ms, n) => ms - direct[n]!)),
    };
  } finally {
    directly.close();
    door.close();
    await registry.stop();
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function untilListed(client: {
  stats(): Promise<{ readonly body: Record<string, unknown> }>;
}): Promise<void> {
  const end = performance.now() + LISTED_MS;
  while ((await client.stats()).body.tools === 0) {
    if (performance.now() > end) throw new Error('the registry does not list the server');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
