import { createServer } from 'node:http';
import { type McpMood, type ScriptedMcpServer, scriptedTool, startMcpServer } from '@winnow/testkit';

/**
 * MCP servers in their own process, so that they take no time from the registry's clients: `node fleet.ts
 * COUNT TOOLS`. Prints their addresses as JSON, and sets moods at `POST /?server=N&mood=MOOD`.
 */
const [count, toolsEach] = process.argv.slice(2).map(Number) as [number, number];

const VERBS = ['create', 'list', 'delete', 'find', 'update', 'export', 'merge', 'archive'];
const NOUNS = ['issue', 'invoice', 'page', 'deployment', 'customer', 'ticket', 'branch', 'report'];

const toolsOf = (server: number) =>
  Array.from({ length: toolsEach }, (_, n) => {
    const [verb, noun] = [VERBS[n % VERBS.length]!, NOUNS[(n + server) % NOUNS.length]!];
    return scriptedTool(`${verb}_${noun}_${n}`, {
      description: `${verb}s ${noun}s of team ${server}, in the order of their number ${n}. Takes a project and a limit.`,
      inputSchema: {
        type: 'object',
        properties: {
          project: { type: 'string', description: `Which project of team ${server}` },
          limit: { type: 'integer' },
        },
        required: ['project'],
      },
    });
  });

const servers: readonly ScriptedMcpServer[] = await Promise.all(
  Array.from({ length: count }, (_, n) =>
    startMcpServer({ tools: toolsOf(n), era: n % 2 === 0 ? 'modern' : 'legacy', pageSize: 100 }),
  ),
);
const control = createServer((incoming, outgoing) => {
  const { searchParams } = new URL(incoming.url!, 'http://fleet');
  servers[Number(searchParams.get('server'))]!.script.mood = searchParams.get('mood') as McpMood;
  outgoing.end();
});
control.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify(servers.map(({ url }) => url)));
  console.error(`listens on http://127.0.0.1:${(control.address() as { port: number }).port}, `);
});
process.once('SIGTERM', () => process.exit(0));
