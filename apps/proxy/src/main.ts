import { parseArgs } from 'node:util';
import { LineOutput, stopOnSignal } from '@winnow/service';
import { exportStateLine, startTracing } from '@winnow/tracing';
import { type Config, printConfig, readConfig } from './config.ts';
import { startProxy } from './server.ts';
import { systemEffects } from './system-effects.ts';

/** Exit codes: what an operator's tools see. */
const EXIT = { cannotStart: 1, badSettings: 2, drainTimedOut: 3 } as const;

const USAGE = `Usage: npm run start:proxy -- [options]

Stands between clients and providers of language models, and shows a model only the tools that it needs.

  --config FILE    settings as YAML (default winnow.yaml in the working directory, if there is one)
  --print-config   print every setting as it is read, secrets left out, and end
  --help           this text

Every setting has an environment variable too; docs/proxy.md lists them.
`;

async function main(): Promise<void> {
  const options = readOptions();
  if (!options) return;
  if (options.help) {
    process.stdout.write(USAGE);
    return;
  }
  const outcome = readConfig({ file: options.config });
  if (!outcome.ok) return refuse(outcome.problems, EXIT.badSettings);
  const { config } = outcome;
  if (options['print-config']) {
    process.stdout.write(printConfig(config));
    return;
  }
  try {
    const output = new LineOutput(process.stdout);
    const effects = systemEffects(
      (lines) => output.write(lines),
      () => output.lost,
    );
    const tracing = await startTracing({
      settings: config.tracing,
      serviceName: 'winnow-proxy',
      clock: effects,
      onChange: (state) => effects.writeLog(exportStateLine(state, effects.wallClock())),
    });
    const proxy = await startProxy(config, { ...effects, tracer: tracing.tracer });
    stopOnSignal({ service: proxy, tracing, output, unfinishedCode: EXIT.drainTimedOut });
    greet(proxy.url, config);
  } catch (error) {
    refuse([(error as Error).message], EXIT.cannotStart);
  }
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        config: { type: 'string' },
        'print-config': { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    refuse(
      [(error as Error).message, 'There are --config FILE, --print-config and --help.'],
      EXIT.badSettings,
    );
    return undefined;
  }
}

function refuse(problems: readonly string[], exitCode: number): void {
  for (const problem of problems) console.error(`winnow proxy: ${problem}`);
  process.exitCode = exitCode;
}

/** Written to stderr, so that stdout stays a stream of JSON lines. */
function greet(url: string, { settings, upstreams }: Config): void {
  console.error(`winnow proxy listens on ${url} (strategy ${settings['pipes.tool_discovery.strategy']})`);
  console.error(`  OpenAI clients:    base URL ${url}/v1`);
  console.error(`  Anthropic clients: base URL ${url}`);
  for (const [name, { base_url }] of Object.entries(upstreams)) {
    console.error(`  ${url}/${name}/… goes to ${base_url}`);
  }
}

await main();
