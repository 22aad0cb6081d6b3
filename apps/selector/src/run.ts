import { randomUUID } from 'node:crypto';
import { EXIT, LineOutput, readCommandLine, refuseToStart, stopOnSignal } from '@winnow/service';
import { type Clock, exportStateLine, startTracing } from '@winnow/tracing';
import { isLoopback, readSettings, type Settings } from './config.ts';
import { SEARCH_PATH } from './search-path.ts';
import { startSelector } from './server.ts';
import { VERSION } from './version.ts';

const COMMAND = {
  name: 'winnow selector',
  version: VERSION,
  start: 'npm run start:selector --',
  summary: 'Answers which tools fit a query.',
  options: {},
  settings: 'Every setting is an environment variable, such as PORT; docs/selector.md lists them.',
} as const;

/** Runs the selector as a process: reads its command line and its settings, starts it, and sets the exit code when it cannot. */
export async function run(): Promise<void> {
  if (!readCommandLine(COMMAND, process.argv.slice(2))) return;
  const outcome = readSettings();
  if (!outcome.ok) return refuseToStart(COMMAND.name, outcome.problems, EXIT.badSettings);
  const { settings, tracing: tracingSettings } = outcome;
  const output = new LineOutput(process.stdout);
  process.once('exit', () => output.flush());
  const clock: Clock = { now: () => performance.now(), wallClock: () => Date.now() };
  const tracing = await startTracing({
    settings: tracingSettings,
    serviceName: 'winnow-selector',
    clock,
    onChange: (state) => output.write(exportStateLine(state, clock.wallClock())),
  });
  try {
    const selector = await startSelector(settings, {
      ...clock,
      makeId: () => randomUUID(),
      writeLog: (lines) => output.write(lines),
      lostLines: () => output.lost,
      tracer: tracing.tracer,
    });
    stopOnSignal({ service: selector, tracing, output });
    selector.warmUp();
    greet(selector.url, settings);
  } catch (error) {
    refuseToStart(COMMAND.name, [(error as Error).message], EXIT.cannotStart);
  }
}

/** A catalogue that fits on one line and still shows a choice being made. */
const SAMPLE_REQUEST = {
  pattern: 'open a pull request',
  top_k: 1,
  tools: [
    { name: 'create_pull_request', description: 'Open a new pull request' },
    { name: 'get_weather', description: 'Current weather of a place' },
  ],
};

/** Written to stderr, so that stdout stays a stream of JSON lines. */
function greet(url: string, settings: Settings): void {
  console.error(`winnow selector listens on ${url}, its description is at ${url}/docs`);
  if (isOpenToAll(settings)) {
    console.error(
      `warning: ${settings.host} can be reached from other machines and nothing says who may ask: ` +
        'set SELECTOR_TOKENS, or TLS_CLIENT_CA_FILE for client certificates',
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
  // The token itself is a secret and stays out of terminals and logs.
  const token = settings.tokens.length > 0 ? ` -H 'authorization: Bearer YOUR_TOKEN'` : '';
  const body = JSON.stringify(SAMPLE_REQUEST);
  return `curl -s ${reachable(url)}${SEARCH_PATH}${token} -H 'content-type: application/json' -d '${body}'`;
}

/** An address that means "all of them" is none that a client can always call. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
