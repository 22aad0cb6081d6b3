import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, startProxy, systemEffects } from '@winnow/proxy';
import {
  AUTOMATIC_CACHE,
  MARKED_CACHE,
  type Model,
  PromptCache,
  playModel,
  startUpstream,
  type Usage,
  withPromptCache,
} from '@winnow/testkit';
import { InputError } from '../input-error.ts';
import type { PlayedAgent } from './agents.ts';
import { CLIENTS } from './clients.ts';

/** Caches of providers: met in their lifetime, on one of several servers, after it, or none. */
export const CACHES = ['warm', 'busy and cold', 'cold', 'none'] as const;
export type CacheKind = (typeof CACHES)[number];

/** The ways to treat conversations that are compared. */
export type Arm = 'pass' | 'defer' | 'at once' | 'auto';

/** One agent with one habit, at one provider. */
export interface MoneyCell {
  readonly agent: PlayedAgent;
  /** Tools of servers that a conversation needs, in the mean. */
  readonly searches: number;
  readonly cache: CacheKind;
}

/** A conversation as the provider saw it. */
export interface PlayedConversation {
  readonly usages: readonly Usage[];
  /** Whether its tools were deferred. */
  readonly isDeferred: boolean;
  /** The bill that the proxy expected of deferring, as a share of the direct one. */
  readonly expected: number | undefined;
}

/** Requests of a conversation: its agent calls a tool in each but the last. */
export const REQUESTS = 12;

const ARM_SETTINGS: Readonly<Record<Arm, Readonly<Record<string, string>>>> = {
  pass: { PROXY_TOOLS_STRATEGY: 'passthrough' },
  defer: { PROXY_TOOLS_GOAL: 'context' },
  // Like `defer`, with a model that searches for all its needs at once; the others search for one after another.
  'at once': { PROXY_TOOLS_GOAL: 'context' },
  auto: {},
};

const PLACE_HEADER = 'x-bench-conversation';
/** Servers of a busy provider that share no cache. */
const SERVERS = 4;

/**
 * Plays conversations of an agent one after the other through a proxy of its own, against a provider with a prompt
 * cache. Provider and proxy share a clock that moves between conversations.
 */
export async function play(cell: MoneyCell, arm: Arm, conversations: number): Promise<PlayedConversation[]> {
  const { agent, cache } = cell;
  let offset = 0;
  const clock = { now: () => performance.now() + offset, wallClock: () => Date.now() + offset };
  const ledger = Array.from({ length: conversations }, (): Usage[] => []);
  const models = ledger.map((_, at) => playModel({ ...planOf(cell, at), plansAhead: arm === 'at once' }));
  const model: Model = (conversation, request) =>
    models[Number(request.headers[PLACE_HEADER])]!(conversation, request);
  const upstream = await startUpstream({
    model: cachedModel(model, cell, clock.now, (usage, at) => ledger[at]!.push(usage)),
    keeps: () => false,
    isLenient: true,
  });
  const folder = mkdtempSync(join(tmpdir(), 'bench-money-'));
  const records = join(folder, 'records.jsonl');
  try {
    const proxy = await startMoneyProxy(arm, { url: upstream.url, records, clock });
    for (let at = 0; at < conversations; at++) {
      await converse(proxy.url, agent, at);
      offset += cache === 'cold' ? 3_600_000 : 10_000;
    }
    await proxy.close();
    const first = readFileSync(records, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"event":"exchange"'))
      .map((line) => JSON.parse(line) as { planReason: string; expected?: { bill: number } })
      .filter((_, at) => at % REQUESTS === 0);
    return ledger.map((usages, at) => ({
      usages,
      isDeferred: first[at]?.planReason === 'deferred',
      expected: first[at]?.expected?.bill,
    }));
  } finally {
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns what the agent's model does in a conversation: it works with files, and needs a tool of a server at times. */
function planOf({ agent, searches }: MoneyCell, at: number): Parameters<typeof playModel>[0] {
  const before = Math.floor(at * searches);
  const needs = Math.floor((at + 1) * searches) - before;
  const steps = Array.from({ length: REQUESTS - 1 }, (_, step) => {
    const need =
      Math.floor(((step + 1) * needs) / (REQUESTS - 1)) - Math.floor((step * needs) / (REQUESTS - 1));
    const name = need > 0 ? agent.ofServers[(7 * (before + step)) % agent.ofServers.length]! : agent.reads;
    const { description } = agent.tools.find((tool) => tool.name === name)!;
    const input = { path: `src/part-${at}-${step}.ts` };
    return { searchFor: [description.split('.', 1)[0]!], thenCall: [{ name, input }] };
  });
  return { searchesAgain: true, turns: [{ steps, answer: 'It is done, and the tests pass.' }] };
}

function cachedModel(
  model: Model,
  { agent, cache }: MoneyCell,
  now: () => number,
  onUsage: (usage: Usage, at: number) => void,
): Model {
  const rules = agent.client === 'messages' ? MARKED_CACHE : AUTOMATIC_CACHE;
  const minimumTokens = cache === 'none' ? Number.POSITIVE_INFINITY : rules.minimumTokens;
  const servers = Array.from({ length: cache === 'busy and cold' ? SERVERS : 1 }, () =>
    withPromptCache(model, new PromptCache({ ...rules, minimumTokens }, now), (usage, { headers }) =>
      onUsage(usage, Number(headers[PLACE_HEADER])),
    ),
  );
  let turn = 1;
  return (conversation, request) => {
    // Multiplies by a primitive root, so that requests of a conversation meet the servers without order.
    turn = (turn * 16_807) % 2_147_483_647;
    return servers[turn % servers.length]!(conversation, request);
  };
}

async function startMoneyProxy(
  arm: Arm,
  place: {
    readonly url: string;
    readonly records: string;
    readonly clock: { readonly now: () => number; readonly wallClock: () => number };
  },
) {
  const outcome = readConfig({
    environment: {
      PROXY_SERVER_PORT: '0',
      PROXY_UPSTREAMS_ANTHROPIC_BASE_URL: place.url,
      PROXY_UPSTREAMS_OPENAI_BASE_URL: place.url,
      PROXY_UPSTREAMS_GEMINI_BASE_URL: place.url,
      PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'native',
      PROXY_TOOLS_STRATEGY: 'tool-search',
      PROXY_PAGE_ENABLED: 'false',
      PROXY_RECORDS_FILE: place.records,
      ...ARM_SETTINGS[arm],
    },
  });
  if (!outcome.ok) throw new InputError(outcome.problems.join('\n'));
  return startProxy(outcome.config, { ...systemEffects(() => {}), ...place.clock });
}

/** The text of a file or a result, some 500 tokens. */
const RESULT = 'const total = orders.reduce((sum, order) => sum + order.price, 0);\n'.repeat(30);

/** Plays one conversation to its end. */
async function converse(
  url: string,
  { client: name, model, system, tools, ...agent }: PlayedAgent,
  at: number,
) {
  const client = CLIENTS[name];
  const head = { model, system, tools };
  const history: unknown[] = [client.user(`Task ${at}: the totals of the orders are wrong, mend them.`)];
  for (let request = 1; ; request++) {
    const response = await fetch(`${url}${client.path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `${agent.name.replaceAll(' ', '-')}/1.0`,
        [PLACE_HEADER]: String(at),
        ...client.headers,
      },
      body: JSON.stringify(client.write(head, history)),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${agent.name}: ${response.status} ${text.slice(0, 500)}`);
    const { items, calls } = client.read(JSON.parse(text) as Record<string, unknown>);
    history.push(...items);
    if (calls.length === 0) {
      if (request !== REQUESTS) throw new Error(`${agent.name}: ${request} requests in conversation ${at}`);
      return;
    }
    history.push(...client.results(calls.map((call) => ({ ...call, text: RESULT }))));
  }
}
