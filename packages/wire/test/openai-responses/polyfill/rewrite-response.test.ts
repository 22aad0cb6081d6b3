import { describe, expect, inject, test } from 'vitest';
import type { ResponseJoiner } from '../../../src/format/response-joiner.ts';
import type { Plan, RequestView } from '../../../src/format/view.ts';
import type { WireEvent } from '../../../src/framing/framing.ts';
import { sse } from '../../../src/framing/sse.ts';
import { RewritingJoiner } from '../../../src/joining/rewrite-joined.ts';
import { openaiResponses } from '../../../src/openai-responses/openai-responses.ts';
import { fn, viewOf } from '../exchange.ts';
import {
  call,
  eventsOf,
  type Item,
  message,
  reasoning,
  toSse,
  type Written,
  writeResponse,
} from '../write-response.ts';

const SEARCH = {
  type: 'tool_search',
  execution: 'client',
  description: 'Finds.',
  parameters: { type: 'object' },
};
const TOOLS = [fn('a'), SEARCH, { type: 'namespace', name: 'mail', tools: [fn('send')] }];
const REQUEST = { tools: TOOLS, tool_choice: 'auto', stream: true };
const PLAN: Plan = { loadMode: 'swap', defer: [], load: [], searchTool: undefined, reason: 'polyfilled' };

const FLAT: readonly Item[] = [
  reasoning('rs_1'),
  message('msg_1', 'I look. 👋'),
  call('fc_search_1', 'tool_search', '{"query": "mail", "limit": 12345678901234567890}'),
  call('fc_mail_1', 'mail__send', '{"to":"ada"}'),
  call('fc_a_1', 'a', '{}'),
];

function decode(text: string, cut = text.length): WireEvent[] {
  const decoder = sse.createDecoder(1_000_000);
  const bytes = Buffer.from(text);
  return [...decoder.push(bytes.subarray(0, cut)), ...decoder.push(bytes.subarray(cut)), ...decoder.end()];
}

function joinerOf(view: RequestView): ResponseJoiner {
  const { rewriter } = openaiResponses.capabilities.polyfill!(view)!;
  return new RewritingJoiner(openaiResponses.joining.joinResponses(view, PLAN), rewriter!);
}

/** Returns the client's events for a stream in two pieces. */
function streamed(text: string, cut?: number, request: object = REQUEST): Record<string, never>[] {
  const view = viewOf({ ...request });
  const joiner = joinerOf(view);
  const events = decode(text, cut).flatMap((event) => joiner.feed(event));
  const end = joiner.endRound();
  const rest = end.kind === 'failed' ? joiner.fail(end) : joiner.finish();
  return [...events, ...rest].flatMap((event) => (event.kind === 'event' ? JSON.parse(event.data) : []));
}

/** The stream of a provider that supports deferred tools. */
function nativeEvents(written: Written): Record<string, unknown>[] {
  const output = written.output.map((item): Item => {
    if (item.name === 'tool_search') {
      const { name, ...rest } = item;
      return {
        ...rest,
        id: 'tsc_search_1',
        type: 'tool_search_call',
        execution: 'client',
        arguments: JSON.parse(String(item.arguments)),
      };
    }
    return item.name === 'mail__send' ? { ...item, name: 'send', namespace: 'mail' } : item;
  });
  return eventsOf({ ...written, output }).map((event) => {
    const { item } = event as { item?: Item };
    const isSearch = item?.type === 'tool_search_call' && event.type === 'response.output_item.added';
    return isSearch ? { ...event, item: { ...item, call_id: 'call_search_1' } } : event;
  });
}

const FLAT_ECHO = { tools: [fn('a'), fn('tool_search'), fn('mail__send')], tool_choice: 'auto' };

describe('the response to a rewritten request', () => {
  const written: Written = { id: 'resp_1', output: FLAT, more: FLAT_ECHO };
  const native = nativeEvents({ ...written, more: { tools: TOOLS, tool_choice: 'auto' } });

  test('reads as that of a provider that can defer, however its stream is cut', () => {
    const text = toSse(eventsOf(written));
    const step = inject('isExhaustive') ? 1 : 97;
    for (let cut = 0; cut <= Buffer.byteLength(text); cut += step)
      expect(streamed(text, cut)).toEqual(native);
  });

  test('reads the same as one body, numbers as the model wrote them', () => {
    const rewriter = openaiResponses.capabilities.polyfill!(viewOf({ tools: TOOLS }))!.rewriter!();
    const event = rewriter.rewrite({ kind: 'whole', text: writeResponse(written).whole });
    const text = event?.kind === 'whole' ? event.text : '';
    expect(JSON.parse(text)).toEqual(native.at(-1)!.response);
    expect(text).toContain('"limit": 12345678901234567890');
  });

  test('has no gaps in its numbers, and the index of each item', () => {
    const events = streamed(toSse(eventsOf(written)));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at));
    const added = events.filter(({ type }) => type === 'response.output_item.added');
    expect(added.map(({ output_index }) => output_index)).toEqual([0, 1, 2, 3, 4]);
  });

  test('forgets a round that is abandoned, wherever it breaks off', () => {
    const view = viewOf({ ...REQUEST });
    const events = decode(toSse(eventsOf(written)));
    const play = (joiner: ResponseJoiner) => {
      const given = events.flatMap((event) => joiner.feed(event));
      joiner.endRound();
      return [...given, ...joiner.finish()];
    };
    const wanted = play(joinerOf(view));
    for (const end of events.keys()) {
      const joiner = joinerOf(view);
      for (const event of events.slice(0, end)) joiner.feed(event);
      joiner.abandonRound();
      expect(play(joiner), `after ${end} events`).toEqual(wanted);
    }
  });

  test('is joined by the index where a gateway changes ids in every event', () => {
    const events = eventsOf(written).map((event, at) => ({
      ...event,
      ...('item_id' in event && { item_id: `x${at}` }),
    }));
    expect(streamed(toSse(events)).some(({ delta }) => String(delta).includes('limit'))).toBe(false);
  });

  test.each([['oh'], ['[1]'], ['{"query":'], ['']])(
    'gives a search whose arguments are %j an empty object',
    (text) => {
      const events = streamed(toSse(eventsOf({ id: 'r', output: [call('fc_1', 'tool_search', text)] })));
      expect(events.at(-1)!.response).toMatchObject({
        output: [{ type: 'tool_search_call', arguments: {} }],
      });
    },
  );

  test('keeps a function that is merely called like the search of other requests', () => {
    const events = eventsOf({ id: 'r', output: [call('fc_1', 'tool_search', '{}')] });
    const request = {
      tools: [fn('tool_search'), { type: 'namespace', name: 'n', tools: [fn('x')] }],
      stream: true,
    };
    expect(streamed(toSse(events), undefined, request)).toEqual(events);
  });

  test('passes errors, and says of a stream that breaks off that it failed', () => {
    const error = { type: 'error', sequence_number: 0, error: { message: 'overloaded', code: null } };
    const failed = {
      type: 'response.failed',
      sequence_number: 1,
      response: { id: 'r', status: 'failed', output: [] },
    };
    expect(streamed(toSse([error, failed])).slice(-2)).toEqual([error, failed]);
    const cut = streamed(toSse(eventsOf(written).slice(0, 9)));
    expect(cut.at(-1)).toMatchObject({ type: 'response.failed', response: { id: 'resp_1', tools: TOOLS } });
  });

  test.each<[string, unknown]>([
    ['an item that is none', { type: 'response.output_item.added', output_index: 0, item: 7 }],
    ['no item', { type: 'response.output_item.done' }],
    ['a response that is none', { type: 'response.created', response: [] }],
    [
      'an odd output',
      { type: 'response.created', response: { output: [null, 7, { type: 'function_call', name: 7 }] } },
    ],
    ['an odd number', { type: 'response.output_text.delta', sequence_number: 'x' }],
    ['an unknown type', { type: 'x', output_index: {} }],
  ])('survives %s, and passes it', (_, data) => {
    const rewriter = openaiResponses.capabilities.polyfill!(viewOf({ tools: TOOLS }))!.rewriter!();
    const event = { kind: 'event', data: JSON.stringify(data) } as const;
    expect(rewriter.rewrite(event)).toEqual(event);
    expect(rewriter.rewrite({ kind: 'event', data: '{oh' })).toEqual({ kind: 'event', data: '{oh' });
  });
});
