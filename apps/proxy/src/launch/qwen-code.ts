import { join } from 'node:path';
import { parseJson } from '@winnow/core';
import { z } from 'zod';
import type { CommandContext, Environment } from './redirect.ts';

/** The part of Qwen Code's settings that holds an address. */
const Settings = z.object({ security: z.object({ auth: z.object({ baseUrl: z.string() }) }) });

/**
 * Returns the address in the user's settings of Qwen Code, which the variable overrides. Addresses of single
 * models override the variable: Qwen Code then bypasses the proxy.
 *
 * Source: https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings.
 */
export function qwenHomes({ home, readText }: CommandContext): Environment {
  const settings = Settings.safeParse(parseJson(readText(join(home, '.qwen/settings.json')) ?? ''));
  return settings.success ? { OPENAI_BASE_URL: settings.data.security.auth.baseUrl } : {};
}
