import { basename, dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { VENDORS } from '@winnow/wire';
import { redirectsOf, replacedBy } from './address-variables.ts';
import { homesFor, mayReadDotEnv, planFor, refusalOf } from './agents.ts';
import type { CommandContext, Completion, Environment, Redirect } from './redirect.ts';

/** A redirect with the upstream that its requests go to. */
export interface Route extends Redirect {
  readonly upstream: string;
}

/** A plan for running a command behind the proxy, or the reason why that is not possible. */
type Launch =
  | {
      readonly ok: true;
      readonly routes: readonly Route[];
      /** Returns the command's words and its whole environment, when the proxy listens. */
      readonly complete: (completion: Completion) => LaunchedCommand;
    }
  | { readonly ok: false; readonly refusal: string };

/** A command as it is run. */
export interface LaunchedCommand {
  readonly words: readonly string[];
  readonly environment: Environment;
}

/** Plans how a command is run, so that its requests go through the proxy. */
export function planLaunch(words: readonly string[], place: Omit<CommandContext, 'args'>): Launch {
  const { environment } = place;
  const { name, at } = findProgram(words);
  const context = { ...place, args: words.slice(at + 1) };
  const refusal = refusalOf(name, context);
  if (refusal !== undefined) return { ok: false, refusal };
  const left = mayReadDotEnv(name) ? dotEnvNames(place) : undefined;
  const general = redirectsOf({ ...defined(homesFor(name, context)), ...defined(environment) }, left);
  const own = planFor(name, context);
  const removed = Object.fromEntries(replacedBy(general).map((variable) => [variable, undefined]));
  return {
    ok: true,
    routes: [...general, ...own.redirects].map((redirect) => ({
      ...redirect,
      upstream: upstreamOf(redirect),
    })),
    complete: (completion) => {
      const addresses = Object.fromEntries(general.map((one) => [one.name, completion.addressOf(one.name)]));
      const { flags = [], variables = {} } = own.complete(completion);
      return {
        words: [...words.slice(0, at + 1), ...flags, ...context.args],
        environment: {
          ...withoutProxies(environment),
          ...addresses,
          ...removed,
          ...variables,
        },
      };
    },
  };
}

/** Returns the variables that are set; an empty one counts as not set. */
function defined(environment: Environment): Environment {
  return Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
}

/** Returns the vendor's own upstream for the vendor's own address, otherwise one with the redirect's name. */
function upstreamOf({ name, home, format }: Redirect): string {
  const isOwn = VENDORS.some((vendor) => vendor.name === format && vendor.baseUrl === home.origin);
  return isOwn ? format : name.toLowerCase().replaceAll('_', '-');
}

/**
 * Returns the variables in `.env` files of the working directory and of the folders above it. Programs read
 * them only for variables that are not set. They are left to the program, as a file in a foreign project must
 * not say where other programs send their keys.
 */
function dotEnvNames({
  workingDirectory,
  readText,
}: Pick<CommandContext, 'workingDirectory' | 'readText'>): ReadonlySet<string> {
  const names = ['.env', '.env.local'].flatMap((file) =>
    Object.keys(parseEnv(readText(join(workingDirectory, file)) ?? '')),
  );
  const above = dirname(workingDirectory);
  return above === workingDirectory
    ? new Set(names)
    : new Set([...names, ...dotEnvNames({ workingDirectory: above, readText })]);
}

/** Commands that run the program that their first argument names. */
const RUNNERS: ReadonlySet<string> = new Set(['npx', 'bunx', 'pnpx', 'uvx', 'node', 'bun', 'env']);

/** Options of runners that take a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(['-p', '--package', '--from', '--with', '-u']);

/** The programs of packages that are called otherwise. */
const PROGRAM_OF_PACKAGE: Readonly<Record<string, string>> = {
  '@anthropic-ai/claude-code': 'claude',
  '@openai/codex': 'codex',
  '@google/gemini-cli': 'gemini',
  'opencode-ai': 'opencode',
  '@github/copilot': 'copilot',
  '@qwen-code/qwen-code': 'qwen',
};

/** A program within a command. */
interface FoundProgram {
  /** Its name without a path, an ending and a version. */
  readonly name: string;
  /** Its place among the words. */
  readonly at: number;
}

/** Finds the program that a command runs, also through `npx` and the like. */
function findProgram(words: readonly string[]): FoundProgram {
  if (!RUNNERS.has(nameOf(words[0] ?? ''))) return { name: nameOf(words[0] ?? ''), at: 0 };
  let at = 1;
  while (at < words.length - 1 && (words[at]!.startsWith('-') || /^\w+=/.test(words[at]!))) {
    at += WITH_VALUE.has(words[at]!) ? 2 : 1;
  }
  return { name: nameOf(words[at] ?? ''), at };
}

function nameOf(word: string): string {
  const unversioned = word.replace(/(?<=.)@[^/]*$/, '');
  return PROGRAM_OF_PACKAGE[unversioned] ?? basename(unversioned).replace(/\.(exe|cmd|[cm]?js)$/, '');
}

/** The names of curl's variables, in lower case, which is read first. */
const read = (environment: Environment, name: string) =>
  environment[name] || environment[name.toUpperCase()] || '';

/** Returns an environment whose HTTP proxies, if it names any, are not used for addresses on this machine. */
function withoutProxies(environment: Environment): Environment {
  const hasProxies = ['http_proxy', 'https_proxy', 'all_proxy'].some((name) => read(environment, name));
  if (!hasProxies) return environment;
  const excepted = ['127.0.0.1', read(environment, 'no_proxy')].filter(Boolean).join(',');
  return { ...environment, no_proxy: excepted, NO_PROXY: excepted };
}
