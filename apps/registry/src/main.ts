import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Type stripping and compilation are a large part of the start. The results are cached next to the sources, where only
// users who may change the sources can write. Without the cache, the start is slower.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/winnow', import.meta.url)));

const { run } = await import('./run.ts');
await run();
