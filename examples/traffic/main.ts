import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { anthropicClient } from '../demo/anthropic-client.ts';
import { openaiClient } from '../demo/openai-client.ts';
import { type Services, startServices } from '../demo/services.ts';
import { type Conversation, makeConversations, needOf } from './conversations.ts';
import { needyModel } from './model.ts';

/** Conversations that run at the same time. */
const LANES = 4;

/**
 * Exchanges that may be watched still when a conversation begins. People pause between their messages; these conversations do not, and
 * a proxy that watches would drop what comes faster than it can look at it.
 */
const MOST_UNREPORTED = 50;

/** What has come of the conversations so far. */
interface Tally {
  requests: number;
  messages: number;
  /** Messages that take a tool. */
  needs: number;
  /** Needs for which the model called the tool that fits. */
  served: number;
  /** Needs that ended in an error. */
  failed: number;
  /** Messages that did, with a need or without. */
  errors: number;
}

/**
 * Sends made-up conversations over the example catalogue through a selector and a proxy of its own. The proxy takes its settings from the
 * environment, so that every step of a rollout can be tried: its records say afterwards what happened.
 */
async function main(): Promise<void> {
  const { conversations, seed } = readOptions();
  const services = await startServices({ model: needyModel(), settings: { ...FILE, ...proxySettings() } });
  const tally: Tally = { requests: 0, messages: 0, needs: 0, served: 0, failed: 0, errors: 0 };
  const waiting = makeConversations(conversations, seed).entries();
  const lane = async () => {
    for (const [number, conversation] of waiting) {
      await converse(conversation, number, services.proxyUrl, tally);
      await reported(services, tally.requests - MOST_UNREPORTED);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  await reported(services, tally.requests);
  await services.close();
  const rejected = services.upstream.rejected().length;
  console.log(
    `${conversations} conversations, ${tally.messages} messages, ${tally.needs} of them in need of a tool: ` +
      `${tally.served} got the tool that fits, ${tally.needs - tally.served - tally.failed} did not, ${tally.failed} ended in an error. ` +
      `The strict upstream rejected ${rejected} requests.`,
  );
  if (tally.errors + rejected > 0) process.exitCode = 1;
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      conversations: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
    },
  });
  return { conversations: Number(values.conversations), seed: Number(values.seed) };
}

const FILE = { PROXY_RECORDS_FILE: 'tool_discovery.jsonl' };

function proxySettings(): Record<string, string> {
  const own = Object.entries(process.env).filter(([name]) => name.startsWith('PROXY_'));
  return Object.fromEntries(own) as Record<string, string>;
}

/** Says everything of one conversation; both libraries take turns. */
async function converse(
  conversation: Conversation,
  number: number,
  proxyUrl: string,
  tally: Tally,
): Promise<void> {
  const client = number % 2 === 0 ? openaiClient(proxyUrl) : anthropicClient(proxyUrl);
  const onRequest = () => {
    tally.requests++;
  };
  for (const message of conversation) {
    tally.messages++;
    const need = needOf(message);
    if (need) tally.needs++;
    let isServed = false;
    const onCall = (name: string) => {
      isServed ||= name === need?.tool;
    };
    try {
      await client.say(message, { onCall, onText() {}, onRequest, async onAnswer() {} });
    } catch (error) {
      if (need) tally.failed++;
      tally.errors++;
      console.error(`conversation ${number + 1}: ${(error as Error).message}`);
      return;
    }
    if (isServed) tally.served++;
  }
}

/** How long records are waited for: one that is still missing then was lost. */
const PATIENCE_MS = 60_000;

/** Waits until so many requests have their records: a request that is only watched is reported when it has been thought over. */
async function reported({ records }: Services, requests: number): Promise<void> {
  for (let waited = 0; records.length < requests && waited < PATIENCE_MS; waited += 50) await wait(50);
}

await main();
