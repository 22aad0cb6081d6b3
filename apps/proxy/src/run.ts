import { runService } from '@winnow/service';
import { VENDORS } from '@winnow/wire';
import { type Config, readConfig } from './config/config.ts';
import { startProxy } from './server.ts';
import { systemEffects } from './system-effects.ts';
import { VERSION } from './version.ts';

const COMMAND = {
  name: 'winnow proxy',
  version: VERSION,
  start: 'npm run start:proxy --',
  summary:
    'Sits between clients and providers of language models, and shows a model only the tools that it needs.',
  settings:
    'Without --config, winnow.yaml in the working directory is read, if there is one. Every setting has an environment variable: server.port is PROXY_SERVER_PORT; docs/reference/proxy-settings.md lists them.',
} as const;

/**
 * Runs the proxy as a process: reads its command line and settings, starts it, and sets the exit code if it
 * cannot start.
 */
export function run(): Promise<void> {
  return runService({
    command: COMMAND,
    serviceName: 'winnow-proxy',
    readSettings(file) {
      const outcome = readConfig({ file });
      return outcome.ok ? { ...outcome, settings: outcome.config, tracing: outcome.config.tracing } : outcome;
    },
    start: (config, effects) =>
      startProxy(config, { ...systemEffects(effects.writeLog, effects.lostLines), ...effects }),
    reload: (proxy, config) => proxy.reload(config),
    greet: ({ url }, config) => greet(url, config),
  });
}

/** Writes to stderr, so that stdout remains a stream of JSON lines. */
function greet(url: string, { settings, upstreams }: Config): void {
  console.error(`winnow proxy listens on ${url} (strategy ${settings['tools.strategy']})`);
  if (settings['page.enabled']) console.error(`  live page: ${url}/`);
  const width = Math.max(...VENDORS.map(({ title }) => title.length));
  for (const { title, clientBasePath } of VENDORS) {
    console.error(
      `  ${`${title} clients:`.padEnd(width + ' clients:'.length)} base URL ${url}${clientBasePath}`,
    );
  }
  for (const [name, { base_url }] of Object.entries(upstreams)) {
    console.error(`  ${url}/${name}/… goes to ${base_url}`);
  }
}
