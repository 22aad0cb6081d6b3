import Anthropic from '@anthropic-ai/sdk';
import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { type ModelPlan, playModel, startUpstream } from '@winnow/testkit';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runTool } from './clients/test-client.ts';
import { TOOLS } from './conversation-plan.ts';
import type { WireFormat } from './raw-client.ts';
import { recordsOf, startStack } from './start-stack.ts';

/** The share of the model's window at which agents compact the history, by the reported usage. */
const WINDOW_TOKENS = 200_000;
const COMPACTS_AT_TOKENS = 0.8 * WINDOW_TOKENS;

/** The upstream counts a token for four bytes: 60,000 tokens that every request contains. */
const SYSTEM = 'Keep to the rules of the house. '.repeat(7_500);

/** Each turn of the user takes four searches in a row before the tool that it needs is called. */
const PLAN: ModelPlan = {
  turns: [3, 25, 32].map((needed, turn) => ({
    steps: [
      {
        searchFor: [
          `zzqx ${turn}`,
          ...[4, 5, 6].map((at) => TOOLS[at + 7 * turn]!.name),
          TOOLS[needed]!.name,
        ],
        thenCall: [{ name: TOOLS[needed]!.name, input: { turn } }],
      },
    ],
  })),
};
const USER_MESSAGES = PLAN.turns.map((_, turn) => `Message ${turn + 1}: do it.`);

/** An agent's view: the context size after each response, and the number of compactions. */
interface Run {
  readonly readings: readonly number[];
  readonly compactions: number;
}

/** The data that an agent reads from one response. */
interface Step<Message> {
  /** Tokens in the context, as the agent computes them from the usage. */
  readonly reading: number;
  /** Messages for the history: the response, and the results of its calls. */
  readonly messages: readonly Message[];
  readonly hasCalls: boolean;
}

async function runAgent<Message>(
  ask: (messages: readonly Message[]) => Promise<Step<Message>>,
  say: (text: string) => Message,
): Promise<Run> {
  const messages: Message[] = [];
  const readings: number[] = [];
  for (const text of USER_MESSAGES) {
    messages.push(say(text));
    for (let hasCalls = true; hasCalls; ) {
      const step = await ask(messages);
      messages.push(...step.messages);
      readings.push(step.reading);
      hasCalls = step.hasCalls;
    }
  }
  return { readings, compactions: readings.filter((reading) => reading > COMPACTS_AT_TOKENS).length };
}

function runOpenAI(url: string, isStream: boolean): Promise<Run> {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'key' });
  const tools = TOOLS.map((tool) => ({ type: 'function' as const, function: { ...tool } }));
  return runAgent<ChatCompletionMessageParam>(
    async (messages) => {
      const all = [{ role: 'system' as const, content: SYSTEM }, ...messages];
      const body = { model: 'gpt-test', messages: all, tools };
      const { choices, usage } = isStream
        ? await client.chat.completions
            .stream({ ...body, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await client.chat.completions.create(body);
      const { message } = choices[0]!;
      const results = (message.tool_calls ?? []).flatMap((call) =>
        call.type === 'function'
          ? [{ role: 'tool' as const, tool_call_id: call.id, content: runTool(call.function.name, {}) }]
          : [],
      );
      return {
        reading: usage!.total_tokens,
        messages: [message, ...results],
        hasCalls: results.length > 0,
      };
    },
    (content) => ({ role: 'user', content }),
  );
}

/**
 * Reads the usage as agents do: at the start of a stream, while the response is being written, and at its
 * end.
 */
function runAnthropic(url: string, isStream: boolean): Promise<Run> {
  const client = new Anthropic({ baseURL: url, apiKey: 'key' });
  const tools = TOOLS.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters as { type: 'object' },
  }));
  return runAgent<MessageParam>(
    async (messages) => {
      const body = {
        model: 'claude-sonnet-4-20250514',
        max_tokens: 1_000,
        system: SYSTEM,
        tools,
        messages: [...messages],
      };
      let atStart: Anthropic.Usage | undefined;
      const stream = isStream ? client.messages.stream(body) : undefined;
      stream?.on('streamEvent', (event) => {
        if (event.type === 'message_start') atStart = { ...event.message.usage };
      });
      const { content, usage } = stream ? await stream.finalMessage() : await client.messages.create(body);
      const readings = [usage, ...(atStart ? [atStart] : [])].map(
        ({ input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens }) =>
          input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0) + output_tokens,
      );
      const results = content.flatMap((block) =>
        block.type === 'tool_use'
          ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: runTool(block.name, {}) }]
          : [],
      );
      return {
        reading: Math.max(...readings),
        messages: [
          { role: 'assistant', content },
          ...(results.length > 0 ? [{ role: 'user' as const, content: results }] : []),
        ],
        hasCalls: results.length > 0,
      };
    },
    (content) => ({ role: 'user', content }),
  );
}

const AGENTS: Readonly<Record<WireFormat, typeof runOpenAI>> = {
  openai: runOpenAI,
  anthropic: runAnthropic,
};

const cells = (['openai', 'anthropic'] as const).flatMap((format) =>
  [false, true].map((isStream) => ({ format, isStream })),
);

describe('the context meter of an agent with a window of 200,000 tokens', () => {
  async function measure(format: WireFormat, isStream: boolean) {
    const model = playModel(PLAN);
    const upstream = await startUpstream({ model });
    onTestFinished(() => upstream.close());
    const stack = await startStack({ model });
    const direct = await AGENTS[format](upstream.url, isStream);
    const through = await AGENTS[format](stack.proxyUrl, isStream);
    await recordsOf(stack, through.readings.length);
    return { stack, direct, through };
  }

  test.each(cells)(
    'does not move when searches happen: $format, stream $isStream',
    async ({ format, isStream }) => {
      const { stack, direct, through } = await measure(format, isStream);
      expect(stack.records.filter(({ searches }) => searches.length >= 4).length).toBe(USER_MESSAGES.length);
      expect(direct.compactions + through.compactions).toBe(0);
      expect(through.readings.length).toBe(direct.readings.length);
      // The hidden turns in the history take less than the deferred definitions would.
      for (const [at, reading] of through.readings.entries()) {
        expect(Math.abs(reading - direct.readings[at]!), `response ${at}`).toBeLessThan(0.06 * 60_000);
      }
    },
  );
});
