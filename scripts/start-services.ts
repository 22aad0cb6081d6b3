import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onceNpmEnds } from './once-npm-ends.ts';
import { SERVICES, type ServiceName, type ServiceProgram, USUAL_SERVICES } from './services.ts';

/**
 * Runs services together, each in a process of its own, until one of them ends or all are told to stop.
 *
 * `words` begin with the services' names, selector and proxy when there is none, or with `--all`. The rest goes to the service that is named
 * alone, and to the proxy where there are several: `proxy --config winnow.yaml`. With `--help` and several services it prints how they are
 * started. Exits with the first exit code of a service that is not 0.
 */
export function startServices(words: readonly string[]): void {
  const { names, args } = readWords(words);
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
    // Not a signal: a terminal sends Ctrl-C to the services as well, and their second one ends them without finishing their responses.
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

Runs services together: ${USUAL_SERVICES.join(' and ')} when none is named, with --all all of ${Object.keys(SERVICES).join(', ')}.
Options go to the service that is named alone, and to the proxy where there are several.

  --config FILE    read settings from this YAML file
  -h, --help       print this text and end; with one service, its options

Every setting has an environment variable: server.port of the proxy is PROXY_SERVER_PORT, that of the selector SELECTOR_SERVER_PORT.
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

/** Starts a service with a channel to it: it stops when the channel closes, and so when this process ends, however it does. */
function startService(
  { program, nodeOptions = [] }: ServiceProgram,
  { args, environment }: ServiceStart,
): ChildProcess {
  return spawn(process.execPath, [...nodeOptions, fileURLToPath(program), ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: environment,
  });
}

function environmentOf(name: ServiceName, names: readonly ServiceName[]): NodeJS.ProcessEnv {
  const { PORT: port, ...others } = process.env;
  if (name === 'proxy' && names.includes('selector')) return proxyEnvironment(process.env);
  // One port is none for several: the selector has it, as ever, else the one that is named first.
  const owner = names.includes('selector') ? 'selector' : names[0];
  if (name !== 'proxy' && name !== owner && port !== undefined) return others;
  return process.env;
}

/** The proxy asks the selector that runs beside it, on whatever port that is, unless it is told to ask another. */
function proxyEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const port = environment.SELECTOR_SERVER_PORT || environment.PORT;
  const [token] = (environment.SELECTOR_SERVER_TOKENS || environment.SELECTOR_TOKENS || '').split(',');
  return {
    ...(port && { PROXY_PROVIDERS_SELECTOR_ENDPOINT: `http://127.0.0.1:${port}/v1/tool-discovery/search` }),
    ...(token && { PROXY_PROVIDERS_SELECTOR_API_KEY: token.trim() }),
    ...environment,
  };
}
