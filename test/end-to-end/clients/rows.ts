import { inject } from 'vitest';
import { coverTraits } from '../cover-traits.ts';
import {
  aiSdkAnthropic,
  aiSdkBedrock,
  aiSdkBedrockAnthropic,
  aiSdkGoogle,
  aiSdkInteractions,
  aiSdkMantle,
  aiSdkMantleResponses,
  aiSdkOpenai,
  aiSdkResponses,
} from './ai-sdk.ts';
import { anthropic, anthropicBedrock, anthropicMantle } from './anthropic.ts';
import { awsConverse, awsConverseHttp2 } from './aws-converse.ts';
import { signingOf, signingSettings } from './aws-credentials.ts';
import { awsInvoke } from './aws-invoke.ts';
import { googleGenai, googleGenai1, googleGenai2 } from './google-genai.ts';
import { googleInteractions, googleStored } from './google-interactions.ts';
import {
  langchainAnthropic,
  langchainAws,
  langchainGoogle,
  langchainOpenai,
  langchainResponses,
} from './langchain.ts';
import { aiSdkOllama, langchainOllama, ollama } from './ollama.ts';
import { openai, openai6, openaiAzureChat, openaiBedrockChat } from './openai.ts';
import {
  openai6Responses,
  openai6Stored,
  openaiAzure,
  openaiBedrock,
  openaiResponses,
  openaiStored,
} from './openai-responses.ts';
import type { TestClient } from './test-client.ts';

/** One way to use a client library. */
export interface Row {
  readonly client: TestClient;
  readonly isStream: boolean;
  readonly loadMode: 'swap' | 'bridge' | 'native';
  readonly thinks: boolean;
  readonly model: string;
}

/** Every client library under test. */
export const CLIENTS: readonly TestClient[] = [
  openai,
  openai6,
  openaiAzureChat,
  aiSdkOpenai,
  langchainOpenai,
  openaiResponses,
  openaiStored,
  openai6Responses,
  openai6Stored,
  openaiAzure,
  aiSdkResponses,
  langchainResponses,
  anthropic,
  aiSdkAnthropic,
  langchainAnthropic,
  googleGenai,
  googleGenai1,
  googleGenai2,
  aiSdkGoogle,
  langchainGoogle,
  googleInteractions,
  googleStored,
  aiSdkInteractions,
  ollama,
  aiSdkOllama,
  langchainOllama,
  awsConverse,
  awsConverseHttp2,
  awsInvoke,
  anthropicBedrock,
  anthropicMantle,
  aiSdkBedrock,
  aiSdkBedrockAnthropic,
  aiSdkMantle,
  aiSdkMantleResponses,
  openaiBedrockChat,
  openaiBedrock,
  langchainAws,
];

/**
 * Every client, whole and streamed, with each loading mode that its models support, with and without
 * thinking.
 */
export const ALL_ROWS: readonly Row[] = CLIENTS.flatMap(rowsOf);

/**
 * All rows, or a sample: every client once, and each format whole and streamed. Together, the clients of a
 * format have as many pairs of whole or streamed, load mode and thinking as they can.
 */
export const ROWS: readonly Row[] = inject('isExhaustive')
  ? ALL_ROWS
  : [...Map.groupBy(CLIENTS, ({ format }) => format).values()].flatMap(sampleOf);

/**
 * Returns these rows in exhaustive mode; otherwise a sample, for tests of what does not depend on the client
 * library: each format whole and streamed, each load mode, and responses that the provider stores.
 */
export function sampleOfWays(rows: readonly Row[]): readonly Row[] {
  if (inject('isExhaustive')) return rows;
  return coverTraits(rows, ({ client, isStream, loadMode }) => [
    `${client.format} ${isStream ? 'streamed' : 'whole'}`,
    ...(client.name.includes('previous_') ? [`${client.format} stored`] : []),
    `${loadMode} ${isStream}`,
  ]);
}

/** Takes, for each client of a format, the row with the most new pairs; then one more if all are streamed or none. */
function sampleOf(clients: readonly TestClient[]): readonly Row[] {
  const missing = new Set(clients.flatMap(rowsOf).flatMap(pairsOf));
  const take = (rows: readonly Row[]): Row => {
    const gain = (row: Row) => pairsOf(row).filter((pair) => missing.has(pair)).length;
    const best = rows.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    for (const pair of pairsOf(best)) missing.delete(pair);
    return best;
  };
  const taken = clients.map((client) => take(rowsOf(client).toReversed()));
  const [{ isStream }] = taken as [Row];
  if (taken.some((row) => row.isStream !== isStream)) return taken;
  return [...taken, take(clients.flatMap(rowsOf).filter((row) => row.isStream !== isStream))];
}

/** The pairs of options that a row has. */
export function pairsOf({ isStream, loadMode, thinks }: Row): readonly string[] {
  return [`${isStream} ${loadMode}`, `${isStream} ${thinks}`, `${loadMode} ${thinks}`];
}

/** Newer models of Anthropic bind thinking to the tools, which only swapping changes. */
function modesOf({ format, signs }: TestClient): readonly Pick<Row, 'loadMode' | 'model'>[] {
  switch (format) {
    case 'openai':
      return [
        { loadMode: 'swap', model: 'gpt-test' },
        { loadMode: 'bridge', model: 'gpt-test' },
        // Servers that support deferred tools are not OpenAI's own.
        ...(signs === undefined ? [{ loadMode: 'native', model: 'glm-5.1' } as const] : []),
      ];
    case 'responses':
      return [
        { loadMode: 'swap', model: 'gpt-5-mini' },
        { loadMode: 'bridge', model: 'gpt-5-mini' },
        { loadMode: 'native', model: 'gpt-5.4' },
      ];
    case 'anthropic':
    case 'invoke': {
      const prefix = format === 'invoke' ? 'eu.anthropic.' : '';
      return [
        { loadMode: 'swap', model: `${prefix}claude-sonnet-4-20250514` },
        { loadMode: 'bridge', model: `${prefix}claude-opus-5-5` },
        { loadMode: 'native', model: `${prefix}claude-opus-5-5` },
      ];
    }
    case 'gemini':
    case 'interactions':
      return withoutNative('gemini-3-pro-preview');
    case 'converse':
      return withoutNative('eu.anthropic.claude-sonnet-4-20250514-v1:0');
    case 'ollama':
      return withoutNative('llama-test');
    default:
      return format satisfies never;
  }
}

function withoutNative(model: string): readonly Pick<Row, 'loadMode' | 'model'>[] {
  return [
    { loadMode: 'swap', model },
    { loadMode: 'bridge', model },
  ];
}

function rowsOf(client: TestClient): readonly Row[] {
  const thinking = client.format === 'openai' ? [false] : [false, true];
  return [false, true].flatMap((isStream) =>
    thinking.flatMap((thinks) => modesOf(client).map((mode) => ({ client, isStream, thinks, ...mode }))),
  );
}

/**
 * The clients whose library takes a function for its requests, so that Winnow can run in their process. Those
 * that sign for AWS do take one, but their requests must not change.
 */
const IN_PROCESS: ReadonlySet<TestClient> = new Set([
  openai,
  openai6,
  openaiAzureChat,
  aiSdkOpenai,
  langchainOpenai,
  openaiResponses,
  openaiStored,
  openai6Responses,
  openai6Stored,
  openaiAzure,
  aiSdkResponses,
  langchainResponses,
  anthropic,
  aiSdkAnthropic,
  langchainAnthropic,
  googleGenai,
  googleGenai2,
  aiSdkGoogle,
  googleInteractions,
  googleStored,
  aiSdkInteractions,
  ollama,
  aiSdkOllama,
  langchainOllama,
]);

const ALL_IN_PROCESS = ALL_ROWS.filter(({ client }) => IN_PROCESS.has(client));

/** The rows of clients that can run Winnow in their process: all of them, or one of each client. */
export const ROWS_IN_PROCESS: readonly Row[] = inject('isExhaustive')
  ? ALL_IN_PROCESS
  : [...IN_PROCESS].map((client, turn) => {
      const rows = ALL_IN_PROCESS.filter((row) => row.client === client);
      // A step of five takes whole and streamed rows of each format, and all load modes.
      return rows[(5 * turn) % rows.length]!;
    });

/** A row's name in tests. */
export const title = ({ client, isStream, loadMode, thinks }: Row) =>
  `${client.name}, ${isStream ? 'streamed' : 'whole'}, ${loadMode}${thinks ? ', thinking' : ''}`;

/** Options of the upstream for a row. */
export const rulesOf = ({ client, loadMode }: Row) =>
  client.format === 'openai' && loadMode === 'native' ? { rules: { hasChatDeferral: true } } : {};

/** Options of the stack for a row. AWS accepts only signed requests. */
export function optionsOf(row: Row) {
  const { client, loadMode } = row;
  if (client.format === 'openai' && loadMode === 'native') {
    return { settings: { PROXY_UPSTREAMS_OPENAI_LOAD: 'native' }, ...rulesOf(row) };
  }
  const upstreamOf = client.signs?.upstream ?? UPSTREAMS[client.format];
  const settings: Record<string, string> = { [`PROXY_UPSTREAMS_${upstreamOf.toUpperCase()}_LOAD`]: loadMode };
  if (client.signs === undefined) return { settings };
  const { upstream, service } = client.signs;
  return { settings: { ...settings, ...signingSettings(upstream, service) }, signing: signingOf(service) };
}

/** The built-in upstream of each format. */
const UPSTREAMS: Readonly<Record<TestClient['format'], string>> = {
  openai: 'openai',
  responses: 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  interactions: 'gemini',
  ollama: 'ollama',
  converse: 'bedrock',
  invoke: 'bedrock',
};
