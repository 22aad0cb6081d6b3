import type { ExchangeRecord } from '@winnow/core';
import { isJsonObject, type JsonObject, objectsOf } from '@winnow/testkit';
import { expect } from 'vitest';
import { loadBy } from '../end-to-end/raw-client.ts';
import { type Stack, startStack } from '../end-to-end/start-stack.ts';

/** Names that no client may see. */
export const TRACES = /gateway_(?:search|call)/;

/** Short tools, as the smallest of models reads them. */
export const TOOLS = [
  'get_weather',
  'send_mail',
  'list_files',
  'convert_currency',
  'play_music',
  'book_train',
].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Use it to ${name.replace('_', ' ')}.`,
    parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  },
}));
/** The names of the tools. */
export const NAMES = new Set<unknown>(TOOLS.map(({ function: { name } }) => name));

/** A response of Chat. */
interface Response {
  readonly status: number;
  readonly text: string;
  /** The message, joined if it was streamed. */
  readonly content: string;
  readonly calls: readonly JsonObject[];
  readonly reason: unknown;
  readonly usage: JsonObject;
}

/** Sends a request of Chat with the tools. */
export async function ask(url: string, messages: readonly object[], more: object = {}): Promise<Response> {
  const body = { model: 'smollm2', messages, tools: TOOLS, temperature: 0, max_tokens: 24, ...more };
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer none' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  const chunks = text.startsWith('data:')
    ? text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)) as JsonObject)
    : [JSON.parse(text) as JsonObject];
  const choices = chunks.flatMap((chunk) => objectsOf(chunk.choices));
  const said = choices.map(({ message, delta }) => (message ?? delta ?? {}) as JsonObject);
  const calls: Record<string, unknown>[] = [];
  for (const part of said.flatMap(({ tool_calls: parts }) => objectsOf(parts))) {
    const called = part.function as { name?: string; arguments?: string };
    const known = calls[Number(part.index ?? 0)];
    if (known === undefined) calls[Number(part.index ?? 0)] = { ...called };
    else known.arguments = `${known.arguments}${called.arguments}`;
  }
  return {
    ...{ status: response.status, text, calls },
    content: said.map(({ content }) => content ?? '').join(''),
    reason: choices.findLast(({ finish_reason: reason }) => reason)?.finish_reason,
    usage: chunks.map(({ usage }) => usage).findLast(isJsonObject) ?? {},
  };
}

/** Starts a proxy in front of a local server. */
export function startBefore(address: string, loadMode: 'swap' | 'bridge'): Promise<Stack> {
  return startStack({
    settings: {
      PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
      PROXY_UPSTREAMS_OPENAI_BASE_URL: address,
      PROXY_UPSTREAMS_OLLAMA_BASE_URL: address,
      ...loadBy(loadMode),
      PROXY_TOOLS_ALWAYS_KEEP: 'get_weather',
    },
  });
}

/** Returns a message of the user. */
export const user = (content: string) => ({ role: 'user', content });

/** Expects an exchange that Winnow did not give up. */
export function expectAnswered({ outcome, restoredBecause }: ExchangeRecord): void {
  expect([outcome, restoredBecause]).toEqual(['answered', undefined]);
}
