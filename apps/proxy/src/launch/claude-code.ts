import { join } from 'node:path';
import { parseJson } from '@winnow/core';
import { z } from 'zod';
import { redirectsOf } from './address-variables.ts';
import type { CommandContext, CommandPlan, Environment, Redirect } from './redirect.ts';

/** The part of Claude Code's settings that holds variables. */
const Settings = z.object({ env: z.record(z.string(), z.string()) });

/**
 * Plans for Claude Code. Its own tool search, which would leave nothing to do, is switched off unless the user
 * has chosen. Variables in its own settings override those of the environment: their addresses become
 * upstreams, and a settings file with higher precedence redirects them.
 *
 * Source: https://code.claude.com/docs/en/settings#settings-precedence,
 * https://code.claude.com/docs/en/env-vars.
 */
export function planClaude(context: CommandContext): CommandPlan {
  const own = ownVariables(context);
  const { ENABLE_TOOL_SEARCH = 'false' } = context.environment;
  // Only its last `--settings` counts.
  const isRedirected = !context.args.includes('--settings');
  const redirects = redirectsOf({ ...context.environment, ...own })
    .filter(({ name }) => isRedirected && own[name])
    .map((one) => ({ ...one, name: inSettings(one), variable: one.name }));
  return {
    redirects,
    complete: ({ addressOf, writeFile }) => {
      const env = Object.fromEntries(redirects.map(({ name, variable }) => [variable, addressOf(name)]));
      const settings = () => writeFile('claude-settings.json', JSON.stringify({ env }));
      return {
        flags: redirects.length === 0 ? [] : ['--settings', settings()],
        variables: { ENABLE_TOOL_SEARCH },
      };
    },
  };
}

const inSettings = ({ name }: Redirect) => `claude-${name}`;

/** Returns the variables of the user's, the project's and its local settings; later ones take precedence. */
function ownVariables({ environment, home, workingDirectory, readText }: CommandContext): Environment {
  const paths = [
    join(environment.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json'),
    join(workingDirectory, '.claude/settings.json'),
    join(workingDirectory, '.claude/settings.local.json'),
  ];
  const read = paths.map((path) => Settings.safeParse(parseJson(readText(path) ?? '')).data?.env);
  return Object.assign({}, ...read) as Environment;
}
