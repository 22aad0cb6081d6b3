import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Keeps the compiled sources for the next start, next to the sources, where only those may write who may change the sources as well.
// Without write access, every start takes longer.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/winnow', import.meta.url)));

const { run } = await import('./run.ts');
await run();
