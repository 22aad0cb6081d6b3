import { inject } from 'vitest';
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

/** All rows, or a sample of each client's rows. */
export const ROWS: readonly Row[] = inject('isExhaustive')
  ? ALL_ROWS
  : CLIENTS.flatMap((client, turn) => sampleOf(rowsOf(client), turn));

/**
 * Half of a client's rows: of eight, these cover every pair of traits. Clients alternate between the halves,
 * so that those of one format cover everything together.
 */
function sampleOf(rows: readonly Row[], turn: number): readonly Row[] {
  if (rows.length === 2) return rows;
  const countTraits = ({ isStream, loadMode, thinks }: Row) =>
    [isStream, loadMode === 'native', thinks].filter(Boolean).length;
  return rows.filter((row) => countTraits(row) % 2 === turn % 2);
}

function rowsOf(client: TestClient): readonly Row[] {
  return [false, true].flatMap((isStream): Row[] => {
    if (client.format === 'openai') {
      const swap: Row = { client, isStream, loadMode: 'swap', thinks: false, model: 'gpt-test' };
      const bridge: Row = { ...swap, loadMode: 'bridge' };
      if (client.signs !== undefined) return [swap, bridge];
      return [
        swap,
        bridge,
        // Servers that support deferred tools are not OpenAI's own.
        { client, isStream, loadMode: 'native', thinks: false, model: 'glm-5.1' },
      ];
    }
    if (client.format === 'responses') {
      return [false, true].flatMap((thinks): Row[] => [
        { client, isStream, thinks, loadMode: 'swap', model: 'gpt-5-mini' },
        { client, isStream, thinks, loadMode: 'native', model: 'gpt-5.4' },
      ]);
    }
    if (client.format === 'gemini' || client.format === 'interactions') {
      return [false, true].map((thinks): Row => {
        return { client, isStream, thinks, loadMode: 'swap', model: 'gemini-3-pro-preview' };
      });
    }
    if (client.format === 'converse') {
      return [false, true].map((thinks): Row => {
        return {
          client,
          isStream,
          thinks,
          loadMode: 'swap',
          model: 'eu.anthropic.claude-sonnet-4-20250514-v1:0',
        };
      });
    }
    if (client.format === 'ollama') {
      return [false, true].map((thinks) => ({
        client,
        isStream,
        loadMode: 'swap',
        thinks,
        model: 'llama-test',
      }));
    }
    const prefix = client.format === 'invoke' ? 'eu.anthropic.' : '';
    return [false, true].flatMap((thinks): Row[] => [
      // Newer models bind thinking to the tools, which only native loading leaves unchanged.
      { client, isStream, thinks, loadMode: 'swap', model: `${prefix}claude-sonnet-4-20250514` },
      { client, isStream, thinks, loadMode: 'native', model: `${prefix}claude-opus-5-5` },
    ]);
  });
}

/** A row's name in tests. */
export const title = ({ client, isStream, loadMode, thinks }: Row) =>
  `${client.name}, ${isStream ? 'streamed' : 'whole'}, ${loadMode}${thinks ? ', thinking' : ''}`;

/** Options of the stack for a row. AWS accepts only signed requests. */
export function optionsOf({ client, loadMode }: Row) {
  if (client.format === 'openai' && loadMode === 'native') {
    return {
      settings: { PROXY_UPSTREAMS_OPENAI_LOAD: 'native' },
      rules: { hasChatDeferral: true },
    };
  }
  const upstreamOf = client.signs?.upstream ?? 'openai';
  const settings: Record<string, string> =
    loadMode === 'bridge'
      ? { [`PROXY_UPSTREAMS_${upstreamOf.toUpperCase()}_LOAD`]: 'bridge' }
      : { PROXY_PIPES_TOOL_DISCOVERY_LOAD_MODE: loadMode };
  if (client.signs === undefined) return { settings };
  const { upstream, service } = client.signs;
  return { settings: { ...settings, ...signingSettings(upstream, service) }, signing: signingOf(service) };
}
