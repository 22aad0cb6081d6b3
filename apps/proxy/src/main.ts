import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { resolveSources } from './resolve-sources.ts';

// Stripping types and compiling take most of the start-up time, and resolving imports most of the rest. The
// compile cache keeps the result for the next start. It lies next to the sources: only users who may change
// the sources can write it. If it is unavailable, starting just takes longer.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/winnow', import.meta.url)));

const stopResolving = resolveSources();
const { run } = await import('./run.ts').finally(stopResolving);
await run();
