import { VENDORS } from '@winnow/wire';
import { redirectsOf, replacedBy } from './address-variables.ts';
import { homesFor, mayReadDotEnv, planFor, refusalOf } from './agents.ts';
import { dotEnvNames } from './dot-env.ts';
import { findProgram } from './find-program.ts';
import { withoutProxies } from './http-proxies.ts';
import type { CommandContext, Completion, Environment, Redirect } from './redirect.ts';

/** A redirect with the upstream that its requests go to. */
export interface Route extends Redirect {
  readonly upstream: string;
}

/** A plan for running a command behind the proxy, or the reason why that is not possible. */
export type Launch =
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
