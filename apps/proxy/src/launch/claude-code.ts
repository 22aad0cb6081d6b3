import { join } from 'node:path';
import { parseJson } from '@winnow/core';
import { z } from 'zod';
import { redirectsOf } from './address-variables.ts';
import {
  type CommandContext,
  type CommandPlan,
  type Environment,
  httpAddress,
  type Redirect,
} from './redirect.ts';

/** The part of Claude Code's settings that holds variables. */
const Settings = z.object({ env: z.record(z.string(), z.string()) });

/**
 * Plans for Claude Code. It searches for tools itself at Anthropic's own address, but not at the proxy's unless a
 * variable says so: the search stays as it would be without Winnow, unless Winnow defers whatever the bill, or the user
 * has chosen. Variables in its own settings override those of the environment: their addresses become
 * upstreams, and a settings file with higher precedence redirects them.
 *
 * Source: https://code.claude.com/docs/en/settings#settings-precedence,
 * https://code.claude.com/docs/en/env-vars.
 */
export function planClaude(context: CommandContext): CommandPlan {
  const own = ownVariables(context);
  const variables = { ...context.environment, ...own };
  // Only its last `--settings` counts.
  const isRedirected = !context.args.includes('--settings');
  const redirects = redirectsOf(variables)
    .filter(({ name }) => isRedirected && own[name])
    .map((one) => ({ ...one, name: inSettings(one), variable: one.name }));
  return {
    redirects,
    complete: ({ addressOf, replacesToolSearch, writeFile }) => {
      const env = Object.fromEntries(redirects.map(({ name, variable }) => [variable, addressOf(name)]));
      const settings = () => writeFile('claude-settings.json', JSON.stringify({ env }));
      return {
        flags: redirects.length === 0 ? [] : ['--settings', settings()],
        variables: toolSearchOf(variables, replacesToolSearch),
      };
    },
  };
}

/** Returns the variable that keeps Claude Code's own tool search as it is, or switches it off. */
function toolSearchOf(variables: Environment, isReplaced: boolean): Environment {
  if (variables.ENABLE_TOOL_SEARCH) return {};
  if (isReplaced) return { ENABLE_TOOL_SEARCH: 'false' };
  const address = httpAddress(variables.ANTHROPIC_BASE_URL) ?? OWN_ADDRESS;
  const isElsewhere = ELSEWHERE.some((name) => variables[name]);
  return address.host === OWN_ADDRESS.host && !isElsewhere ? { ENABLE_TOOL_SEARCH: 'true' } : {};
}

const OWN_ADDRESS = new URL('https://api.anthropic.com');

/** Variables that choose another provider, where Claude Code does not search by itself. */
const ELSEWHERE = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];

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
