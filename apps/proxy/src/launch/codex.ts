import { join } from 'node:path';
import { parseJson } from '@winnow/core';
import { parse as parseToml } from 'smol-toml';
import { z } from 'zod';
import { type CommandContext, type CommandPlan, httpAddress, type Redirect } from './redirect.ts';

/** The part of Codex's settings that says where it sends its requests. */
const Settings = z.object({
  model_provider: z.string().optional(),
  openai_base_url: z.string().optional(),
  model_providers: z.record(z.string(), z.object({ base_url: z.string().optional() })).optional(),
});
type Settings = z.infer<typeof Settings>;

/** The part of Codex's login that distinguishes a ChatGPT account from an API key. */
const Login = z.object({
  auth_mode: z.string().nullish(),
  OPENAI_API_KEY: z.string().nullish(),
  tokens: z.unknown().optional(),
});

const OPENAI = 'openai';

/**
 * Plans for Codex, which takes its address only from its settings: a flag overrides the files. Other users of
 * the machine can read the flags of a process, but the address is useless without their own key.
 *
 * Source: https://developers.openai.com/codex/config-reference; codex-rs/model-provider-info/src/lib.rs.
 */
export function planCodex(context: CommandContext): CommandPlan {
  const settings = readSettings(context);
  const provider = wordAfter(context.args, 'model_provider') ?? settings.model_provider ?? OPENAI;
  const key = provider === OPENAI ? 'openai_base_url' : `model_providers.${provider}.base_url`;
  const home = httpAddress(wordAfter(context.args, key) ?? homeOf(provider, settings, context));
  if (home === undefined || context.args.includes('--oss')) return { redirects: [], complete: () => ({}) };
  const redirect: Redirect = { name: 'codex', home, format: 'openai' };
  return {
    redirects: [redirect],
    complete: ({ addressOf }) => ({ flags: ['-c', `${key}=${JSON.stringify(addressOf(redirect.name))}`] }),
  };
}

function homeOf(provider: string, settings: Settings, context: CommandContext): string | undefined {
  if (provider !== OPENAI) return settings.model_providers?.[provider]?.base_url;
  if (settings.openai_base_url) return settings.openai_base_url;
  return isChatGpt(context) ? 'https://chatgpt.com/backend-api/codex' : 'https://api.openai.com/v1';
}

/**
 * Whether Codex has logged in with a ChatGPT account, whose requests go elsewhere. Its login may lie where only
 * Codex can read it; then a key in the environment decides.
 */
function isChatGpt(context: CommandContext): boolean {
  const { environment, readText } = context;
  const login = Login.safeParse(parseJson(readText(join(homeFolder(context), 'auth.json')) ?? '')).data;
  if (login === undefined) return !environment.OPENAI_API_KEY && !environment.CODEX_API_KEY;
  return login.auth_mode ? login.auth_mode === 'chatgpt' : Boolean(login.tokens) && !login.OPENAI_API_KEY;
}

/** Reads the settings, with those of the chosen profile on top. */
function readSettings(context: CommandContext): Settings {
  const { args, readText } = context;
  const at = args.findIndex((word) => word === '-p' || word === '--profile');
  const files = ['config.toml', ...(at < 0 ? [] : [`${args[at + 1]}.config.toml`])];
  return Object.assign(
    {},
    ...files.map((file) => parseSettings(readText(join(homeFolder(context), file)) ?? '')),
  ) as Settings;
}

function parseSettings(text: string): Settings {
  try {
    return Settings.safeParse(parseToml(text)).data ?? {};
  } catch {
    // Codex itself reports what it cannot read.
    return {};
  }
}

function homeFolder({ environment, home }: CommandContext): string {
  return environment.CODEX_HOME || join(home, '.codex');
}

/** Returns the value of a setting in flags such as `-c model_provider=azure`. */
function wordAfter(args: readonly string[], key: string): string | undefined {
  return args
    .filter((_, at) => ['-c', '--config'].includes(args[at - 1] ?? ''))
    .findLast((word) => word.startsWith(`${key}=`))
    ?.slice(key.length + 1)
    .replace(/^(["'])(.*)\1$/, '$2');
}
