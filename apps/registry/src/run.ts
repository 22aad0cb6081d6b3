import { randomBytes, randomUUID } from 'node:crypto';
import { reachableUrl, runService } from '@winnow/service';
import { readSettings, type Settings } from './config.ts';
import { IN_MEMORY } from './open-store.ts';
import { type RunningRegistry, startRegistry } from './server.ts';
import { VERSION } from './version.ts';

const COMMAND = {
  name: 'winnow registry',
  version: VERSION,
  start: 'npm run start:registry --',
  summary: 'Stores tools: registered once, searched by everyone who may see them, with a feed of changes.',
  settings:
    'Every setting has an environment variable: server.port is REGISTRY_SERVER_PORT; docs/reference/registry-settings.md lists them. The file may hold MCP servers (mcpServers) instead.',
} as const;

/** The service as a process: from the command line and the environment to its end. */
export function run(): Promise<void> {
  return runService({
    command: COMMAND,
    serviceName: 'winnow-registry',
    readSettings: (file) => readSettings(undefined, file),
    start: (settings: Settings, effects) =>
      startRegistry(settings, {
        ...effects,
        makeId: () => randomUUID(),
        randomId: () => randomBytes(32).toString('hex'),
      }),
    reload: (registry, settings) => registry.reload(settings),
    greet,
  });
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
  for (const notice of settings.notices) console.error(notice);
  const { length } = settings.servers;
  if (length > 0)
    console.error(
      `MCP servers: ${length}, being read now (npm run servers -- ${reachableUrl(url)} shows their state)`,
    );
  const base = `${reachableUrl(url)}/v1/registry`;
  // The token itself is a secret and stays out of terminals and logs.
  const token = settings.tokens.length > 0 ? ` -H 'authorization: Bearer YOUR_TOKEN'` : '';
  const send = `-H 'content-type: application/json'${token} -d`;
  console.error(`try: curl -s -X PUT ${base}/tools ${send} '${JSON.stringify(SAMPLE)}'`);
  console.error(
    `then: curl -s ${base}/search ${send} '${JSON.stringify({ query: 'open a ticket in jira' })}'`,
  );
}

function whereTools({ postgresUrl, sqliteFile }: Settings, count: number): string {
  if (postgresUrl !== '') return `tools are kept in Postgres, which holds ${count}`;
  if (sqliteFile !== IN_MEMORY) return `tools are kept in ${sqliteFile}, which holds ${count}`;
  return 'tools are kept in memory and lost when the process ends (sqlite.file names a file that keeps them)';
}
