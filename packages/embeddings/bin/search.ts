import { readEmbedderKey } from './config.ts';
import { runSearch } from './run-search.ts';

process.exitCode = await runSearch(
  process.argv.slice(2),
  {
    print: (line) => console.log(line),
    printError: (line) => console.error(line),
  },
  readEmbedderKey(),
);
