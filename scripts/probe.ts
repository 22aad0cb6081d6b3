import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { readConfig } from '@winnow/proxy';
import { DIALECTS } from './probe/dialects.ts';
import { estimateCost, type Finding, runProbe } from './probe/run-probe.ts';
import { startProbedProxy, withProbeSettings } from './probe/start-probed-proxy.ts';

const USAGE = `usage: npm run probe -- --upstream NAME --model MODEL
  [--config FILE] [--format NAME] [--path PATH] [--native on|off] [--prices IN,OUT] [--yes]
The key is that of the configuration, or the variable PROBE_API_KEY. --prices are those of a million tokens.
Native deferral is tried unless --native is off; with Chat Completions, which few servers defer in, only where it is on.`;

const MARKS = { yes: '✓', no: '✗', unknown: '?' } as const;

/** Tries one upstream live, with a key of one's own: is deferral taken, are history, thinking and the cache kept? Says first what it costs. */
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
    return refuse(`Of upstreams with the format ${settings.format}, the probe speaks: ${formats}.`);
  }
  const key = settings.api_key === '' ? ownKey : undefined;

  const cost = estimateCost(dialect, model);
  say(`Upstream ${upstream} (${settings.base_url}), ${dialect.format}, model ${model}.`);
  say(
    `Up to ${cost.requests} requests: about ${cost.inputTokens} tokens of input, at most ${cost.outputTokens} of output.`,
  );
  if (prices !== undefined) {
    const total = (cost.inputTokens * prices[0] + cost.outputTokens * prices[1]) / 1_000_000;
    say(`At these prices that is ${total.toFixed(2)} at most.`);
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
    say('Nobody can be asked: say --yes to go on.');
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
