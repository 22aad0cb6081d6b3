import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onceNpmEnds } from './once-npm-ends.ts';

/**
 * Runs the selector and the proxy together, each in a process of its own, until one of them ends or both are told to stop.
 *
 * Arguments go to the proxy: `npm start -- --config winnow.yaml`. Settings of both come from the environment. Exits with the first exit code
 * of a service that is not 0.
 */
function main(): void {
  const services = [
    startService('selector', { environment: process.env }),
    startService('proxy', {
      nodeOptions: ['--max-semi-space-size=16'],
      args: process.argv.slice(2),
      environment: proxyEnvironment(process.env),
    }),
  ];
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

interface ServiceStart {
  readonly nodeOptions?: readonly string[];
  readonly args?: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** Starts a service with a channel to it: it stops when the channel closes, and so when this process ends, however it does. */
function startService(
  name: string,
  { nodeOptions = [], args = [], environment }: ServiceStart,
): ChildProcess {
  const program = fileURLToPath(new URL(`../apps/${name}/src/main.ts`, import.meta.url));
  return spawn(process.execPath, [...nodeOptions, program, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: environment,
  });
}

/** The proxy asks the selector that runs beside it, on whatever port that is, unless it is told to ask another. */
function proxyEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PORT: port, SELECTOR_TOKENS: tokens } = environment;
  const [token] = tokens?.split(',') ?? [];
  return {
    ...(port && { PROXY_PROVIDERS_SELECTOR_ENDPOINT: `http://127.0.0.1:${port}/v1/tool-discovery/search` }),
    ...(token && { PROXY_PROVIDERS_SELECTOR_API_KEY: token.trim() }),
    ...environment,
  };
}

main();
