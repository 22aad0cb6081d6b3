import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { everyInterval } from '@winnow/service';
import { readConfig } from './config/config.ts';
import { readPrices } from './config/read-prices.ts';
import type { SecretPaths } from './edge/create-listener.ts';
import { type LaunchOptions, proxyEnvironment, readOptions, readPlace } from './launch/config.ts';
import { type LaunchedCommand, planLaunch, type Route } from './launch/plan-launch.ts';
import type { CommandContext } from './launch/redirect.ts';
import { type CommandEnd, endLike, runCommand } from './launch/run-command.ts';
import {
  Lessons,
  MAX_RECORD_BYTES,
  prepareFolder,
  recordsFolder,
  recordsName,
} from './launch/run-records.ts';
import { RunTally } from './launch/run-tally.ts';
import { RecordFile } from './records/record-file.ts';
import { startProxy } from './server.ts';
import { systemEffects } from './system-effects.ts';

/** Exit codes for the cases in which no command has run; shells have 126 and 127 for others. */
const EXIT = { notRedirected: 124, cannotStart: 125 } as const;

const USAGE = `Usage: winnow-tools run [options] [--] COMMAND [ARGUMENT…]

Runs a command behind its own proxy, which ends with it: Claude Code, Codex, Gemini CLI, opencode, Qwen Code, Goose, aider, or any program whose SDK reads its base URL from the environment.

  --config FILE   read settings of the proxy from this YAML file
  --goal GOAL     defer tools if the bill rises by at most 5 % (balanced, the default), if it falls (cost), or always (context)
  --or-direct     run the command without Winnow if Winnow cannot be used
  -h, --help      print this text and exit

The exit code is the command's. 124: this agent cannot be redirected. 125: Winnow could not start. 126 and 127: the command cannot be run, or does not exist.
`;

/** Time that the last responses have after the command has ended, in milliseconds. */
const LAST_RESPONSES_MS = 500;

/** Time for writing the last records, in milliseconds. */
const LAST_RECORDS_MS = 2_000;

/**
 * Runs a command behind its own proxy, on a free port of this machine, and ends like the command. One line on
 * stderr at the end says what happened.
 */
export async function launch(argv: readonly string[]): Promise<void> {
  const read = readOptions(argv, USAGE);
  if (!read.ok) {
    if (read.isHelp) process.stdout.write(read.text);
    else refuse(`${read.text}; --help says more`, EXIT.cannotStart);
    return;
  }
  const { options } = read;
  const place = readPlace();
  const opened = await open(options, place);
  if (!opened.ok && !options.orDirect) return refuse(opened.message, opened.exitCode);
  if (!opened.ok) {
    say(`${opened.message} The command runs without Winnow.`);
    return finish(await runCommand({ words: options.words, environment: place.environment }));
  }
  const end = await runCommand(opened.command);
  const summary = await opened.close();
  if (end.kind !== 'not_started') say(summary);
  finish(end);
}

type Opened =
  | {
      readonly ok: true;
      readonly command: LaunchedCommand;
      /** Stops the proxy; resolves to the line for the end. */
      readonly close: () => Promise<string>;
    }
  | { readonly ok: false; readonly message: string; readonly exitCode: number };

async function open(options: LaunchOptions, place: Omit<CommandContext, 'args'>): Promise<Opened> {
  const { environment } = place;
  const plan = planLaunch(options.words, place);
  if (!plan.ok) return { ok: false, message: plan.refusal, exitCode: EXIT.notRedirected };
  const outcome = readConfig({
    file: options.file ?? '',
    environment: {
      ...proxyEnvironment(environment),
      ...(options.goal !== undefined && { PROXY_TOOLS_GOAL: options.goal }),
    },
    builtIn: { 'tools.strategy': 'tool-search', ...upstreamsOf(plan.routes) },
  });
  if (!outcome.ok) return cannotStart(outcome.problems.join(' '));
  const folder = prepareFolder(recordsFolder(environment, place.home));
  const lessons = new Lessons(folder && dirname(folder));
  const secrets = new Map(plan.routes.map((route) => [randomBytes(16).toString('hex'), route]));
  try {
    const prices = readPrices(outcome.config.settings['page.prices_file']);
    const log = openLog(folder, new RunTally(prices));
    const service = await startProxy(
      {
        ...outcome.config,
        settings: { ...outcome.config.settings, ...FIXED, 'sessions.secret': lessons.secret },
        tracing: undefined,
      },
      { ...systemEffects(log.write), agents: lessons.agents, secretPaths: secretPathsOf(secrets) },
    );
    const files = new OwnFiles();
    const stop = () =>
      service.close().finally(() => {
        files.remove();
        lessons.keep();
      });
    try {
      const command = plan.complete({
        addressOf: (name) => addressOf(service.url, name, secrets),
        replacesToolSearch: outcome.config.settings['tools.goal'] === 'context',
        writeFile: (name, text) => files.write(name, text),
      });
      return { ok: true, command, close: () => stop().then(() => log.close()) };
    } catch (error) {
      await stop();
      throw error;
    }
  } catch (error) {
    return cannotStart((error as Error).message);
  }
}

/** Settings that follow from serving one command. The log has the records. */
const FIXED = {
  'server.host': '127.0.0.1',
  'server.port': 0,
  'server.tls_folder': undefined,
  'server.client_ca_file': undefined,
  'server.tokens': [],
  'server.drain_delay': 0,
  'server.drain_timeout': LAST_RESPONSES_MS,
  'redis.url': '',
  'records.file': 'none',
  'page.enabled': false,
} as const;

/** Returns the settings of the upstreams that are not built in. */
function upstreamsOf(routes: readonly Route[]): Record<string, string> {
  const entries = routes.map(({ upstream, home, format, signing }) => {
    const own = `upstreams.${upstream}`;
    return {
      [`${own}.base_url`]: home.origin,
      [`${own}.format`]: format,
      ...(signing && { [`${own}.auth`]: `sigv4:${signing.region}/${signing.service}` }),
    };
  });
  return Object.assign({}, ...entries) as Record<string, string>;
}

function secretPathsOf(secrets: ReadonlyMap<string, Route>): SecretPaths {
  return new Map(
    [...secrets].map(([secret, { upstream, version }]) => [
      secret,
      { upstream, ...(version && { version }) },
    ]),
  );
}

/** Returns the address with the secret of a redirect before the path, otherwise unchanged. */
function addressOf(url: string, name: string, secrets: ReadonlyMap<string, Route>): string {
  const [secret, { home }] = [...secrets].find(([, route]) => route.name === name)!;
  const { host } = new URL(url);
  const user = home.username === '' ? '' : `${home.username}:${home.password}@`;
  const path = home.pathname === '/' ? '' : home.pathname;
  return `http://${user}${host}/${secret}${path}${home.search}`;
}

/** Opens the log of a run, which has its records, and the count of them. */
function openLog(folder: string | undefined, tally: RunTally) {
  const path = folder && join(folder, recordsName(Date.now(), process.pid));
  let problem = path === undefined ? 'no folder can be written' : undefined;
  const file =
    path === undefined
      ? undefined
      : new RecordFile({
          path,
          maxBytes: MAX_RECORD_BYTES,
          keep: 1,
          every: everyInterval,
          onChange: (now) => (problem = now),
        });
  return {
    write(lines: string): void {
      tally.takeLines(lines);
      file?.write(lines);
    },
    async close(): Promise<string> {
      await file?.close(AbortSignal.timeout(LAST_RECORDS_MS));
      const where = problem === undefined ? `records: ${path}` : `no records (${problem})`;
      return tally.hasRecords ? `${tally.describe()}; ${where}` : tally.describe();
    },
  };
}

/** Files that only this user can read, in a separate folder. */
class OwnFiles {
  #folder: string | undefined;

  write(name: string, text: string): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'winnow-'));
    const path = join(this.#folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  }

  remove(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

function cannotStart(message: string): Opened {
  return { ok: false, message: `Winnow could not start: ${message}`, exitCode: EXIT.cannotStart };
}

function finish(end: CommandEnd): void {
  if (end.kind === 'not_started') say(end.message);
  endLike(end);
}

function refuse(message: string, exitCode: number): void {
  say(message);
  process.exitCode = exitCode;
}

function say(line: string): void {
  console.error(`winnow: ${line}`);
}
