import { answer, callTool, type ScriptEntry, say } from '@winnow/testkit';
import { describe, expect, test } from 'vitest';
import { anthropic } from './clients/anthropic.ts';
import { googleGenai } from './clients/google-genai.ts';
import { googleInteractions } from './clients/google-interactions.ts';
import { ollama } from './clients/ollama.ts';
import { openai } from './clients/openai.ts';
import { openaiResponses } from './clients/openai-responses.ts';
import { optionsOf } from './clients/rows.ts';
import { FEW_TOOLS } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const [ONE, OTHER] = [FEW_TOOLS[8]!.name, FEW_TOOLS[9]!.name];

/**
 * A server that numbers the calls of each response from 0: a search, a real call, a search, a real call, all
 * with the same id.
 */
const SCRIPT: readonly ScriptEntry[] = [
  callOf(SEARCH_TOOL, { query: `${ONE} first-wish` }),
  callOf(ONE, { note: 'first-call' }),
  callOf(SEARCH_TOOL, { query: `${OTHER} second-wish` }),
  callOf(OTHER, { note: 'second-call' }),
  answer([say('Done.')]),
];

function callOf(name: string, input: Record<string, string>): ScriptEntry {
  return answer([callTool(name, input, { id: 'call_0' })], { deviations: { hasCallIds: true } });
}

/** The content of a request as far as its marks show; a result repeats its call. */
function storyOf(request: string): string[] {
  return [...request.matchAll(/(?:first|second)-(?:wish|call)/g)].map(([mark]) => mark);
}

const CLIENTS = [
  { client: openai, model: 'gpt-test', loadMode: 'swap' },
  { client: anthropic, model: 'claude-opus-4-5', loadMode: 'native' },
  { client: openaiResponses, model: 'gpt-5-mini', loadMode: 'swap' },
  { client: openaiResponses, model: 'gpt-5.4', loadMode: 'native' },
  { client: openai, model: 'gpt-test', loadMode: 'bridge' },
  { client: anthropic, model: 'claude-opus-4-5', loadMode: 'bridge' },
  { client: openaiResponses, model: 'gpt-5-mini', loadMode: 'bridge' },
  { client: ollama, model: 'llama-test', loadMode: 'bridge' },
  { client: googleGenai, model: 'gemini-2.5-pro', loadMode: 'bridge' },
  { client: googleGenai, model: 'gemini-2.5-pro', loadMode: 'swap' },
  { client: googleInteractions, model: 'gemini-2.5-pro', loadMode: 'swap' },
  { client: ollama, model: 'llama-test', loadMode: 'swap' },
] as const;

describe.each(CLIENTS.map((one) => [one.client.name, one.loadMode, one] as const))(
  '%s, %s: a real call with the id of an earlier hidden search',
  (_, loadMode, { client, model }) => {
    test.each([false, true])('reaches the client, and keeps its result (streamed: %s)', async (isStream) => {
      const stack = await startStack({
        script: SCRIPT,
        // Providers that number calls themselves would not use an id twice.
        isLenient: true,
        ...optionsOf({ client, loadMode, model, isStream, thinks: false }),
      });
      const transcript = await client.converse({
        ...{ url: stack.proxyUrl, model, isStream, thinks: false },
        tools: FEW_TOOLS,
        userMessages: ['Do it.'],
      });
      expect(transcript).toHaveLength(3);
      expect(storyOf(JSON.stringify(transcript))).toEqual(['first-call', 'second-call']);
      expect(JSON.stringify(transcript)).not.toContain(SEARCH_TOOL);
      expect(JSON.stringify(transcript[2])).toContain('Done.');
      await recordsOf(stack, 3);
      expect(stack.records.map(({ hiddenTurnsKnown }) => hiddenTurnsKnown)).toEqual([0, 1, 2]);
      expect(storyOf(stack.upstream.requests.at(-1)!.text)).toEqual([
        ...['first-wish', 'first-call', 'first-call'],
        ...['second-wish', 'second-call', 'second-call'],
      ]);
    });
  },
);
