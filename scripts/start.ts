import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/**
 * Runs the selector and the proxy together, each in a process of its own, until one of them ends or both are told to stop.
 *
 * Arguments go to the proxy: `npm start -- --config winnow.yaml`. Settings of both come from the environment.
 */
function main(): void {
  const services = [
    startService('selector', [], process.env),
    startService('proxy', process.argv.slice(2), proxyEnvironment(process.env)),
  ];
  const stopAll = () => {
    for (const service of services) service.kill('SIGTERM');
  };
  for (const service of services) {
    service.once('exit', (code) => {
      process.exitCode ||= code ?? 1;
      stopAll();
    });
  }
  process.on('SIGTERM', stopAll);
  // A terminal sends Ctrl-C to all three; a second signal from here would end the services without finishing their answers.
  process.on('SIGINT', () => {});
}

function startService(name: string, args: readonly string[], environment: NodeJS.ProcessEnv): ChildProcess {
  const program = fileURLToPath(new URL(`../apps/${name}/src/main.ts`, import.meta.url));
  return spawn(process.execPath, [program, ...args], { stdio: 'inherit', env: environment });
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
