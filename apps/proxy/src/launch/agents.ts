import { join } from 'node:path';
import { parseJson } from '@winnow/core';
import { z } from 'zod';
import { canSign } from './address-variables.ts';
import { planClaude } from './claude-code.ts';
import { planCodex } from './codex.ts';
import { planOpencode } from './opencode.ts';
import type { CommandContext, CommandPlan, Environment } from './redirect.ts';

/** The addresses of its providers, by the names that its settings share with variables. */
const HOMES: Environment = {
  OPENAI_HOST: 'https://api.openai.com',
  ANTHROPIC_HOST: 'https://api.anthropic.com',
  GOOGLE_HOST: 'https://generativelanguage.googleapis.com',
  AZURE_OPENAI_ENDPOINT: undefined,
  OLLAMA_HOST: undefined,
};

/**
 * Returns Goose's addresses: those of its settings, above which variables stand, or else its own.
 *
 * Source: https://block.github.io/goose/docs/guides/config-files; crates/goose/src/providers.
 */
function gooseHomes({ environment, home, readText }: CommandContext): Environment {
  const folder = environment.XDG_CONFIG_HOME || join(home, '.config');
  const text = readText(join(folder, 'goose/config.yaml')) ?? '';
  const set = Object.keys(HOMES).flatMap((name) => {
    const value = new RegExp(`^${name}:\\s*(["']?)(\\S+)\\1\\s*$`, 'm').exec(text)?.[2];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...HOMES, ...Object.fromEntries(set) };
}

/** The part of Qwen Code's settings that holds an address. */
const Settings = z.object({ security: z.object({ auth: z.object({ baseUrl: z.string() }) }) });

/**
 * Returns the address in the user's settings of Qwen Code, which the variable overrides. Addresses of single
 * models override the variable: Qwen Code then bypasses the proxy.
 *
 * Source: https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings.
 */
function qwenHomes({ home, readText }: CommandContext): Environment {
  const settings = Settings.safeParse(parseJson(readText(join(home, '.qwen/settings.json')) ?? ''));
  return settings.success ? { OPENAI_BASE_URL: settings.data.security.auth.baseUrl } : {};
}

/** An agent that needs more than the variables that every command gets. */
interface Agent {
  readonly programs: readonly string[];
  /** Returns why the agent cannot be redirected, and what to do instead; undefined if it can. */
  readonly refusal?: (context: CommandContext) => string | undefined;
  readonly plan?: (context: CommandContext) => CommandPlan;
  /** Returns addresses that the agent uses if their variable is not set, by variable. */
  readonly homes?: (context: CommandContext) => Environment;
  /** Whether the agent reads no `.env` files; false by default. */
  readonly readsNoDotEnv?: true;
}

const MCP_INSTEAD =
  'To shorten the lists of its MCP servers, use `winnow-tools mcp --import FILE`, one entry for all of them.';

const AGENTS: readonly Agent[] = [
  { programs: ['claude'], refusal: refuseUnsigned, plan: planClaude, readsNoDotEnv: true },
  { programs: ['codex'], plan: planCodex, readsNoDotEnv: true },
  { programs: ['opencode'], plan: planOpencode },
  {
    // `copilot help providers`
    programs: ['copilot'],
    readsNoDotEnv: true,
    refusal: ({ environment }) =>
      environment.COPILOT_PROVIDER_BASE_URL
        ? undefined
        : `GitHub Copilot CLI calls GitHub's own models, whose address cannot be changed. Set COPILOT_PROVIDER_BASE_URL to use your own provider. ${MCP_INSTEAD}`,
  },
  {
    // https://geminicli.com/docs/get-started/authentication
    programs: ['gemini'],
    refusal: ({ environment }) =>
      environment.GOOGLE_GENAI_USE_GCA === 'true'
        ? `Gemini CLI with a Google login (GOOGLE_GENAI_USE_GCA) uses a different API. Use an API key (GEMINI_API_KEY). ${MCP_INSTEAD}`
        : undefined,
  },
  {
    // Its own settings override only one of the variables.
    programs: ['aider'],
    homes: () => ({ OPENAI_API_BASE: 'https://api.openai.com/v1' }),
  },
  { programs: ['goose'], homes: gooseHomes },
  { programs: ['qwen'], homes: qwenHomes },
  {
    // https://cursor.com/docs/cli/overview
    programs: ['cursor-agent'],
    refusal: () => `Cursor's agent calls only Cursor's own servers. ${MCP_INSTEAD}`,
  },
  {
    // https://ampcode.com/manual
    programs: ['amp'],
    refusal: () => `Amp calls only its own servers. ${MCP_INSTEAD}`,
  },
  {
    // https://kiro.dev/docs/cli
    programs: ['kiro-cli', 'q'],
    refusal: () => `Kiro CLI calls only its own servers. ${MCP_INSTEAD}`,
  },
  {
    // `ollama serve` listens on the address in OLLAMA_HOST.
    programs: ['ollama'],
    plan: ({ environment }) => ({
      redirects: [],
      complete: () => ({ variables: { OLLAMA_HOST: environment.OLLAMA_HOST } }),
    }),
  },
];

/** Returns why an agent cannot be redirected, and what to do instead; undefined for all others. */
export function refusalOf(program: string, context: CommandContext): string | undefined {
  return agentOf(program)?.refusal?.(context);
}

/** Returns the plan for a program, in addition to the variables that every command gets. */
export function planFor(program: string, context: CommandContext): CommandPlan {
  return agentOf(program)?.plan?.(context) ?? { redirects: [], complete: () => ({}) };
}

/** Returns the addresses that a program uses if their variable is not set, by variable. */
export function homesFor(program: string, context: CommandContext): Environment {
  return agentOf(program)?.homes?.(context) ?? {};
}

/** Whether a program may read `.env` files. */
export function mayReadDotEnv(program: string): boolean {
  return agentOf(program)?.readsNoDotEnv !== true;
}

function agentOf(program: string): Agent | undefined {
  return AGENTS.find(({ programs }) => programs.includes(program));
}

function refuseUnsigned({ environment }: CommandContext): string | undefined {
  if (!environment.CLAUDE_CODE_USE_BEDROCK || canSign(environment)) return undefined;
  return 'Claude Code signs its requests to Bedrock, and Winnow must sign them again, but the environment has no AWS keys. Set AWS_BEARER_TOKEN_BEDROCK, or run `eval "$(aws configure export-credentials --format env)"` first.';
}
