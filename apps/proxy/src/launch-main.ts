import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { resolveSources } from './resolve-sources.ts';

// As in main.ts: the command waits for the start.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/winnow', import.meta.url)));

const stopResolving = resolveSources();
const { launch } = await import('./launch.ts').finally(stopResolving);
await launch(process.argv.slice(2));
