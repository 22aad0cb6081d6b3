import { join } from 'node:path';
import type { CommandContext, Environment } from './redirect.ts';

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
export function gooseHomes({ environment, home, readText }: CommandContext): Environment {
  const folder = environment.XDG_CONFIG_HOME || join(home, '.config');
  const text = readText(join(folder, 'goose/config.yaml')) ?? '';
  const set = Object.keys(HOMES).flatMap((name) => {
    const value = new RegExp(`^${name}:\\s*(["']?)(\\S+)\\1\\s*$`, 'm').exec(text)?.[2];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...HOMES, ...Object.fromEntries(set) };
}
