import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Keeps the compiled sources for the next start, next to the sources: only users who may change the sources can
// write there. Without write access, every start takes longer.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/winnow', import.meta.url)));

const { run } = await import('./run.ts');
await run();
