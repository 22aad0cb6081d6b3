import { parseArgs } from 'node:util';
import { anthropicClient } from './anthropic-client.ts';
import type { DemoClient } from './client.ts';
import { converseClient } from './converse-client.ts';
import { geminiClient } from './gemini-client.ts';
import { interactionsClient } from './interactions-client.ts';
import { ollamaClient } from './ollama-client.ts';
import { openaiClient } from './openai-client.ts';
import { responsesClient } from './responses-client.ts';

/** Creates a client that talks to a proxy. */
export type MakeClient = (proxyUrl: string) => DemoClient;

/** The demo's clients, by format name. */
const CLIENT_OF_FORMAT: Readonly<Record<string, MakeClient>> = {
  'openai-chat': openaiClient,
  'openai-responses': responsesClient,
  'anthropic-messages': anthropicClient,
  gemini: geminiClient,
  'gemini-interactions': interactionsClient,
  'ollama-chat': ollamaClient,
  'bedrock-converse': converseClient,
};

/** Reports arguments that the demo does not understand. The message lists the valid ones. */
export class UnknownFormat extends Error {}

/**
 * Returns the clients of a run: with `--format NAME` the client of that format, otherwise those of Chat
 * Completions and Messages.
 *
 * @throws UnknownFormat for any other arguments.
 */
export function chooseClients(args: readonly string[]): MakeClient[] {
  const name = formatIn(args);
  if (name === undefined) return [openaiClient, anthropicClient];
  const makeClient = Object.hasOwn(CLIENT_OF_FORMAT, name) ? CLIENT_OF_FORMAT[name] : undefined;
  if (makeClient === undefined) throw new UnknownFormat(USAGE);
  return [makeClient];
}

const USAGE = `usage: npm run demo [-- --format ${Object.keys(CLIENT_OF_FORMAT).join('|')}]`;

function formatIn(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { format: { type: 'string' } } }).values.format;
  } catch {
    throw new UnknownFormat(USAGE);
  }
}
