import { randomBytes, randomUUID } from 'node:crypto';
import { EXIT, LineOutput, readCommandLine, refuseToStart, stopOnSignal } from '@winnow/service';
import { type Clock, exportStateLine, startTracing } from '@winnow/tracing';
import { readSettings, type Settings } from './config.ts';
import { type RunningRegistry, startRegistry } from './server.ts';
import { VERSION } from './version.ts';

const COMMAND = {
  name: 'winnow registry',
  version: VERSION,
  start: 'npm run start:registry --',
  summary: 'Keeps tools: registered once, searched by everybody who may see them, watched for changes.',
  options: {},
  settings: 'Every setting is an environment variable, such as PORT; docs/registry.md lists them.',
} as const;

/** The service as a process: from the command line and the environment to its end. */
export async function run(): Promise<void> {
  if (!readCommandLine(COMMAND, process.argv.slice(2))) return;
  const outcome = readSettings();
  if (!outcome.ok) return refuseToStart(COMMAND.name, outcome.problems, EXIT.badSettings);
  const { settings, tracing: tracingSettings } = outcome;
  const output = new LineOutput(process.stdout);
  const clock: Clock = { now: () => performance.now(), wallClock: () => Date.now() };
  const tracing = await startTracing({
    settings: tracingSettings,
    serviceName: 'winnow-registry',
    clock,
    onChange: (state) => output.write(exportStateLine(state, clock.wallClock())),
  });
  try {
    const registry = await startRegistry(settings, {
      ...clock,
      makeId: () => randomUUID(),
      randomId: () => randomBytes(32).toString('hex'),
      writeLog: (lines) => output.write(lines),
      lostLines: () => output.lost,
      tracer: tracing.tracer,
    });
    stopOnSignal({ service: registry, tracing, output });
    greet(registry, settings);
  } catch (error) {
    refuseToStart(COMMAND.name, [(error as Error).message], EXIT.cannotStart);
  }
}

/** A tool that fits on one line. */
const SAMPLE = {
  tools: [
    {
      namespace: 'jira',
      tool: {
        name: 'create_issue',
        description: 'Create an issue in a Jira project',
        inputSchema: { type: 'object' },
      },
      backend: { kind: 'mcp', server: 'jira' },
    },
  ],
};

/** Written to stderr, so that stdout stays a stream of JSON lines. */
function greet({ url, toolCount }: RunningRegistry, settings: Settings): void {
  console.error(`winnow registry listens on ${url}, its description is at ${url}/docs`);
  console.error(whereTools(settings, toolCount()));
  const base = `${reachable(url)}/v1/registry`;
  // The token itself is a secret and stays out of terminals and logs.
  const token = settings.tokens.length > 0 ? ` -H 'authorization: Bearer YOUR_TOKEN'` : '';
  const send = `-H 'content-type: application/json'${token} -d`;
  console.error(`try: curl -s -X PUT ${base}/tools ${send} '${JSON.stringify(SAMPLE)}'`);
  console.error(
    `then: curl -s ${base}/search ${send} '${JSON.stringify({ query: 'open a ticket in jira' })}'`,
  );
}

function whereTools({ store, sqliteFile }: Settings, count: number): string {
  switch (store) {
    case 'memory':
      return 'tools are kept in memory: they are gone when the process ends (REGISTRY_STORE=sqlite keeps them)';
    case 'sqlite':
      return `tools are kept in ${sqliteFile}, which holds ${count} of them`;
    case 'postgres':
      return `tools are kept in Postgres, which holds ${count} of them`;
  }
}

/** An address that means "all of them" is none that a client can always call. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
