import { randomUUID } from 'node:crypto';
import { isLoopback, reachableUrl, runService } from '@winnow/service';
import { readSettings, type Settings } from './config.ts';
import { SEARCH_PATH } from './search-route.ts';
import { startSelector } from './server.ts';
import { VERSION } from './version.ts';

const COMMAND = {
  name: 'winnow selector',
  version: VERSION,
  start: 'npm run start:selector --',
  summary: 'Selects the tools that fit a query.',
  settings:
    'Every setting has an environment variable: server.port is SELECTOR_SERVER_PORT; docs/reference/selector.md lists them.',
} as const;

/**
 * Runs the selector as a process: reads the command line and the settings, starts the server, and sets the
 * exit code if that fails.
 */
export function run(): Promise<void> {
  return runService({
    command: COMMAND,
    serviceName: 'winnow-selector',
    readSettings: (file) => readSettings(undefined, file),
    start: (settings: Settings, effects) =>
      startSelector(settings, { ...effects, makeId: () => randomUUID() }),
    reload: (selector, settings) => selector.reload(settings),
    greet: (selector, settings) => greet(selector.url, settings),
  });
}

/** A catalogue that fits on one line and still shows a selection. */
const SAMPLE_REQUEST = {
  pattern: 'open a pull request',
  top_k: 1,
  tools: [
    { name: 'create_pull_request', description: 'Open a new pull request' },
    { name: 'get_weather', description: 'Current weather of a place' },
  ],
};

/** Writes to stderr, so that stdout stays a stream of JSON lines. */
function greet(url: string, settings: Settings): void {
  console.error(`winnow selector listens on ${url}, its description is at ${url}/docs`);
  if (isOpenToAll(settings)) {
    console.error(
      `warning: ${settings.host} can be reached from other machines, and anyone there may search: ` +
        'set server.tokens, or server.client_ca_file for client certificates',
    );
  }
  if (settings.registry !== '') {
    console.error(
      `follows the registry at ${settings.registry}: searches with "catalog_id": "registry" need no tools`,
    );
  }
  console.error(`try: ${sampleCommand(url, settings)}`);
}

function isOpenToAll({ host, tokens, tlsClientCaFile }: Settings): boolean {
  return !isLoopback(host) && tokens.length === 0 && tlsClientCaFile === undefined;
}

function sampleCommand(url: string, settings: Settings): string {
  // Secrets stay out of terminals and logs.
  const token = settings.tokens.length > 0 ? ` -H 'authorization: Bearer YOUR_TOKEN'` : '';
  const body = JSON.stringify(SAMPLE_REQUEST);
  return `curl -s ${reachableUrl(url)}${SEARCH_PATH}${token} -H 'content-type: application/json' -d '${body}'`;
}
