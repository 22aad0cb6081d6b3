import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { resolveSources } from './resolve-sources.ts';

// Taking the types out of the sources and compiling them is most of a start, and finding them most of the rest. What comes of compiling is kept
// for the next start, beside the sources, where nobody writes who may not change them either; where that cannot be, starting takes its time.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/winnow', import.meta.url)));

const stopResolving = resolveSources();
const { run } = await import('./run.ts').finally(stopResolving);
await run();
