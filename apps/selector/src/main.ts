import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Stripping types and compiling take most of a start. The compile cache keeps the result for the next one,
// next to the sources, where only users who may change these can write; without write access, starts stay
// slow.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/winnow', import.meta.url)));

const { run } = await import('./run.ts');
await run();
