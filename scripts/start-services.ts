import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onceNpmEnds } from './once-npm-ends.ts';
import { SERVICES, type ServiceName, type ServiceProgram, USUAL_SERVICES } from './services.ts';

/**
 * Runs services together, each in its own process, until one ends or all are stopped.
 *
 * `words` begin with the names of services (default: selector and proxy) or with `--all`. The remaining words
 * go to the service if only one is named, otherwise to the proxy: `proxy --config winnow.yaml`. With `--help`
 * and several services, prints the usage. Exits with the first exit code of a service that is not 0.
 */
export function startServices(words: readonly string[]): void {
  const { names, args } = readWords(words);
  const [unknown] = args;
  if (unknown !== undefined && !unknown.startsWith('-')) {
    const known = Object.keys(SERVICES).join(', ');
    console.error(`There is no service "${unknown}"; there are ${known}. --help says more.`);
    process.exitCode = 2;
    return;
  }
  if (names.length > 1 && args.some((word) => word === '--help' || word === '-h')) {
    process.stdout.write(USAGE);
    return;
  }
  const services = names.map((name) =>
    startService(SERVICES[name], {
      args: names.length === 1 || name === 'proxy' ? args : [],
      environment: environmentOf(name, names),
    }),
  );
  const stopAll = () => {
    // Not by a signal: a terminal sends Ctrl-C to the services as well, and a second signal ends them before
    // their responses are complete.
    for (const service of services) if (service.connected) service.disconnect();
  };
  for (const service of services) {
    service.once('exit', (code) => {
      process.exitCode ||= code ?? 1;
      stopAll();
    });
  }
  process.on('SIGTERM', stopAll);
  process.on('SIGINT', stopAll);
  onceNpmEnds(stopAll);
}

const USAGE = `Usage: npm start -- [SERVICE…] [options]

Runs services together: ${USUAL_SERVICES.join(' and ')} by default, with --all all of ${Object.keys(SERVICES).join(', ')}.
Options go to the named service if there is only one, otherwise to the proxy.

  --config FILE    read settings from this YAML file
  -h, --help       print this text and exit; with one service, its options

Every setting has an environment variable: the proxy's server.port is PROXY_SERVER_PORT, the selector's SELECTOR_SERVER_PORT.
`;

function readWords(words: readonly string[]): { names: readonly ServiceName[]; args: readonly string[] } {
  if (words[0] === '--all') return { names: Object.keys(SERVICES) as ServiceName[], args: words.slice(1) };
  const end = words.findIndex((word) => !(word in SERVICES));
  const names = (end < 0 ? words : words.slice(0, end)) as readonly ServiceName[];
  return { names: names.length > 0 ? names : USUAL_SERVICES, args: words.slice(names.length) };
}

interface ServiceStart {
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** As the programs set it themselves, but from their own file on: stripping its types takes a tenth of a start. */
const COMPILED = fileURLToPath(new URL('../node_modules/.cache/winnow', import.meta.url));

/**
 * Starts a service with a channel to this process. The service stops when the channel closes, so also when
 * this process dies.
 */
function startService(
  { program, nodeOptions = [] }: ServiceProgram,
  { args, environment }: ServiceStart,
): ChildProcess {
  return spawn(process.execPath, [...nodeOptions, fileURLToPath(program), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { NODE_COMPILE_CACHE: COMPILED, ...environment },
  });
}

function environmentOf(name: ServiceName, names: readonly ServiceName[]): NodeJS.ProcessEnv {
  return name === 'proxy' && names.includes('selector') ? proxyEnvironment(process.env) : process.env;
}

/** The proxy uses the selector that runs with it, on any port, unless its settings name another. */
function proxyEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const port = environment.SELECTOR_SERVER_PORT;
  const [token] = (environment.SELECTOR_SERVER_TOKENS ?? '').split(',');
  return {
    ...(port && { PROXY_TOOLS_API_ENDPOINT: `http://127.0.0.1:${port}/v1/tool-discovery/search` }),
    ...(token && { PROXY_TOOLS_API_API_KEY: token.trim() }),
    ...environment,
  };
}
