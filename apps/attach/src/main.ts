import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What comes of taking the types out of the sources and compiling them is kept for the next start, beside the sources, where nobody writes
// who may not change them either; where that cannot be, starting takes its time.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/winnow', import.meta.url)));

const { run } = await import('./run.ts');
await run();
