import { randomUUID } from 'node:crypto';
import { reachableUrl, runService } from '@winnow/service';
import { readSettings, type Settings } from './config.ts';
import { ATTACH_PATH } from './routes/attach.ts';
import { startAttach } from './server.ts';
import { VERSION } from './version.ts';

const COMMAND = {
  name: 'winnow attach',
  version: VERSION,
  start: 'npm run start:attach --',
  summary: 'Attaches the tools that fit a query to agents of a Letta server, and detaches what does not.',
  settings:
    'Every setting has an environment variable: server.port is ATTACH_SERVER_PORT; docs/reference/attach.md lists them.',
} as const;

/** The service as a process: from the command line and the environment to its end. */
export function run(): Promise<void> {
  return runService({
    command: COMMAND,
    serviceName: 'winnow-attach',
    readSettings: (file) => readSettings(undefined, file),
    start: (settings: Settings, effects) => startAttach(settings, { ...effects, makeId: () => randomUUID() }),
    reload: (attach, settings) => attach.reload(settings),
    greet: ({ url }, settings) => greet(url, settings),
  });
}

/** Written to stderr, so that stdout stays a stream of JSON lines. */
function greet(url: string, { lettaBaseUrl, tokens }: Settings): void {
  console.error(`winnow attach listens on ${url}, its description is at ${url}/docs`);
  if (lettaBaseUrl === '') console.error('letta.base_url is not set: every request gets 503');
  else console.error(`changes agents of the Letta server at ${lettaBaseUrl}`);
  // The token itself is a secret and stays out of terminals and logs.
  const token = tokens.length > 0 ? ` -H 'authorization: Bearer YOUR_TOKEN'` : '';
  const body = JSON.stringify({ agent_id: 'agent-…', query: 'search documents', dry_run: true });
  console.error(
    `try: curl -s ${reachableUrl(url)}${ATTACH_PATH} -H 'content-type: application/json'${token} -d '${body}'`,
  );
}
