import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { anthropicClient } from '../demo/anthropic-client.ts';
import { openaiClient } from '../demo/openai-client.ts';
import { type Services, startServices } from '../demo/services.ts';
import { type Conversation, makeConversations, needOf } from './conversations.ts';
import { needyModel } from './model.ts';

/** Number of conversations that run at the same time. */
const LANES = 4;

/**
 * Maximum number of observations that may be pending when a conversation starts. People pause between
 * messages; these conversations do not, and a proxy that observes would drop what it cannot process in time.
 */
const MOST_UNREPORTED = 50;

/** Number of conversations between two lines of progress. */
const TOLD_EVERY = 25;

/** Results of the conversations so far. */
interface Tally {
  requests: number;
  messages: number;
  /** Messages that need a tool. */
  needs: number;
  /** Needs for which the model called the right tool. */
  served: number;
  /** Needs that ended in an error. */
  failed: number;
  /** Messages that ended in an error, with or without a need. */
  errors: number;
}

/**
 * Sends generated conversations over the example catalogue through its own selector and proxy. The proxy
 * reads its settings from the environment, so that every step of a rollout can be tried; its records show the
 * outcome.
 */
async function main(): Promise<void> {
  const { conversations, seed } = readOptions();
  const services = await startServices({ model: needyModel(), settings: { ...FILE, ...proxySettings() } });
  const tally: Tally = { requests: 0, messages: 0, needs: 0, served: 0, failed: 0, errors: 0 };
  const waiting = makeConversations(conversations, seed).entries();
  const lane = async () => {
    for (const [number, conversation] of waiting) {
      if (number % TOLD_EVERY === 0) console.error(`Conversation ${number + 1} of ${conversations} …`);
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

/** Sends all messages of one conversation; the two libraries alternate. */
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

/** Time to wait for records; a record that is still missing afterwards is lost. */
const PATIENCE_MS = 60_000;

/**
 * Waits until the given number of requests have records. Shadow requests are recorded only after their
 * observation ends.
 */
async function reported({ records }: Services, requests: number): Promise<void> {
  for (let waited = 0; records.length < requests && waited < PATIENCE_MS; waited += 50) await wait(50);
}

await main();
