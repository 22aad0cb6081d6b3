import { describe, expect, test } from 'vitest';
import type { Plan } from '../../src/format/view.ts';
import type { StreamEvent } from '../../src/framing/framing.ts';
import { sse } from '../../src/framing/sse.ts';
import { openaiResponses } from '../../src/openai-responses/openai-responses.ts';
import { decodeAll } from '../frames.ts';
import { fn, planOf, play, viewOf } from './exchange.ts';
import { call, type Item, message, reasoning, writeResponse } from './write-response.ts';

const TOOLS = [fn('a'), fn('kept')];
const PLAN = planOf('swap', ['a']);
const search = (id: string) => call(id, 'gateway_search_tools', '{"query":"a"}');

/** The ids of the items that a client has, in the events of a stream and at its end, or in a whole response. */
function shownIds(sent: string, isStream: boolean): string[] {
  if (!isStream) return (JSON.parse(sent) as { output: Item[] }).output.map(({ id }) => id);
  const events = [...sent.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data!));
  const added = events.flatMap(({ type, item }) => (type === 'response.output_item.added' ? [item.id] : []));
  const last = events.at(-1).response.output.map(({ id }: Item) => id);
  expect(added).toEqual(last);
  expect(events.map(({ sequence_number: number }) => number)).toEqual(events.map((_, at) => at));
  return last;
}

describe.each([true, false])('reasoning, streamed: %s', (stream) => {
  const view = viewOf({ tools: TOOLS, stream, store: false });

  test.each<[string, Item[][], string[]]>([
    [
      'of a round that only searched is not shown',
      [
        [reasoning('rs_1'), search('fc_1')],
        [reasoning('rs_2'), message('msg_2', 'Hi.')],
      ],
      ['rs_2', 'msg_2'],
    ],
    [
      'that led to a text is shown, and what follows and led to a search is not',
      [
        [reasoning('rs_1'), message('msg_1', 'I look.'), reasoning('rs_x'), search('fc_1')],
        [reasoning('rs_2'), call('fc_k', 'kept', '{}')],
      ],
      ['rs_1', 'msg_1', 'rs_2', 'fc_k'],
    ],
    [
      'that led to a search is not shown although a call follows',
      [[reasoning('rs_1'), search('fc_1'), call('fc_k', 'kept', '{}')]],
      ['fc_k'],
    ],
    [
      'that led to a call is shown although a search follows',
      [[reasoning('rs_1'), reasoning('rs_2'), call('fc_k', 'kept', '{}'), search('fc_1'), reasoning('rs_3')]],
      ['rs_1', 'rs_2', 'fc_k'],
    ],
  ])('%s', (_, rounds, ids) => {
    const responses = rounds.map((output, at) => writeResponse({ id: `resp_${at}`, output }));
    const { sent, turns } = play(view, PLAN, ...responses);
    expect(shownIds(sent, stream)).toEqual(ids);
    // What is sent back upstream is all there.
    const kept = turns.map(({ message: items }) => (JSON.parse(items) as Item[]).map(({ id }) => id));
    expect(kept).toEqual(rounds.map((output) => output.map(({ id }) => id)));
  });

  test.each<[string, Item[], string?]>([
    ['a text', [reasoning('rs_1'), message('msg_1', 'Hi.')]],
    ['a call', [reasoning('rs_1'), reasoning('rs_2'), call('fc_k', 'kept', '{}')]],
    ['nothing', [message('msg_1', 'Hi.'), reasoning('rs_1')]],
    ['the token limit', [reasoning('rs_1')], 'max_output_tokens'],
  ])('that leads to %s passes with every byte', (_, output, incomplete) => {
    const response = writeResponse({ id: 'resp_1', output, ...(incomplete && { incomplete }) });
    expect(play(view, PLAN, response).sent).toBe(stream ? response.stream : response.whole);
  });
});

describe('a stream of reasoning', () => {
  const { stream } = writeResponse({
    id: 'resp_1',
    output: [reasoning('rs_1'), message('msg_1', 'Hi.')],
  });
  const events = decodeAll(sse, [Buffer.from(stream)]) as StreamEvent[];

  /** The number of events after each of which the client has a first event of the reasoning. */
  function firstGiven(plan: Plan, keep?: (chars: number) => boolean): string | undefined {
    const view = viewOf({ tools: TOOLS, stream: true });
    const joiner = openaiResponses.joining.joinResponses(view, plan, keep);
    return events.find((event) =>
      joiner.feed(event).some((given) => (given as StreamEvent).data.includes('rs_1')),
    )?.data;
  }

  test('waits for the item that it leads to', () => {
    expect(JSON.parse(firstGiven(PLAN)!)).toMatchObject({
      type: 'response.output_item.added',
      item: { id: 'msg_1' },
    });
  });

  test.each<[string, Plan, ((chars: number) => boolean)?]>([
    ['without a search tool', { ...PLAN, searchTool: undefined }],
    ['without memory to hold it', PLAN, () => false],
  ])('passes at once %s', (_, plan, keep) => {
    expect(JSON.parse(firstGiven(plan, keep)!)).toMatchObject({
      type: 'response.output_item.added',
      item: { id: 'rs_1' },
    });
  });

  test('that breaks off reaches the client with its error', () => {
    const joiner = openaiResponses.joining.joinResponses(viewOf({ tools: TOOLS, stream: true }), PLAN);
    for (const event of events.slice(0, 4)) joiner.feed(event);
    const end = joiner.endRound();
    expect(end).toMatchObject({ kind: 'failed', reason: 'truncated' });
    const rest = joiner.fail(end as Extract<typeof end, { kind: 'failed' }>) as StreamEvent[];
    expect(rest.map(({ name }) => name)).toEqual([
      'response.output_item.added',
      'response.output_item.done',
      'response.failed',
    ]);
  });
});
