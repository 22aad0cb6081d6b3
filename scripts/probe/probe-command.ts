import { parseArgs } from 'node:util';
import { readConfig } from '@winnow/proxy';
import { DIALECTS } from './dialects.ts';
import { estimateCost, type Finding, runProbe } from './run-probe.ts';
import { startProbedProxy, withProbeSettings } from './start-probed-proxy.ts';

const USAGE = `usage: npm run probe -- --upstream NAME --model MODEL
  [--config FILE] [--format NAME] [--path PATH] [--native on|off] [--prices IN,OUT] [--yes]
The key comes from the configuration or the variable PROBE_API_KEY. --prices are per million tokens.
Native deferral is tried unless --native is off. With Chat Completions, where few servers support it, only if it is on.`;

const MARKS = { yes: '✓', no: '✗', unknown: '?' } as const;

/** The surroundings of the command. */
export interface ProbeSurroundings {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Writes one line of output. */
  readonly say: (line: string) => void;
  /** Writes one line of errors. */
  readonly complain: (line: string) => void;
  /** Asks the user; undefined without a terminal. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

/**
 * Tries one live upstream with the user's own key: whether it accepts deferral, and keeps history, thinking
 * and cache. Prints the maximum cost first. Resolves with the exit code.
 */
export async function probeCommand(
  args: readonly string[],
  surroundings: ProbeSurroundings,
): Promise<number> {
  const { say, complain } = surroundings;
  const refuse = (problem: string) => {
    complain(`${problem}\n${USAGE}`);
    return 2;
  };
  const options = readOptions(args);
  if (typeof options === 'string') return refuse(options);
  const { upstream, model, config: file, native, format, path, prices, yes } = options;
  const { PROBE_API_KEY: ownKey, ...environment } = surroundings.environment;
  const outcome = readConfig({ file, environment: withProbeSettings(environment, upstream) });
  if (!outcome.ok) return refuse(outcome.problems.join('\n'));
  const settings = outcome.config.upstreams[upstream]!;
  const known = DIALECTS[settings.format];
  const dialect = format === undefined ? known[0] : known.find((one) => one.format === format);
  if (dialect === undefined) {
    const formats = known.map((one) => one.format).join(', ') || 'none';
    return refuse(`For upstreams with the format ${settings.format}, the probe supports: ${formats}.`);
  }
  const key = settings.api_key === '' ? ownKey : undefined;

  const cost = estimateCost(dialect, model);
  say(`Upstream ${upstream} (${settings.base_url}), ${dialect.format}, model ${model}.`);
  say(
    `Up to ${cost.requests} requests: about ${cost.inputTokens} tokens of input, at most ${cost.outputTokens} of output.`,
  );
  if (prices !== undefined) {
    const total = (cost.inputTokens * prices[0] + cost.outputTokens * prices[1]) / 1_000_000;
    say(`At these prices, that costs at most ${total.toFixed(2)}.`);
  }
  if (!yes && !(await agrees(surroundings))) {
    say('Nothing was sent.');
    return 0;
  }

  const proxy = await startProbedProxy(outcome.config, { upstream, dialect, model, path, key, native });
  try {
    const findings = await runProbe({ dialect, model, proxy, tell: (finding) => say(lineOf(finding)) });
    return findings.some(({ verdict }) => verdict === 'no') ? 1 : 0;
  } finally {
    await proxy.close();
  }
}

/** Returns the options, or the problem with them. */
function readOptions(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        upstream: { type: 'string' },
        model: { type: 'string' },
        config: { type: 'string' },
        format: { type: 'string' },
        path: { type: 'string' },
        native: { type: 'string' },
        prices: { type: 'string' },
        yes: { type: 'boolean', default: false },
      },
    });
    const { upstream, model, native } = values;
    if (!upstream || !/^[a-z][a-z0-9-]*$/.test(upstream))
      return '--upstream must be the name of one of `upstreams`.';
    if (!model) return '--model must be the name of a model of that upstream.';
    if (native !== undefined && native !== 'on' && native !== 'off') return '--native must be on or off.';
    const prices = values.prices?.split(',').map(Number);
    if (prices && (prices.length !== 2 || prices.some((price) => !(price >= 0)))) {
      return '--prices must be two numbers: 3,15';
    }
    return { ...values, upstream, model, native, prices: prices as [number, number] | undefined } as const;
  } catch (error) {
    return (error as Error).message;
  }
}

async function agrees({ ask, say }: ProbeSurroundings): Promise<boolean> {
  if (ask === undefined) {
    say('There is no terminal to ask: pass --yes to continue.');
    return false;
  }
  return /^y(es)?$/i.test((await ask('Go on? [y/N] ')).trim());
}

function lineOf({ check, verdict, words }: Finding): string {
  return `${MARKS[verdict]} ${check.padEnd(9)} ${words}`;
}
