import Anthropic from '@anthropic-ai/sdk';
import { systemEffects } from '@winnow/proxy';
import {
  answer,
  callTool,
  createGate,
  type Model,
  type ReceivedRequest,
  type ScriptedAnswer,
  say,
  startUpstream,
  think,
  waitFor,
} from '@winnow/testkit';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FEW_TOOLS, type WireFormat } from './raw-client.ts';
import { recordsOf, type Stack, startStack } from './start-stack.ts';

const SEARCH_TOOL = 'gateway_search_tools';
const MODEL = { openai: 'gpt-test', anthropic: 'claude-opus-4-5' } as const;

/** What is wrong with a round. The official clients wait as long as `retry-after-ms` says. */
const RETRY = { 'retry-after-ms': '1', 'retry-after': '1' };
const FAILURES = {
  '429': { kind: 'error', status: 429, errorType: 'rate_limit_error', headers: RETRY },
  '500': { kind: 'error', status: 500, errorType: 'api_error', headers: { 'retry-after-ms': '1' } },
  '503': { kind: 'error', status: 503, errorType: 'api_error', headers: { 'retry-after-ms': '1' } },
  '529': { kind: 'error', status: 529, errorType: 'overloaded_error', headers: { 'retry-after-ms': '1' } },
  '400': { kind: 'error', status: 400, errorType: 'invalid_request_error' },
  reset: { kind: 'hang-up' },
} as const satisfies Record<string, ScriptedAnswer>;
type Failure = keyof typeof FAILURES;
const FAILURE_NAMES = Object.keys(FAILURES) as Failure[];

const VISIBLE = { nothing: [], text: [say('Let me see. ')], thinking: [think('hm')] } as const;
type Visible = keyof typeof VISIBLE;

/** The number of the round that a request is for: one more than searches that were answered in it. */
function roundOf({ text }: Pick<ReceivedRequest, 'text'>): number {
  return 1 + (text.match(/"role":"tool"|"type":"tool_result"/g) ?? []).length;
}

/** A model that searches in each round until one fails; a request without the search tool gets an answer at once. */
function failingModel(
  failure: ScriptedAnswer,
  { round, visible }: { round: number; visible: Visible },
): Model {
  return (_, request) => {
    if (!request.text.includes(SEARCH_TOOL)) return answer([say('All tools were there.')]);
    if (roundOf(request) >= round) return failure;
    return answer([...VISIBLE[visible], callTool(SEARCH_TOOL, { query: FEW_TOOLS[9]!.name })]);
  };
}

/** What a client has at the end: its text, or the error that it throws. */
interface Outcome {
  readonly text?: string;
  readonly error?: { readonly name: string; readonly status: unknown; readonly words: string };
}

async function ask(format: WireFormat, baseUrl: string, isStream: boolean): Promise<Outcome> {
  try {
    return { text: await (format === 'openai' ? askOpenAI : askAnthropic)(baseUrl, isStream) };
  } catch (error) {
    const { name, status, message } = error as Error & { status?: number };
    const words = `${message} ${JSON.stringify((error as { error?: unknown }).error)}`.replaceAll(
      /req_\d+/g,
      '',
    );
    return { error: { name: (error as Error).constructor.name || name, status, words } };
  }
}

async function askOpenAI(baseUrl: string, isStream: boolean): Promise<string> {
  const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: 'key' });
  const request = {
    model: MODEL.openai,
    messages: [{ role: 'user' as const, content: 'Do it.' }],
    tools: FEW_TOOLS.map((tool) => ({ type: 'function' as const, function: { ...tool } })),
  };
  if (!isStream) return (await client.chat.completions.create(request)).choices[0]!.message.content ?? '';
  let text = '';
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
    text += chunk.choices[0]?.delta.content ?? '';
  }
  return text;
}

async function askAnthropic(baseUrl: string, isStream: boolean): Promise<string> {
  const client = new Anthropic({ baseURL: baseUrl, apiKey: 'key' });
  const request = {
    model: MODEL.anthropic,
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Do it.' }],
    tools: FEW_TOOLS.map(({ name, description, parameters }) => ({
      name,
      description,
      input_schema: parameters as { type: 'object' },
    })),
  };
  const message = isStream
    ? await client.messages.stream(request).finalMessage()
    : await client.messages.create(request);
  return message.content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
}

/** Waits of the proxy are over at once; clients wait for no heartbeat. */
function impatient() {
  const { every } = systemEffects(() => {});
  return { every: (ms: number, callBack: () => void) => every(ms < 15_000 ? 1 : ms, callBack) };
}

async function startFailing(model: Model, settings: Record<string, string> = {}): Promise<Stack> {
  return startStack({
    model,
    isLenient: true,
    effects: impatient(),
    settings: { PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search', ...settings },
  });
}

/** How a client ends whose upstream always fails like this. */
async function askDirectly(format: WireFormat, failure: Failure, isStream: boolean): Promise<Outcome> {
  const upstream = await startUpstream({ model: () => FAILURES[failure], isLenient: true });
  onTestFinished(() => upstream.close());
  return ask(format, upstream.url, isStream);
}

const FORMATS = ['openai', 'anthropic'] as const;

/** One way for a later round to go wrong for good. */
interface Cell {
  readonly format: WireFormat;
  readonly isStream: boolean;
  readonly visible: Visible;
  readonly round: number;
}

const cells: readonly Cell[] = FORMATS.flatMap((format) =>
  [false, true].flatMap((isStream) =>
    (Object.keys(VISIBLE) as Visible[]).flatMap((visible) =>
      [2, 3].map((round) => ({ format, isStream, visible, round })),
    ),
  ),
);

/** Whether the client has got the head of its response when the round fails: then it can only be told in the stream. */
const hasHead = ({ isStream, visible }: Cell) => isStream && visible !== 'nothing';

const withFailures = (wanted: boolean) =>
  FAILURE_NAMES.flatMap((failure) =>
    cells.filter((cell) => hasHead(cell) === wanted).map((cell) => ({ ...cell, failure })),
  );

test('every cell is there: formats, whole and streamed, what is visible, failures, rounds', () => {
  expect(withFailures(true).length + withFailures(false).length).toBe(2 * 2 * 3 * 6 * 2);
});

describe('a later round that goes on failing, before the client has got a head', () => {
  test.each(withFailures(false))(
    'ends as it does without Winnow: $format, stream $isStream, $visible visible, $failure in round $round',
    async ({ format, failure, round, isStream, visible }) => {
      const stack = await startFailing(failingModel(FAILURES[failure], { round, visible }));
      const through = await ask(format, stack.proxyUrl, isStream);
      if (failure === '400') {
        expect(through).toEqual({ text: 'All tools were there.' });
        expect(stack.records).toMatchObject([{ restoredBecause: 'later_round_failed', outcome: 'answered' }]);
        return;
      }
      const direct = await askDirectly(format, failure, isStream);
      expect(direct.error).toBeDefined();
      if (failure === 'reset') expect(through.error?.status).toBe(502);
      else expect(through.error).toEqual(direct.error);
      expect(JSON.stringify(through)).not.toContain(SEARCH_TOOL);
      // Two repetitions of the official clients, and as many of the proxy's for each of their requests.
      await recordsOf(stack, 3);
      const bad =
        failure === 'reset' ? { reason: 'unreachable' } : { reason: 'refused', status: Number(failure) };
      expect(stack.records.map(({ failedRounds }) => failedRounds)).toMatchObject(
        Array.from({ length: 3 }, () => Array.from({ length: 3 }, () => ({ ...bad, round }))),
      );
      expect(stack.records.every(({ restoredBecause }) => restoredBecause === undefined)).toBe(true);
    },
  );
});

describe('a later round that goes on failing, behind a head', () => {
  test.each(withFailures(true))(
    "ends with the upstream's own error: $format, $visible visible, $failure in round $round",
    async ({ format, failure, round, visible }) => {
      const stack = await startFailing(failingModel(FAILURES[failure], { round, visible }));
      const { error } = await ask(format, stack.proxyUrl, true);
      const { errorType } = { errorType: undefined, ...FAILURES[failure] };
      expect(error?.words).toMatch(new RegExp(errorType ?? 'could not be reached'));
      expect(error?.words).not.toContain(SEARCH_TOOL);
      expect(error?.words).not.toContain('stopped answering');
      await recordsOf(stack, 1);
      expect(stack.records[0]).toMatchObject({ outcome: 'failed', status: 200 });
      expect(stack.records[0]!.failedRounds).toHaveLength(failure === '400' ? 1 : 3);
      expect(stack.records[0]!.failedRounds!.every((failed) => failed.round === round)).toBe(true);
    },
  );
});

/** How long the upstream may be silent in these tests: longer than any round that speaks takes on a busy machine. */
const IDLE_MS = 2_000;

// All cells of a format at once, as each of them has to be waited for.
test.each(FORMATS)(
  '%s: a later round in which nothing comes for idle_timeout is asked for again, and then given up',
  async (format) => {
    const never = createGate();
    const silence = answer([say(waitFor(never), 'never')]);
    const name = `PROXY_UPSTREAMS_${format.toUpperCase()}`;
    const ended = await Promise.all(
      cells
        .filter((cell) => cell.format === format)
        .map(async (cell) => {
          const stack = await startFailing(failingModel(silence, cell), {
            [`${name}_IDLE_TIMEOUT`]: `${IDLE_MS}ms`,
            [`${name}_RETRY_ATTEMPTS`]: '1',
          });
          return { cell, stack, error: (await ask(format, stack.proxyUrl, cell.isStream)).error };
        }),
    );
    for (const { cell, stack, error } of ended) {
      const requests = hasHead(cell) ? 1 : 3;
      await recordsOf(stack, requests);
      const what = JSON.stringify(cell);
      expect(stack.records.length, what).toBe(requests);
      expect(error?.status, what).toBe(hasHead(cell) ? undefined : 502);
      expect(error?.words, what).not.toContain(SEARCH_TOOL);
      // The start of a block is passed on at once behind a head: what the client has of a round cannot be asked for again.
      const tries = hasHead(cell) && format === 'anthropic' ? 1 : 2;
      for (const { outcome, failedRounds } of stack.records) {
        expect([outcome, failedRounds?.map(({ round }) => round)], what).toEqual([
          'failed',
          Array.from({ length: tries }, () => cell.round),
        ]);
        expect(['unreachable', 'truncated'], what).toContain(failedRounds![0]!.reason);
      }
    }
    never.open();
  },
  60_000,
);

describe.each(FORMATS)('%s: a later round that fails once', (format) => {
  test.each(
    FAILURE_NAMES.filter((failure) => failure !== '400').flatMap((failure) =>
      (Object.keys(VISIBLE) as Visible[]).map((visible) => ({ failure, visible })),
    ),
  )('is asked for again, unnoticed: $failure with $visible visible', async ({ failure, visible }) => {
    let failed = 0;
    const failing = failingModel(FAILURES[failure], { round: 2, visible });
    const stack = await startFailing((conversation, request) => {
      if (roundOf(request) < 2) return failing(conversation, request);
      return failed++ === 0 ? failing(conversation, request) : answer([say('Done.')]);
    });
    for (const isStream of [true, false]) {
      failed = 0;
      expect((await ask(format, stack.proxyUrl, isStream)).text).toMatch(/Done\.$/);
    }
    await recordsOf(stack, 2);
    expect(stack.records).toMatchObject([
      { outcome: 'answered', failedRounds: [{ round: 2 }], upstreamCalls: 3 },
      { outcome: 'answered', failedRounds: [{ round: 2 }], upstreamCalls: 3 },
    ]);
  });

  test('in the middle of its response, and of which nothing shows, is asked for again', async () => {
    let tries = 0;
    const stack = await startFailing((_, request) => {
      if (roundOf(request) < 2) return answer([callTool(SEARCH_TOOL, { query: FEW_TOOLS[9]!.name })]);
      return tries++ === 0 ? answer([{ type: 'destroy' }]) : answer([say('Done.')]);
    });
    expect(await ask(format, stack.proxyUrl, true)).toEqual({ text: 'Done.' });
    await recordsOf(stack, 1);
    expect(stack.records[0]!.failedRounds).toMatchObject([{ round: 2, reason: 'truncated' }]);
  });

  test('is not asked for again when the upstream wants a longer wait than the client can be kept', async () => {
    const failure = {
      kind: 'error',
      status: 429,
      headers: { 'retry-after': '60', 'retry-after-ms': '1' },
    } as const;
    const stack = await startFailing(failingModel(failure, { round: 2, visible: 'nothing' }));
    const response = await fetch(
      `${stack.proxyUrl}${format === 'openai' ? '/v1/chat/completions' : '/v1/messages'}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
        body: JSON.stringify({
          model: MODEL[format],
          max_tokens: 100,
          stream: true,
          messages: [{ role: 'user', content: 'Do it.' }],
          tools: FEW_TOOLS.map(({ name, description, parameters }) =>
            format === 'openai'
              ? { type: 'function', function: { name, description, parameters } }
              : { name, description, input_schema: parameters },
          ),
        }),
      },
    );
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('60');
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ upstreamCalls: 2, status: 429, outcome: 'answered' }]);
  });
});

test.each(FORMATS)(
  '%s: a stream that shows nothing begins with the first heartbeat, and its failure is then told in the stream',
  async (format) => {
    const gate = createGate();
    const beats: (() => void)[] = [];
    const stack = await startStack({
      isLenient: true,
      settings: {
        PROXY_PIPES_TOOL_DISCOVERY_STRATEGY: 'tool-search',
        [`PROXY_UPSTREAMS_${format.toUpperCase()}_RETRY_ATTEMPTS`]: '0',
      },
      effects: {
        every: (ms, callBack) => {
          if (ms === 15_000) beats.push(callBack);
          return () => {};
        },
      },
      model: async (_, request) => {
        if (roundOf(request) < 2) return answer([callTool(SEARCH_TOOL, { query: FEW_TOOLS[9]!.name })]);
        await gate.opened;
        return FAILURES['529'];
      },
    });
    const asked = ask(format, stack.proxyUrl, true);
    await stack.upstream.received(1);
    for (const beat of beats) beat();
    gate.open();
    const { error } = await asked;
    expect(error?.words).toMatch(/overloaded_error/);
    await recordsOf(stack, 1);
    expect(stack.records).toMatchObject([{ outcome: 'failed', status: 200 }]);
  },
);
