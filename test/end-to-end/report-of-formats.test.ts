import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { playModel } from '@winnow/testkit';
import { expect, inject, onTestFinished, test } from 'vitest';
import { runReport } from '../../apps/report/src/run-report.ts';
import { anthropic, anthropicBedrock } from './clients/anthropic.ts';
import { awsConverse } from './clients/aws-converse.ts';
import { signingOf, signingSettings } from './clients/aws-credentials.ts';
import { googleGenai } from './clients/google-genai.ts';
import { googleInteractions } from './clients/google-interactions.ts';
import { ollama } from './clients/ollama.ts';
import { openai } from './clients/openai.ts';
import { openaiResponses } from './clients/openai-responses.ts';
import type { TestClient } from './clients/test-client.ts';
import { SEARCHING_CONVERSATION, TOOLS, USER_MESSAGES } from './conversation-plan.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

/** AWS accepts only signed requests. */
const AWS = { settings: signingSettings('bedrock', 'bedrock'), signing: signingOf('bedrock') };

/** A client and a model of each format. */
const CLIENTS: Readonly<Record<string, { client: TestClient; model: string }>> = {
  'openai-chat': { client: openai, model: 'gpt-5.4-mini' },
  'openai-responses': { client: openaiResponses, model: 'gpt-5.4' },
  'anthropic-messages': { client: anthropic, model: 'claude-opus-4-6' },
  gemini: { client: googleGenai, model: 'gemini-3.1-pro-preview' },
  'gemini-interactions': { client: googleInteractions, model: 'gemini-3.1-pro-preview' },
  'bedrock-converse': { client: awsConverse, model: 'anthropic.claude-opus-4-6-v1:0' },
  'anthropic-bedrock': { client: anthropicBedrock, model: 'anthropic.claude-opus-4-6-v1' },
  'ollama-chat': { client: ollama, model: 'llama-test' },
};

/** Runs the client of a format; returns the number of its requests that got a response. */
async function talk(stack: Stack, format: string): Promise<number> {
  const { client, model } = CLIENTS[format]!;
  const userMessages = USER_MESSAGES.slice(0, SEARCHING_CONVERSATION.turns.length);
  const answers = await client.converse({
    ...{ url: stack.proxyUrl, model, tools: TOOLS, userMessages, isStream: true, thinks: false },
  });
  await recordsOf(stack, answers.length);
  return answers.length;
}

async function reportOn(stacks: readonly Stack[]) {
  const folder = await mkdtemp(join(tmpdir(), 'report-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'records.jsonl');
  const lines = stacks.flatMap(({ records }) => records.map((record) => JSON.stringify(record)));
  await writeFile(file, lines.join('\n'));
  const stdout = new PassThrough();
  const told = text(stdout);
  const code = await runReport([file, '--json'], {
    ...{ stdin: process.stdin, stdout: stdout as never, stderr: process.stderr, now: Date.now },
  });
  stdout.end();
  expect(code).toBe(0);
  return JSON.parse(await told);
}

/** Every format, or those whose usage differs most. */
const FORMATS = inject('isExhaustive')
  ? Object.keys(CLIENTS)
  : ['openai-chat', 'anthropic-messages', 'gemini'];

test.each(FORMATS)('the report knows what was seen and saved in %s', async (format) => {
  const model = playModel(SEARCHING_CONVERSATION);
  const aws = format.includes('bedrock') ? AWS : { settings: {} };
  const shadow = await startStack({
    model,
    ...aws,
    settings: { ...aws.settings, PROXY_ROLLOUT_MODE: 'shadow' },
  });
  const full = await startStack({ model, ...aws });
  const [watched, deferred] = [await talk(shadow, format), await talk(full, format)];
  const report = await reportOn([shadow, full]);

  const all = watched + deferred;
  expect(report.reading.counts).toMatchObject({ records: all, invalid: 0 });
  expect(report.traffic).toMatchObject({
    formats: { top: [{ name: format, count: all }] },
    arms: { shadow: watched, full: deferred },
  });
  // For every exchange with a call, it is known whether the picks would have been enough.
  expect(report.watching).toMatchObject({ exchanges: watched, statuses: { done: watched } });
  expect(report.watching.missedExchanges.whole).toBe(4);
  expect(report.searches.results.searches).toBe(5);
  const { changed, usage } = report.tools;
  expect(changed).toMatchObject({ exchanges: deferred, deferring: deferred, goodDeferring: deferred });
  expect(changed.tokens.after).toBeLessThan(0.7 * changed.tokens.before);
  expect(usage).toMatchObject({ full: { exchanges: deferred }, shadow: { exchanges: watched } });
  // Ollama's models have no price, and AWS's model names are not matched with others' prices.
  const isPriced = format !== 'ollama-chat' && !format.includes('bedrock');
  expect(report.money.estimated.exchanges).toBe(isPriced ? deferred : 0);
});
