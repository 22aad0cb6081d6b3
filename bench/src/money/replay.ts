import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, startProxy, systemEffects } from '@winnow/proxy';
import {
  AUTOMATIC_CACHE,
  MARKED_CACHE,
  PromptCache,
  startUpstream,
  type Usage,
  withPromptCache,
} from '@winnow/testkit';
import { InputError } from '../input-error.ts';
import type { SetTool } from '../retrieval/read-sets.ts';
import type { ConversationLine, RecordedCall } from '../sets/set-source.ts';
import { ratesOf } from './bill.ts';
import type { Arm, MoneyCell } from './cell.ts';
import { CLIENTS, type ClientHead, type MoneyClient } from './clients.ts';
import { RECORDING_HEADER, recordedModel } from './recorded-model.ts';

/** The requests of one conversation that reached the provider. */
export interface ReplayedConversation {
  /** Tokens of every request that reached the provider. */
  readonly usages: readonly Usage[];
}

/** A replay of all conversations through one proxy. */
export interface Replay {
  readonly conversations: readonly ReplayedConversation[];
  /** The share of the last conversations whose tools were deferred, by their records. */
  readonly deferred: number;
  /** The proxy's own estimate at the end: the bill of deferring as a share of the direct one. */
  readonly estimated: number | undefined;
}

/** The material of a replay. */
export interface ReplayInput {
  readonly cell: MoneyCell;
  readonly arm: Arm;
  readonly catalogue: readonly SetTool[];
  readonly conversations: readonly ConversationLine[];
}

/** Time between two conversations, in milliseconds. */
const WARM_MS = 10_000;
const COLD_MS = 3_600_000;

const ARM_SETTINGS: Readonly<Record<Arm, Readonly<Record<string, string>>>> = {
  pass: { PROXY_TOOLS_ENABLED: 'false' },
  defer: { PROXY_TOOLS_GOAL: 'context' },
  auto: {},
};

/**
 * Replays conversations one after the other through a proxy of its own, against a provider with a prompt
 * cache. Provider and proxy share a clock that the replay moves between conversations.
 */
export async function replay(input: ReplayInput): Promise<Replay> {
  const { cell, arm, catalogue, conversations } = input;
  const { mode } = cell;
  let offset = 0;
  const clock = { now: () => performance.now() + offset, wallClock: () => Date.now() + offset };
  const rules = mode.client === 'messages' ? MARKED_CACHE : AUTOMATIC_CACHE;
  const ledger = conversations.map((): Usage[] => []);
  const onUsage = (usage: Usage, { headers }: { headers: Readonly<Record<string, unknown>> }) => {
    ledger[Number(headers[RECORDING_HEADER])]!.push(usage);
  };
  const model = recordedModel(conversations, catalogue);
  const cache = new PromptCache(rules, clock.now);
  const upstream = await startUpstream({
    model: withPromptCache(model, cache, onUsage),
    keeps: () => false,
    // Some public definitions have schemas that OpenAI refuses. Other tests judge what the proxy sends.
    isLenient: true,
  });
  const folder = mkdtempSync(join(tmpdir(), 'bench-money-'));
  try {
    const proxy = await startMoneyProxy(cell, arm, { url: upstream.url, folder, clock });
    const head = { model: mode.model, system: systemPrompt(cell.system), tools: catalogue };
    for (const [place, conversation] of conversations.entries()) {
      await converse({ url: proxy.url, client: CLIENTS[mode.client], head, place }, conversation);
      offset += cell.isWarm ? WARM_MS : COLD_MS;
    }
    await proxy.close();
    return {
      conversations: ledger.map((usages) => ({ usages })),
      ...readRecords(join(folder, 'records.jsonl')),
    };
  } finally {
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface ProxyPlace {
  readonly url: string;
  readonly folder: string;
  readonly clock: { readonly now: () => number; readonly wallClock: () => number };
}

async function startMoneyProxy(
  { mode, cachedInput }: MoneyCell,
  arm: Arm,
  { url, folder, clock }: ProxyPlace,
) {
  const prices = join(folder, 'prices.json');
  const rates = ratesOf(mode, cachedInput);
  writeFileSync(prices, JSON.stringify({ currency: 'USD', models: { [mode.model]: rates } }));
  const outcome = readConfig({
    environment: {
      PROXY_SERVER_PORT: '0',
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: url,
      PROXY_UPSTREAMS_OPENAI_BASE_URL: url,
      PROXY_TOOLS_STRATEGY: 'tool-search',
      PROXY_PAGE_PRICES_FILE: prices,
      PROXY_PAGE_ENABLED: 'false',
      PROXY_RECORDS_FILE: join(folder, 'records.jsonl'),
      ...mode.settings,
      ...ARM_SETTINGS[arm],
    },
  });
  if (!outcome.ok) throw new InputError(outcome.problems.join('\n'));
  return startProxy(outcome.config, { ...systemEffects(() => {}), ...clock });
}

/** A client in one conversation. */
interface Sender {
  readonly url: string;
  readonly client: MoneyClient;
  readonly head: ClientHead;
  /** The place of the conversation among the recordings. */
  readonly place: number;
}

/** Plays one conversation to its end; the recorded results answer the calls in order. */
async function converse(sender: Sender, { id, turns }: ConversationLine): Promise<void> {
  const { client, head } = sender;
  const history: unknown[] = [];
  for (const { user, steps } of turns) {
    history.push(client.user(user));
    const waiting = steps.flat();
    for (;;) {
      const { items, calls } = client.read(await post(sender, id, client.write(head, history)));
      history.push(...items);
      if (calls.length === 0) break;
      history.push(
        ...client.results(calls.map((call) => ({ id: call.id, text: resultOf(call.name, waiting, id) }))),
      );
    }
    if (waiting.length > 0) throw new Error(`${id}: ${waiting[0]!.name} was not called`);
  }
}

function resultOf(name: string, waiting: RecordedCall[], id: string): string {
  const call = waiting.shift();
  if (call?.name !== name) throw new Error(`${id}: ${name} was called instead of ${call?.name}`);
  return call.result || '(empty)';
}

async function post({ url, client: { path, headers }, place }: Sender, id: string, body: object) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [RECORDING_HEADER]: String(place), ...headers },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${id}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text) as Record<string, unknown>;
}

const SENTENCE = 'Answer briefly, check every figure twice, and ask before anything is changed for good. ';

/** Returns a system prompt of this many tokens, at four bytes each, that names no tool. */
function systemPrompt(tokens: number): string {
  return SENTENCE.repeat(Math.ceil((4 * tokens) / SENTENCE.length)).slice(0, 4 * tokens);
}

function readRecords(file: string): Pick<Replay, 'deferred' | 'estimated'> {
  const records = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"event":"exchange"'))
    .map((line) => JSON.parse(line) as { planReason: string; bills?: { direct: number; deferred: number } });
  const last = records.slice(-Math.ceil(records.length / 4));
  const bills = records.findLast((record) => record.bills)?.bills;
  return {
    deferred: last.filter(({ planReason }) => planReason === 'deferred').length / last.length,
    estimated: bills && bills.deferred / bills.direct,
  };
}
