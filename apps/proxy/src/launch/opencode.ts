import { join } from 'node:path';
import { parseJson } from '@winnow/core';
import { z } from 'zod';
import type { CommandContext, CommandPlan, Redirect } from './redirect.ts';

/** A provider of opencode, whose address only opencode's settings set. */
interface Provider {
  readonly id: string;
  readonly home: string;
  readonly format: Redirect['format'];
  /** Variables of its key. A provider that is named in the settings counts as set up, even without a key. */
  readonly keys?: readonly string[];
}

/** Anthropic's and OpenAI's addresses come from the variables of the AI SDK. */
const PROVIDERS: readonly Provider[] = [
  // Its own models need no key.
  { id: 'opencode', home: 'https://opencode.ai/zen/v1', format: 'openai' },
  {
    id: 'google',
    home: 'https://generativelanguage.googleapis.com/v1beta',
    format: 'gemini',
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  },
];

const Content = z.object({
  provider: z.record(z.string(), z.object({ options: z.looseObject({}).optional() }).loose()).optional(),
});

/**
 * Plans for opencode, which reads settings from a variable that overrides its files.
 *
 * Source: https://opencode.ai/docs/config#precedence-order.
 */
export function planOpencode({ environment, home, readText }: CommandContext): CommandPlan {
  const { OPENCODE_CONFIG_CONTENT: given, XDG_DATA_HOME: data } = environment;
  const content = Content.loose().safeParse(given ? parseJson(given) : {}).data;
  // What opencode cannot read is its own to report.
  if (content === undefined) return { redirects: [], complete: () => ({}) };
  const { provider = {}, ...others } = content;
  const logins = readText(join(data || join(home, '.local/share'), 'opencode/auth.json'));
  const loggedIn = Object.keys(z.looseObject({}).safeParse(parseJson(logins ?? '')).data ?? {});
  const redirects = PROVIDERS.filter(
    ({ id, keys }) =>
      provider[id]?.options?.baseURL === undefined &&
      (keys === undefined || keys.some((key) => environment[key]) || loggedIn.includes(id)),
  ).map(({ id, home, format }): Redirect => ({ name: `opencode-${id}`, home: new URL(home), format }));
  return {
    redirects,
    complete: ({ addressOf }) => {
      const redirected = redirects.map(({ name }): [string, object] => {
        const id = name.slice('opencode-'.length);
        const { options, ...more } = provider[id] ?? {};
        return [id, { ...more, options: { ...options, baseURL: addressOf(name) } }];
      });
      const merged = { ...others, provider: { ...provider, ...Object.fromEntries(redirected) } };
      return { variables: { OPENCODE_CONFIG_CONTENT: JSON.stringify(merged) } };
    },
  };
}
