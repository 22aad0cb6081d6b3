import { scriptedTool, startMcpServer } from '@winnow/testkit';

// An MCP server in its own process that responds to calls at once: `node serve-catalogue.ts legacy|modern`.
const era = process.argv[2] === 'legacy' ? 'legacy' : 'modern';
const server = await startMcpServer({ era, tools: [scriptedTool('echo')] });
console.error(`an MCP server listens on ${server.url}`);
process.once('SIGTERM', () => void server.close().then(() => process.exit()));
process.once('disconnect', () => process.exit());
