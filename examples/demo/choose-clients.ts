import { parseArgs } from 'node:util';
import { anthropicClient } from './anthropic-client.ts';
import type { DemoClient } from './client.ts';
import { converseClient } from './converse-client.ts';
import { geminiClient } from './gemini-client.ts';
import { interactionsClient } from './interactions-client.ts';
import { ollamaClient } from './ollama-client.ts';
import { openaiClient } from './openai-client.ts';
import { responsesClient } from './responses-client.ts';

/** Makes a client that talks to a proxy. */
export type MakeClient = (proxyUrl: string) => DemoClient;

/** The client of each format that the demo knows, by the name of the format. */
const CLIENT_OF_FORMAT: Readonly<Record<string, MakeClient>> = {
  'openai-chat': openaiClient,
  'openai-responses': responsesClient,
  'anthropic-messages': anthropicClient,
  gemini: geminiClient,
  'gemini-interactions': interactionsClient,
  'ollama-chat': ollamaClient,
  'bedrock-converse': converseClient,
};

/** Arguments that the demo does not understand. Its message says which it does. */
export class UnknownFormat extends Error {}

/**
 * The clients of a run: with `--format NAME` that of one format, else those of Chat Completions and Messages.
 *
 * @throws UnknownFormat for other arguments.
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
