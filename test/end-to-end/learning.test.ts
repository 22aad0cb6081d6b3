/**
 * @module-tag redis
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { playModel, type RedisServer, startRedis } from '@winnow/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { selects, startFakeSelector } from './fake-selector.ts';
import { bodyOf, FEW_TOOLS, type RawRequest, send } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const WANTED = FEW_TOOLS[9]!.name;
const MARK = 'plugh7f3a9';
/** Words of a user and of a model that must be written nowhere. */
const USER = `xyzzy${MARK} please, for the ${MARK}user`;
const SEARCH_MARK = 'frotz81c2';
const QUERY = `find${SEARCH_MARK} something${SEARCH_MARK}`;

const searchesFirst = playModel({
  turns: [
    { steps: [{ searchFor: [QUERY], thenCall: [{ name: WANTED, input: {} }] }], answer: `said${MARK}` },
  ],
});

const TOKENS = ['a', 'b', 'c', 'd'].map((name) => `team-${name}:token-of-${name}`);
const DAY_MS = 86_400_000;

let redis: RedisServer;
beforeAll(async () => {
  redis = await startRedis();
});
afterAll(() => redis.close());

/** A proxy that learns, with its files, and a clock and timers of the test's own. */
async function startLearning(settings: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-learning-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const ticks: (() => void)[] = [];
  let wallMs = Date.now();
  const stack = await startStack({
    model: searchesFirst,
    isLenient: true,
    selectorUrl: await startFakeSelector(selects(WANTED)),
    effects: {
      wallClock: () => wallMs,
      every: (intervalMs, callBack) => {
        if (intervalMs === 60_000) ticks.push(callBack);
        const timer = setInterval(callBack, intervalMs);
        return () => clearInterval(timer);
      },
    },
    settings: {
      PROXY_SERVER_TOKENS: TOKENS.join(),
      PROXY_TOOLS_PRELOAD: '0',
      // A tool that is loaded natively stays deferred in the list of tools.
      PROXY_UPSTREAMS_ANTHROPIC_LOAD: 'native',
      PROXY_SESSIONS_STORE: 'redis',
      PROXY_SESSIONS_SECRET: 'of-this-test',
      PROXY_REDIS_URL: redis.url,
      PROXY_REDIS_TIMEOUT: '10s',
      PROXY_REDIS_KEY_PREFIX: `${crypto.randomUUID()}:`,
      PROXY_RECORDS_FILE: join(folder, 'records.jsonl'),
      PROXY_LEARNING_MODE: 'apply',
      PROXY_LEARNING_FILE: join(folder, 'learned.json'),
      PROXY_LEARNING_ALLOW: WANTED,
      ...settings,
    },
  });
  const tick = () => {
    for (const callBack of ticks) callBack();
  };
  return {
    folder,
    stack,
    /** Lets a minute pass, of a day that is some days later. */
    tick: (days = 0) => {
      wallMs += days * DAY_MS;
      tick();
    },
  };
}

/** Sends the first request of a conversation. */
async function begin(stack: Stack, at: number, token: string, user = `${USER} ${at}`) {
  const before = stack.records.length;
  const request: RawRequest = { format: 'anthropic', url: stack.proxyUrl, user, headers: headersOf(token) };
  const response = await send(request);
  const content = ((await response.json()) as { content: unknown[] }).content;
  await recordsOf(stack, before + 1);
  return { user, token, content, visible: visibleIn(stack) };
}

/** Sends its second request, with a result of its call. */
async function goOn(stack: Stack, { user, token, content }: Awaited<ReturnType<typeof begin>>) {
  const before = stack.records.length;
  const call = content.find((block) => (block as { type: string }).type === 'tool_use') as { id: string };
  const request: RawRequest = { format: 'anthropic', url: stack.proxyUrl, user, headers: headersOf(token) };
  const body = JSON.parse(bodyOf(request));
  const result = { type: 'tool_result', tool_use_id: call.id, content: `result${MARK}` };
  body.messages.push({ role: 'assistant', content }, { role: 'user', content: [result] });
  await (await send(request, JSON.stringify(body))).text();
  await recordsOf(stack, before + 1);
  return visibleIn(stack);
}

const headersOf = (token: string) => ({ 'user-agent': 'coder/1.2', 'x-winnow-token': token });

/** The names of the tools that the upstream got first in the last exchange, as they were. */
function visibleIn({ upstream, records }: Stack): string[] {
  const sent = upstream.requests.at(-records.at(-1)!.upstreamCalls)!;
  return (JSON.parse(sent.text).tools as { name: string; defer_loading?: boolean }[])
    .filter(({ defer_loading: isDeferred }) => !isDeferred)
    .map(({ name }) => name);
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const tokenOf = (at: number) => TOKENS[at % TOKENS.length]!.split(':')[1]!;

async function aDay(stack: Stack, tokenAt: (at: number) => string = tokenOf): Promise<void> {
  for (let first = 0; first < 60; first += 10) {
    const conversations = Array.from({ length: 10 }, async (_, place) => {
      const user = `${USER} ${first + place}`;
      const headers = headersOf(tokenAt(first + place));
      await (await send({ format: 'anthropic', url: stack.proxyUrl, user, headers })).text();
    });
    await Promise.all(conversations);
  }
  await recordsOf(stack, 60);
  // Records reach the file ten times a second.
  await new Promise((resolve) => setTimeout(resolve, 300));
}

const applied = ({ events }: Stack) => events.filter(({ event }) => event === 'learning_applied');

describe('applied learning', () => {
  test('keeps a tool in new conversations only, says why, and is taken back by one command', async () => {
    const { stack, folder, tick } = await startLearning();
    await aDay(stack);
    const early = await begin(stack, 1_000, tokenOf(0));
    expect(early.visible).not.toContain(WANTED);
    tick(1);
    await until(() => applied(stack).length > 0);
    expect(applied(stack)[0]).toMatchObject({
      agent: 'coder',
      upstream: 'anthropic',
      kept: [
        {
          name: WANTED,
          because: 'needed',
          evidence: expect.stringMatching(/^called in 61 of 61 conversations, by 4 clients/),
        },
      ],
      words: [0, 2],
    });
    // A conversation under way keeps its head; one that begins has the tool, until the next application.
    expect(await goOn(stack, early)).not.toContain(WANTED);
    const late = await begin(stack, 1_001, tokenOf(1));
    expect(late.visible).toContain(WANTED);
    tick();
    expect((await begin(stack, 1_002, tokenOf(2))).visible).toEqual(late.visible);

    const report = fileURLToPath(new URL('../../apps/report/src/main.ts', import.meta.url));
    const said = execFileSync(process.execPath, [report, '--forget', join(folder, 'learned.json')]);
    expect(said.toString()).toContain(WANTED);
    tick();
    await until(() => applied(stack).length > 1);
    expect(applied(stack)[1]).toMatchObject({ kept: [], released: [WANTED] });
    expect((await begin(stack, 1_003, tokenOf(3))).visible).not.toContain(WANTED);
    expect(await goOn(stack, late)).toContain(WANTED);
  });

  test('follows no client alone, and no popularity without leave', async () => {
    const [alone, forbidden] = [
      await startLearning(),
      await startLearning({ PROXY_LEARNING_ALLOW: 'other_*' }),
    ];
    await aDay(alone.stack, () => tokenOf(0));
    await aDay(forbidden.stack);
    for (const { stack, folder, tick } of [alone, forbidden]) {
      tick(1);
      // What it learns is written last, and this much time is enough for what it must not write.
      await until(() => readdirSync(folder).includes('records.jsonl'));
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(applied(stack).flatMap(({ kept }) => kept as unknown[])).toEqual([]);
      expect((await begin(stack, 1_000, tokenOf(1))).visible).not.toContain(WANTED);
    }
  });
});

test('no word of a user or a model is written with content off, but hidden searches in the session store', async () => {
  const { stack, folder, tick } = await startLearning();
  await aDay(stack);
  tick(1);
  await until(() => applied(stack).length > 0);
  await goOn(stack, await begin(stack, 1_000, tokenOf(0)));
  const stored = await redis.ask(
    'EVAL',
    `local all = {}
     for _, key in ipairs(redis.call('KEYS', '*')) do
       table.insert(all, key)
       local kind = redis.call('TYPE', key).ok
       local found = kind == 'string' and { redis.call('GET', key) } or kind == 'hash' and redis.call('HGETALL', key)
         or kind == 'zset' and redis.call('ZRANGE', key, 0, -1) or kind == 'list' and redis.call('LRANGE', key, 0, -1) or {}
       for _, value in ipairs(found) do table.insert(all, value) end
     end
     return all`,
    '0',
  );
  const files = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  const logs = JSON.stringify([stack.records, stack.lists, stack.events]);
  const places = [...files, ['the log', logs], ['Redis', stored]] as [string, string][];
  expect(places.map(([name]) => name).sort()).toEqual(['Redis', 'learned.json', 'records.jsonl', 'the log']);
  for (const [name, text] of places)
    expect({ name, isEmpty: text.length < 100 }).toEqual({ name, isEmpty: false });
  const withMark = (mark: string) => places.filter(([, text]) => text.includes(mark)).map(([name]) => name);
  expect(withMark(MARK)).toEqual([]);
  // A hidden search goes back to the model in the next turn, and the client does not know it.
  expect(withMark(SEARCH_MARK)).toEqual(['Redis']);
  // The words are there by their hashes: what was learned works without them.
  const learned = JSON.parse(readFileSync(join(folder, 'learned.json'), 'utf8'));
  expect(learned.agents[0].words[WANTED]).toEqual([
    expect.stringMatching(/^#[\w-]{12}$/),
    expect.stringMatching(/^#[\w-]{12}$/),
  ]);
});
