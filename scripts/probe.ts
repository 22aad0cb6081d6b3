import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '@winnow/proxy';
import { DIALECTS } from './probe/dialects.ts';
import { estimateCost, type Finding, runProbe } from './probe/run-probe.ts';
import { startProbedProxy, withProbeSettings } from './probe/start-probed-proxy.ts';

const USAGE = `usage: npm run probe -- --upstream NAME --model MODEL
  [--config FILE] [--format NAME] [--path PATH] [--native on|off] [--prices IN,OUT] [--yes]
The key comes from the configuration or the variable PROBE_API_KEY. --prices are per million tokens.
Native deferral is tried unless --native is off. With Chat Completions, where few servers support it, only if it is on.`;

const MARKS = { yes: '✓', no: '✗', unknown: '?' } as const;

/**
 * Tries one live upstream with the user's own key: whether it accepts deferral, and keeps history, thinking
 * and cache. Prints the maximum cost first.
 */
async function main(): Promise<void> {
  const options = readOptions();
  if (options === undefined) return;
  const { upstream, model, config: file, native, format, path, prices, yes } = options;
  const { PROBE_API_KEY: ownKey, ...environment } = process.env;
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
  if (!yes && !(await agrees())) return say('Nothing was sent.');

  const proxy = await startProbedProxy(outcome.config, { upstream, dialect, model, path, key, native });
  try {
    const findings = await runProbe({ dialect, model, proxy, tell: (finding) => say(lineOf(finding)) });
    if (findings.some(({ verdict }) => verdict === 'no')) process.exitCode = 1;
  } finally {
    await proxy.close();
  }
}

function readOptions() {
  try {
    const { values } = parseArgs({
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
      return refuse('--upstream must be the name of one of `upstreams`.');
    if (!model) return refuse('--model must be the name of a model of that upstream.');
    if (native !== undefined && native !== 'on' && native !== 'off')
      return refuse('--native must be on or off.');
    const prices = values.prices?.split(',').map(Number);
    if (prices && (prices.length !== 2 || prices.some((price) => !(price >= 0)))) {
      return refuse('--prices must be two numbers: 3,15');
    }
    return { ...values, upstream, model, native, prices: prices as [number, number] | undefined } as const;
  } catch (error) {
    return refuse((error as Error).message);
  }
}

async function agrees(): Promise<boolean> {
  if (!process.stdin.isTTY) {
    say('There is no terminal to ask: pass --yes to continue.');
    return false;
  }
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question('Go on? [y/N] ');
  terminal.close();
  return /^y(es)?$/i.test(answer.trim());
}

function lineOf({ check, verdict, words }: Finding): string {
  return `${MARKS[verdict]} ${check.padEnd(9)} ${words}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function refuse(problem: string): undefined {
  process.stderr.write(`${problem}\n${USAGE}\n`);
  process.exitCode = 2;
  return undefined;
}

await main();
