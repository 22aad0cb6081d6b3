import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../../../src/anthropic-messages/anthropic-messages.ts';
import { joinSearches } from '../../../src/anthropic-messages/polyfill/join-searches.ts';
import type { ResponseJoiner } from '../../../src/format/response-joiner.ts';
import type { Plan, SearchResult } from '../../../src/format/view.ts';
import type { WireEvent } from '../../../src/framing/framing.ts';
import { BodyBytes } from '../../../src/json/body-bytes.ts';
import { type Exchange, testExchange } from '../../abandoned-rounds.ts';
import type { AnswerName } from '../../format-fixtures.ts';

const NOTHING: Plan = { loadMode: 'swap', defer: [], load: [], searchTool: undefined, reason: 'polyfilled' };
const REGEX = 'tool_search_tool_regex';
const FOUND: SearchResult = { callId: 'srvtoolu_1', kind: 'found', tools: [{ name: 'a', description: '' }] };

function joiner(
  isStream: boolean,
  results: readonly SearchResult[] = [],
  taken: string[] = [],
): ResponseJoiner {
  const body = { model: 'm', max_tokens: 9, stream: isStream, messages: [{ role: 'user', content: 'Go.' }] };
  const reading = anthropicMessages.reading.readRequest(new BodyBytes([Buffer.from(JSON.stringify(body))]), {
    ...{ purpose: 'answer', searchToolName: 'gateway_search_tools', path: '/v1/messages', query: '' },
  });
  if (!reading.ok) throw new Error(reading.reason);
  return joinSearches({ view: reading.view, plan: NOTHING, results, taken });
}

const event = (body: { readonly type: string }): WireEvent => ({
  kind: 'event',
  name: body.type,
  data: JSON.stringify(body),
});

/** Returns the events of a streamed response, with tool blocks in pieces, as servers send them. */
function* streamed(id: string, blocks: readonly { type: string; input?: object }[], stop: string) {
  const message = { id, type: 'message', role: 'assistant', content: [], usage: { input_tokens: 1 } };
  yield event({ type: 'message_start', message } as never);
  for (const [index, { input, ...block }] of blocks.entries()) {
    const start = { ...block, ...(input && { input: {} }) };
    yield event({ type: 'content_block_start', index, content_block: start } as never);
    for (const piece of input ? (JSON.stringify(input).match(/.{1,8}/g) ?? []) : []) {
      const delta = { type: 'input_json_delta', partial_json: piece };
      yield event({ type: 'content_block_delta', index, delta } as never);
    }
    yield event({ type: 'content_block_stop', index } as never);
  }
  yield event({ type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 1 } } as never);
  yield event({ type: 'message_stop' });
}

const search = (id: string, pattern = 'a') => ({ type: 'tool_use', id, name: REGEX, input: { pattern } });
const text = (said: string) => ({ type: 'text', text: said });
const read = (events: readonly WireEvent[]) =>
  events.map((one) => JSON.parse(one.kind === 'whole' ? one.text : one.kind === 'event' ? one.data : '{}'));

function feed(to: ResponseJoiner, events: Iterable<WireEvent>) {
  return [...events].flatMap((one) => to.feed(one));
}

describe('a joiner whose client sees searches', () => {
  test('streams a search like the vendor: its result after it, and later blocks at the next indexes', () => {
    const joined = joiner(true);
    const first = read(feed(joined, streamed('msg_1', [text('Hm.'), search('toolu_1')], 'tool_use')));
    expect(first.map(({ type, index }) => [type, index])).toEqual([
      ['message_start', undefined],
      ['content_block_start', 0],
      ['content_block_stop', 0],
      ['content_block_start', 1],
      ['content_block_delta', 1],
      ['content_block_delta', 1],
      ['content_block_stop', 1],
    ]);
    expect(first[3].content_block).toEqual({
      ...{ type: 'server_tool_use', id: 'srvtoolu_1', name: REGEX, input: {}, caller: { type: 'direct' } },
    });
    expect(joined.endRound()).toMatchObject({
      kind: 'searching',
      turn: { searches: [{ id: 'srvtoolu_1', name: REGEX, queries: ['a'], input: { pattern: 'a' } }] },
    });
    joined.takeResults([FOUND]);
    const call = { type: 'tool_use', id: 'toolu_c', name: 'a', input: { b: 1 } };
    const second = read(feed(joined, streamed('msg_2', [text('So.'), call], 'tool_use')));
    expect(second.slice(0, 3)).toEqual([
      {
        type: 'content_block_start',
        index: 2,
        content_block: {
          type: 'tool_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: {
            type: 'tool_search_tool_search_result',
            tool_references: [{ type: 'tool_reference', tool_name: 'a' }],
          },
        },
      },
      { type: 'content_block_stop', index: 2 },
      { type: 'content_block_start', index: 3, content_block: text('So.') },
    ]);
    expect(second.at(-1)).toEqual({ type: 'content_block_stop', index: 4 });
    expect(joined.endRound()).toMatchObject({ kind: 'finished', stopReason: 'tool_use' });
    expect(read(joined.finish()).map(({ delta }) => delta?.stop_reason)).toEqual(['tool_use', undefined]);
  });

  test('begins with results that the history left open, also when the round is requested again', () => {
    const joined = joiner(true, [FOUND]);
    feed(joined, [...streamed('msg_1', [text('Hm.')], 'end_turn')].slice(0, 3));
    expect(joined.endRound().kind).toBe('failed');
    joined.abandonRound();
    const again = read(feed(joined, streamed('msg_2', [text('Hm.')], 'end_turn')));
    expect(again.map(({ index, content_block: block }) => [index, block?.type])).toEqual([
      [undefined, undefined],
      [0, 'tool_search_tool_result'],
      [0, undefined],
      [1, 'text'],
      [1, undefined],
    ]);
  });

  test('sends results once', () => {
    const joined = joiner(true, [FOUND]);
    feed(joined, streamed('msg_1', [search('toolu_2')], 'tool_use'));
    joined.endRound();
    const later = read(feed(joined, streamed('msg_2', [text('Hm.')], 'end_turn')));
    expect(later.flatMap(({ content_block: block }) => block?.type ?? [])).toEqual(['text']);
  });

  test('joins whole responses into one body', () => {
    const joined = joiner(false);
    const whole = (id: string, content: object[], stop: string): WireEvent => ({
      kind: 'whole',
      text: JSON.stringify({ id, type: 'message', role: 'assistant', content, stop_reason: stop }),
    });
    expect(joined.feed(whole('msg_1', [search('call:1')], 'tool_use'))).toEqual([]);
    expect(joined.endRound()).toMatchObject({
      kind: 'searching',
      turn: { searches: [{ id: 'srvtoolu_call1' }] },
    });
    joined.takeResults([{ callId: 'srvtoolu_call1', kind: 'no_match', tools: [] }]);
    joined.feed(whole('msg_2', [text('None.')], 'end_turn'));
    joined.endRound();
    expect(read(joined.finish())[0]).toMatchObject({
      id: 'msg_1',
      stop_reason: 'end_turn',
      content: [
        { type: 'server_tool_use', id: 'srvtoolu_call1', input: { pattern: 'a' } },
        { type: 'tool_search_tool_result', content: { tool_references: [] } },
        text('None.'),
      ],
    });
  });

  test('leaves a search next to a call open, and pauses when a search is last', () => {
    const both = joiner(true);
    const call = { type: 'tool_use', id: 'toolu_c', name: 'a', input: {} };
    feed(both, streamed('msg_1', [call, search('toolu_1')], 'tool_use'));
    expect(both.endRound()).toMatchObject({ kind: 'finished', stopReason: 'tool_use' });
    const last = joiner(true);
    feed(last, streamed('msg_1', [search('toolu_1')], 'tool_use'));
    last.endRound();
    expect(read(last.finish())[0].delta.stop_reason).toBe('pause_turn');
  });

  test('ignores a search that was cut off', () => {
    const joined = joiner(true);
    feed(joined, streamed('msg_1', [search('toolu_1')], 'max_tokens'));
    expect(joined.endRound()).toMatchObject({ kind: 'finished', stopReason: 'max_tokens' });
  });

  test('gives searches unique ids when a server repeats them', () => {
    const joined = joiner(true, [], ['srvtoolu_1']);
    const events = read(feed(joined, streamed('msg_1', [search('toolu_1'), search('toolu_1')], 'tool_use')));
    const ids = events.flatMap(({ content_block: block }) => block?.id ?? []);
    expect(ids).toEqual(['srvtoolu_1_2', 'srvtoolu_1_3']);
  });

  test('changes nothing of a response without searches', () => {
    const joined = joiner(true);
    const events = [...streamed('msg_1', [text('Hm.')], 'end_turn')];
    const given = feed(joined, events);
    joined.endRound();
    expect([...given, ...joined.finish()]).toEqual(events);
  });
});

describe('a round that is abandoned leaves no trace in a joiner whose client sees searches', () => {
  const call = { type: 'tool_use', id: 'toolu_c', name: 'a', input: { b: 1 } };
  const answers: Readonly<Record<AnswerName, readonly [{ type: string; input?: object }[], string]>> = {
    text: [[text('Hm.')], 'end_turn'],
    call: [[text('So.'), call], 'tool_use'],
    two_calls: [[call, { ...call, id: 'toolu_d' }], 'tool_use'],
    search: [[text('I look.'), search('toolu_1')], 'tool_use'],
    two_searches: [[search('toolu_1'), search('toolu_2', 'b')], 'tool_use'],
    search_beside_call: [[search('toolu_1'), call], 'tool_use'],
    call_beside_search: [[call, search('toolu_1')], 'tool_use'],
    malformed_search: [[search('toolu_3', '(')], 'tool_use'],
    cut_search: [[text('I look.'), search('toolu_1')], 'max_tokens'],
  };
  const whole = (name: AnswerName): WireEvent => {
    const [content, stop] = answers[name];
    const message = { id: name, type: 'message', role: 'assistant', content, stop_reason: stop };
    return { kind: 'whole', text: JSON.stringify(message) };
  };
  const exchangeOf = (isStream: boolean): Exchange => ({
    join: () => joiner(isStream, [FOUND], ['srvtoolu_2']),
    eventsOf: (name) => (isStream ? [...streamed(name, ...answers[name])] : [whole(name)]),
  });

  describe('streamed', () => testExchange(exchangeOf(true)));
  describe('whole', () => testExchange(exchangeOf(false)));
});
