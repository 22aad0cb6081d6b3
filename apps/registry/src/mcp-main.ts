import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// An agent waits for its servers when it starts: what Node compiles is kept, as in main.ts.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/winnow', import.meta.url)));

const { runMcp } = await import('./mcp/run-mcp.ts');
await runMcp(process.argv.slice(2));
