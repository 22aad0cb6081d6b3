import { SERVICES } from '../../scripts/services.ts';
import { startServices } from '../../scripts/start-services.ts';

/** Replaced by values from the package's manifest at build time. */
declare const PACKAGE: { readonly name: string; readonly version: string };

/** In a clone, there is no package. */
const { name: NAME, version: VERSION } =
  typeof PACKAGE === 'undefined' ? { name: 'npm run winnow --', version: 'not released' } : PACKAGE;

/** Commands that are separate programs; they read the arguments that follow their name. */
const PROGRAMS: Readonly<Record<string, URL>> = {
  run: new URL('../../apps/proxy/src/launch-main.ts', import.meta.url),
  report: new URL('../../apps/report/src/main.ts', import.meta.url),
  mcp: new URL('../../apps/registry/src/mcp-main.ts', import.meta.url),
  register: new URL('../../apps/registry/src/register-main.ts', import.meta.url),
  search: new URL('../../packages/embeddings/bin/search.ts', import.meta.url),
  conformance: new URL('../../apps/conformance/src/main.ts', import.meta.url),
};

const USAGE = `Usage: ${NAME} COMMAND

  run [--] COMMAND…            run a command behind a proxy of its own: run -- claude
  start [SERVICE…] [options]   run ${Object.keys(SERVICES).join(', ')}; selector and proxy when none is named, --all for all
  report FILE…                 what the proxy's records say about the next step of a rollout
  search CATALOGUE "QUERY"     rank the tools of a file for a query, and show why
  mcp --config FILE            one MCP server in the place of many; --import FILE reads the settings of an agent
  register FILE                put the tools of a file, or of an OpenAPI document, into a registry
  conformance ADDRESS          whether a gateway leaves tools, streams, thinking and caches intact

  --version                    print the version and exit
  -h, --help                   print this text and exit

Each command and each service has a --help of its own, such as: ${NAME} start proxy --help`;

const [command = '', ...words] = process.argv.slice(2);
const program = PROGRAMS[command];

if (command === 'start') startServices(words);
else if (program !== undefined) {
  process.argv.splice(2, 1);
  await import(program.href);
} else if (command === '--version') console.log(VERSION);
else if (['', '-h', '--help', 'help'].includes(command)) console.log(USAGE);
else {
  console.error(`${NAME}: there is no command "${command}".\n\n${USAGE}`);
  process.exitCode = 2;
}
